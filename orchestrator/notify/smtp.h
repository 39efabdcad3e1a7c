/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Delivers one finished message (RFC 5322 text, CRLF or LF) by SMTP with libcurl. Blocking: for
 * workers, several at a time. */
#ifndef CULPRIT_NOTIFY_SMTP_H
#define CULPRIT_NOTIFY_SMTP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/strv.h"

enum smtp_security { SMTP_PLAIN, SMTP_STARTTLS, SMTP_TLS };

struct smtp_options {
    const char *host;
    unsigned port; /* 0: 25, 587 or 465 by security */
    enum smtp_security security;
    const char *user; /* NULL: no login; a login without TLS is refused unless loopback */
    const char *password;
    const char *ca_file; /* NULL: the system's */
    uint64_t timeout_ns; /* 0: 60 s */
};

/* A host name or a numeric address: what may stand in `host`. */
bool smtp_host_valid(const char *host);

/* A login at the host shows the password to nobody: it is secured, or does not leave this host. */
bool smtp_login_is_private(const char *host, enum smtp_security security);

/* UNAVAILABLE (try again later: no connection, 4xx), FAILED (5xx: the server's words are in the
 * message), or CANCELLED, at once, whatever the server is doing: it may have taken the message all
 * the same. Never writes the password anywhere. `cancel` may be NULL. */
int smtp_deliver(const struct smtp_options *options, const char *from, const struct strv *to,
                 const char *message, struct cancel *cancel, struct culprit_error *error);

#endif
