/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a request may be handled, as far as its first line and its headers tell: how it is
 * framed, whom it is meant for, what it asks for, who asks, in which media types, with which
 * parameters.
 */
#ifndef CULPRIT_API_ADMIT_H
#define CULPRIT_API_ADMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/request.h"
#include "base/error.h"
#include "base/strv.h"
#include "store/store.h"

/* What requests are admitted by; all borrowed. */
struct admission {
    struct api_context context;
    struct store *tokens; /* NULL: everybody may do everything */
    const char *address;
    bool loopback;
    const struct strv *hosts;
};

/* What the answer to a request that is not admitted needs beside the error. */
struct refusal {
    unsigned status;              /* 0: the error code's own */
    char allow[ROUTE_ALLOW_SIZE]; /* methods that the path has; "" where it is not about them */
    bool unframed;                /* where the request ends is not known: the connection is lost */
};

/* Fills in the request's route and parameters; else *ret and an error. */
int admit(const struct admission *admission, struct request *request, const char *method,
          const char *url, struct refusal *ret, struct culprit_error *error);

/* What the client says the body's length is; 0 when it does not say. */
uint64_t announced_length(const struct request *request);

/* LIMIT, for a body that is longer than any document. */
int fail_length(struct culprit_error *error);

/* For MHD_OPTION_UNESCAPE_CALLBACK: percent-decodes in place, but never to a NUL, behind which the
 * rest would be out of sight. What holds one stays as it is, and names nothing here. */
size_t unescape(void *context, struct MHD_Connection *connection, char *text);

#endif
