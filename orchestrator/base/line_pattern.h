/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pattern that lines of text are searched for: a POSIX extended regular expression (POSIX.1-2017,
 * XBD 9.4) in printable ASCII, without groups to get back. Line and pattern may both be hostile, so
 * there is no backtracking and nothing grows while it searches: a byte costs at most
 * LINE_PATTERN_PLACES steps, whatever the pattern. (The C library's regexec() takes up to a
 * millisecond a byte for patterns of twenty characters, and its memory grows with the text.)
 *
 * What POSIX leaves undefined is refused: an escape of a letter or digit (no \d, no \1), empty
 * groups and alternatives, two repetitions in a row, a repeated anchor. So is a pattern that every
 * line matches. Bytes are compared as they are, by the C locale.
 *
 * Immutable once compiled; searched from any number of threads.
 */
#ifndef CULPRIT_BASE_LINE_PATTERN_H
#define CULPRIT_BASE_LINE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/error.h"

enum {
    LINE_PATTERN_MAXIMUM = 256, /* bytes */
    LINE_PATTERN_PLACES = 256,  /* characters, classes and anchors, repetitions written out */
    LINE_PATTERN_DEPTH = 32,    /* groups within each other */
};

struct line_pattern;

/* INVALID says which byte of the pattern is wrong and why; LIMIT is a pattern that is too long,
 * too deep, or whose repetitions come to too many places. */
int line_pattern_new(const char *text, struct line_pattern **ret, struct culprit_error *error);
void line_pattern_free(struct line_pattern *pattern);
DEFINE_CLEANUP(struct line_pattern *, line_pattern_free);

/* Whether it stands anywhere in the line, which has no newline. */
bool line_pattern_matches(const struct line_pattern *pattern, const char *line, size_t length);

#endif
