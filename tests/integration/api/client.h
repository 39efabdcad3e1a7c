/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A blocking HTTP client for tests: libcurl for requests that are right, a plain socket for those
 * that are not. */
#ifndef CULPRIT_TESTS_API_CLIENT_H
#define CULPRIT_TESTS_API_CLIENT_H

#include <stdint.h>

#include <jansson.h>

#include "base/buffer.h"

struct answer {
    long status;
    struct buffer headers, body;
    json_t *json; /* of the body, when it is JSON */
};

struct question {
    const char *method; /* NULL: GET */
    const char *path;
    const char *headers[6];
    const char *body;   /* NULL: none */
    size_t body_length; /* 0: of the string */
};

/* Fails the test when there is no answer within 30 s. Release with answer_clear(). */
struct answer ask(uint16_t port, const struct question *question);
void answer_clear(struct answer *answer);

static inline void answer_clear_cleanup(struct answer *answer)
{
    answer_clear(answer);
}

#define _cleanup_answer_ __attribute__((cleanup(answer_clear_cleanup)))

/* Shorthand for a GET. */
struct answer get(uint16_t port, const char *path);

/* The value of a header of the answer; "" when it has none. Lent until the next call. */
const char *answer_header(const struct answer *answer, const char *name);

/* A member of the JSON body; "" or 0 when it is not there. */
const char *answer_text(const struct answer *answer, const char *member);
json_int_t answer_integer(const struct answer *answer, const char *member);

/* A connected socket, with a time-out for reading. */
int client_connect(uint16_t port);
/* Reads until `needle` has come, or the end; false at the end. */
bool client_read_until(int fd, struct buffer *buffer, const char *needle);

#endif
