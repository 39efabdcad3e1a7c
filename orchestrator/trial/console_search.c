/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trial/console_search.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool matches(const struct line_pattern *pattern, const char *line,
                    char ret_line[CONSOLE_LINE_MAXIMUM])
{
    const char *text = console_text(line);

    if (!line_pattern_matches(pattern, text, strlen(text)))
        return false;
    snprintf(ret_line, CONSOLE_LINE_MAXIMUM, "%s", text);
    return true;
}

int console_search(const char *path, const struct line_pattern *pattern, struct cancel *cancel,
                   bool *ret_found, char ret_line[CONSOLE_LINE_MAXIMUM],
                   struct culprit_error *error)
{
    _cleanup_fclose_ FILE *file = fopen(path, "re");
    char line[CONSOLE_LINE_MAXIMUM], piece[64 * 1024];
    size_t length = 0, count;

    *ret_found = false;
    if (!file)
        return errno == ENOENT ? 0 : culprit_fail_errno(error, errno, "cannot open %s", path);
    while ((count = fread(piece, 1, sizeof piece, file)) > 0) {
        if (cancel_requested(cancel))
            return culprit_fail(error, CULPRIT_CANCELLED, "the trial was cancelled");
        for (size_t i = 0; i < count && !*ret_found; i++)
            *ret_found = console_line_feed(line, &length, (unsigned char)piece[i]) &&
                         matches(pattern, line, ret_line);
        if (*ret_found)
            return 0;
    }
    if (ferror(file))
        return culprit_fail_errno(error, errno, "cannot read %s", path);
    *ret_found = length > 0 && console_line_feed(line, &length, '\n') &&
                 matches(pattern, line, ret_line);
    return 0;
}
