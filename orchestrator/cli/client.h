/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The REST API's client, by libcurl. Every answer is bounded and every request has a deadline; an
 * answer of the server that is an error (RFC 9457 problem document) becomes a culprit_error with
 * its place in the submitted document. One thread.
 */
#ifndef CULPRIT_CLI_CLIENT_H
#define CULPRIT_CLI_CLIENT_H

#include <jansson.h>

#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "cli/settings.h"
#include "cli/sse.h"

enum { CLIENT_ANSWER_MAXIMUM = 64 * 1024 * 1024 };

struct client;

/* `settings` and `cancel` (may be NULL) are borrowed and outlive the client. */
int client_new(const struct settings *settings, struct cancel *cancel, struct client **ret,
               struct culprit_error *error);
void client_free(struct client *client);
DEFINE_CLEANUP(struct client *, client_free);

struct client_request {
    const char *method; /* "GET", "POST", "DELETE" */
    const char *path;   /* below /api/v1: "/jobs/12" */
    const char *accept; /* media type; NULL: application/json */
    const char *body;   /* NULL: none */
    size_t body_length;
    const char *content_type;    /* of the body */
    const char *idempotency_key; /* NULL: none */
};

/* The answer's body (NUL-terminated, the caller's; ret_length may be NULL). UNAVAILABLE when the
 * server cannot be reached; else the server's own error. */
int client_request(struct client *client, const struct client_request *request, char **ret_body,
                   size_t *ret_length, struct culprit_error *error);

/* The same for an answer that is JSON; *ret is the caller's, NULL for an empty answer. */
int client_request_json(struct client *client, const struct client_request *request, json_t **ret,
                        struct culprit_error *error);
int client_get_json(struct client *client, const char *path, json_t **ret,
                    struct culprit_error *error);

/*
 * Follows a stream of server-sent events until `handler` answers with something other than 0, which
 * is returned (see sse.h). Connects again, with Last-Event-ID, when the connection ends or falls
 * silent; gives up with UNAVAILABLE after a minute without a connection.
 */
int client_events(struct client *client, const char *path, sse_handler handler, void *context,
                  struct culprit_error *error);

/* A problem document, or any other answer to a request that failed, as an error. Returns its
 * negative code. */
int client_problem(long status, const char *body, size_t length, struct culprit_error *error);

#endif
