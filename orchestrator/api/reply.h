/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replies. Every one carries the headers that keep a browser from guessing, framing and caching;
 * failures are problem documents (RFC 9457) with culprit's code, and for a job the key, line and
 * column and the allowed words.
 */
#ifndef CULPRIT_API_REPLY_H
#define CULPRIT_API_REPLY_H

#include <stddef.h>

#include <jansson.h>
#include <microhttpd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/blobs.h"

struct reply {
    /* HTTP status. Set before a failure is returned, it stands instead of the code's own. */
    unsigned status;
    struct MHD_Response *response;
};

/* The functions take what they are given (value, buffer, reader) also when they fail. */
int reply_json(struct reply *reply, unsigned status, json_t *value, struct culprit_error *error);
/* 200 with the list as the member `name` of an object: something can stand beside it one day. */
int reply_list(struct reply *reply, const char *name, json_t *list, struct culprit_error *error);
int reply_buffer(struct reply *reply, const char *type, struct buffer *buffer,
                 struct culprit_error *error);
int reply_blob(struct reply *reply, const char *type, struct blob_reader *reader,
               struct culprit_error *error);
int reply_static(struct reply *reply, const char *type, const void *bytes, size_t length,
                 struct culprit_error *error);
/* type: what a body would be of; may be NULL. */
int reply_empty(struct reply *reply, unsigned status, const char *type,
                struct culprit_error *error);

/* Takes a response that was made elsewhere; NULL is no memory. */
int reply_response(struct reply *reply, unsigned status, const char *type,
                   struct MHD_Response *response, struct culprit_error *error);

int reply_header(struct reply *reply, const char *name, const char *value,
                 struct culprit_error *error);

/* Replaces whatever the reply holds. status 0: the code's own. */
int reply_problem(struct reply *reply, unsigned status, const struct culprit_error *problem);

void reply_clear(struct reply *reply);

#endif
