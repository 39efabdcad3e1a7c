/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who may ask. Pure functions on header values.
 *
 * A service on loopback without tokens trusts whoever reaches it, so a web page must not: a page
 * that rebinds its own name to 127.0.0.1 shows by its Host header, one that posts across sites by
 * its Origin header.
 */
#ifndef CULPRIT_API_ACCESS_H
#define CULPRIT_API_ACCESS_H

#include <stdbool.h>

#include "base/strv.h"

/* Whether a Host header ("localhost:8080", "[::1]") names this server: by a loopback name when
 * `loopback`, by its address, or by one of `hosts` (may be NULL). Ports are not compared: a
 * forwarded one differs. NULL: false. */
bool host_allowed(const char *host, bool loopback, const char *address, const struct strv *hosts);

/* Whether a request that changes something may carry this Origin (NULL: none, so no browser's). */
bool origin_allowed(const char *origin, const char *host);

/* The token of "Bearer …"; NULL for any other Authorization, or none. */
const char *bearer_token(const char *authorization);

/* Whether an Accept header (NULL: anything) takes the media type (parameters are not compared). */
bool accepts_type(const char *accept, const char *type);

/* Whether a Content-Type is one of a list by ", "; charset may only be utf-8. */
bool content_type_allowed(const char *content_type, const char *allowed);

#endif
