/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of routes: which method on which path with which parameters does what, who may, and
 * which media types it answers in. docs/openapi.yaml says the same to clients; a test holds the two
 * together.
 */
#ifndef CULPRIT_API_ROUTES_H
#define CULPRIT_API_ROUTES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct request;
struct reply;

enum { ROUTE_PARAMETERS_MAXIMUM = 2, ROUTE_ARGUMENTS_MAXIMUM = 4, ROUTE_ALLOW_SIZE = 64 };

struct route {
    const char *method;
    const char *path;     /* "/api/v1/jobs/{id}/trials/{number}"; {…} stands for a number >= 1 */
    unsigned scope;       /* of enum token_scope: what a token must carry; 0: open to everybody */
    const char *produces; /* media type of a success; NULL: no body */
    const char *accepts;  /* NULL: no body is read; else a list by ", " of media types */
    /* 0 with a reply, or a negative code with an error, which becomes a problem. */
    int (*handle)(struct request *request, struct reply *reply, struct culprit_error *error);
    const char *arguments[ROUTE_ARGUMENTS_MAXIMUM]; /* what may follow "?"; the rest are NULL */
};

extern const struct route api_routes[];
extern const size_t api_route_count;

struct route_match {
    const struct route *route; /* NULL: nothing, or another method only */
    int64_t parameters[ROUTE_PARAMETERS_MAXIMUM];
    char allow[ROUTE_ALLOW_SIZE]; /* methods that the path has, by ", "; "" when there is no path */
};

/* HEAD matches what GET does. */
struct route_match route_find(const char *method, const char *path);

#endif
