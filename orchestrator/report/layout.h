/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plain text for people: paragraphs and fields at a width that mail readers and terminals have.
 * What comes from outside (subjects, names, messages of a guest) is made harmless on the way:
 * control characters and broken UTF-8 become '?'.
 */
#ifndef CULPRIT_REPORT_LAYOUT_H
#define CULPRIT_REPORT_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

enum { LAYOUT_WIDTH = 74, LAYOUT_LABEL = 16 };

/* Appends text with nothing in it that could move a cursor or end a line. */
void layout_clean(struct buffer *out, const char *text);

/* Columns that UTF-8 text takes, one a code point. */
size_t layout_columns(const char *text);

/* Wraps at spaces; the first line begins with `first`, the others with `rest` (both of blanks or
 * bullets). A word that is too long for a line gets its own. Ends with a newline. */
void layout_wrap(struct buffer *out, const char *first, const char *rest, const char *text);

/* "  label:      text", wrapped behind the label; nothing when text is NULL or empty. */
void layout_field(struct buffer *out, const char *label, const char *text);
void layout_fieldf(struct buffer *out, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* An empty line, the heading, and an empty line. */
void layout_heading(struct buffer *out, const char *text);

/* "2026-01-02" and "2026-01-02 03:04:05 UTC" of seconds since 1970. */
enum { LAYOUT_DATE_SIZE = 32 };
const char *layout_date(uint64_t seconds, char text[LAYOUT_DATE_SIZE]);
const char *layout_time(uint64_t seconds, char text[LAYOUT_DATE_SIZE]);

#endif
