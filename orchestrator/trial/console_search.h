/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside trial_run(): the first line of a kept console that a job's pattern matches. */
#ifndef CULPRIT_TRIAL_CONSOLE_SEARCH_H
#define CULPRIT_TRIAL_CONSOLE_SEARCH_H

#include <stdbool.h>

#include "base/cancel.h"
#include "base/line_pattern.h"
#include "guest/console.h"

/*
 * Reads the file in pieces, in constant memory; each byte is matched once, against a pattern whose
 * cost is bounded, so that a console as long as a guest may make it is a matter of seconds. Lines
 * are matched as console_text() shows them, the last one too if it has no newline. A file that is
 * not there has no lines. CANCELLED between two pieces.
 */
int console_search(const char *path, const struct line_pattern *pattern, struct cancel *cancel,
                   bool *ret_found, char ret_line[CONSOLE_LINE_MAXIMUM],
                   struct culprit_error *error);

#endif
