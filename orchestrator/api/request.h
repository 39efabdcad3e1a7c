/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One request as a handler sees it. Lives from its headers to the end of its reply; strings that
 * are handed out are lent until then. */
#ifndef CULPRIT_API_REQUEST_H
#define CULPRIT_API_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <microhttpd.h>

#include "api/routes.h"
#include "base/buffer.h"
#include "base/error.h"

struct service;
struct streams;

/* What all handlers share. */
struct api_context {
    struct service *service;
    struct streams *streams;
};

struct request {
    const struct api_context *context;
    struct MHD_Connection *connection;
    const struct route *route;
    int64_t parameters[ROUTE_PARAMETERS_MAXIMUM]; /* of the path, in order */
    bool head;                                    /* HEAD: the body is not wanted */
    struct buffer body;
};

/* NULL when the client did not send it. */
const char *request_header(const struct request *request, const char *name);

/* The value of ?name=…; NULL when there is none. */
const char *request_argument(const struct request *request, const char *name);

/* INVALID unless all arguments are the route's, each once and with a value. */
int request_check_arguments(const struct request *request, struct culprit_error *error);

#endif
