/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What SMTP wants around a message: bare addresses, and lines that end in CRLF. */
#ifndef CULPRIT_NOTIFY_ENVELOPE_H
#define CULPRIT_NOTIFY_ENVELOPE_H

#include <stddef.h>

#include "base/error.h"

/* "Name <local@domain>" or "local@domain" -> "local@domain", the caller's. INVALID for anything
 * that could be more than an address to a server: blanks, control characters, brackets. */
int envelope_address(const char *mailbox, char **ret, struct culprit_error *error);

/* The message with CRLF at every line's end, whichever ends it came with, and one at its own end;
 * the caller's. LIMIT above 32 MiB. */
int envelope_message(const char *message, char **ret, size_t *ret_length,
                     struct culprit_error *error);

#endif
