/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text for people: quoting for a shell, numbers, columns, and what is safe on a terminal. */
#ifndef CULPRIT_CLI_TEXT_H
#define CULPRIT_CLI_TEXT_H

#include <jansson.h>
#include <stdio.h>

#include "base/buffer.h"

/* Appends a word as a shell reads it: quoted only where it must be. */
void text_quote(struct buffer *buffer, const char *word);

/* Prints text from elsewhere, its control characters as "?": a commit's subject must not move the
 * cursor. */
void text_print_safe(FILE *to, const char *text);
void text_print_lines_safe(FILE *to, const char *text); /* line ends stay */

/* A JSON string of text in any encoding: bytes that are no UTF-8 become "?". A new reference; NULL
 * without memory. */
json_t *text_json(const char *text);

/* At most six significant digits, no exponent for what is smaller than 10^15. */
const char *text_number(double value, char text[32]);

/* Columns: the width of UTF-8 text, in characters. */
size_t text_width(const char *text);
void text_pad(FILE *to, const char *text, size_t width);

#endif
