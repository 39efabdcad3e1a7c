/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of an internet message: header fields (RFC 5322), words that are not ASCII in them
 * (RFC 2047), and quoted-printable bodies (RFC 2045). Lines end in CRLF. No value, whatever it
 * holds, can begin another header field: control characters are taken out.
 */
#ifndef CULPRIT_REPORT_MIME_H
#define CULPRIT_REPORT_MIME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

enum { MIME_LINE = 78, MIME_LINE_HARD = 998 };

/* "Name: text", folded; words that are not ASCII encoded. For unstructured fields. */
void mime_header(struct buffer *out, const char *name, const char *text);

/* A field of mailboxes, "Name <address>" or "address", one a line. INVALID when one is none: an
 * address is local@domain in printable ASCII without blanks, brackets, commas or quotes. */
int mime_mailboxes(struct buffer *out, const char *name, const char *const *mailboxes, size_t count,
                   struct culprit_error *error);

/* "Date: Fri, 02 Jan 2026 03:04:05 +0000" of seconds since 1970. */
void mime_date(struct buffer *out, uint64_t seconds);

/* Transfer encoding, empty line and body of a text: 7bit where it is ASCII in lines of at most 998
 * characters, else quoted-printable. Line ends of the text are LF. */
void mime_text(struct buffer *out, const char *text);

#endif
