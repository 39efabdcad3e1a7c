/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"

static const char *const sides[] = {"good ", "bad "};

static int add_line(struct recorded *recorded, const char *path, const char *line,
                    struct culprit_error *error)
{
    line += strspn(line, " \t\r");
    if (*line == '\0' || *line == '#')
        return 0;
    for (int side = 0; side < 2; side++) {
        size_t length = strlen(sides[side]);
        char *end;
        double value;

        if (strncmp(line, sides[side], length) != 0)
            continue;
        value = strtod(line + length, &end);
        if (end == line + length || end[strspn(end, " \t\r")] != '\0' || !isfinite(value))
            break;
        if (recorded->counts[side] == RECORDED_MAXIMUM)
            return culprit_fail(error, CULPRIT_LIMIT, "%s has more than %d values of a side", path,
                                RECORDED_MAXIMUM);
        recorded->values[side][recorded->counts[side]++] = value;
        return 0;
    }
    return culprit_fail(error, CULPRIT_INVALID, "%s: \"%s\" is no trial", path, line);
}

int recorded_read(const char *path, struct recorded *ret, struct culprit_error *error)
{
    _cleanup_free_ char *text = NULL;
    size_t length;
    int r = file_read(path, 1 << 20, &text, &length, error);

    *ret = (struct recorded){0};
    for (char *line = text, *next; r == 0 && line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        line[strcspn(line, "#")] = '\0';
        r = add_line(ret, path, line, error);
    }
    if (r == 0 && (ret->counts[0] < 2 || ret->counts[1] < 2))
        return culprit_fail(error, CULPRIT_INVALID, "%s has fewer than two trials of a side", path);
    return r;
}

double recorded_draw(const struct recorded *recorded, bool bad, struct random *random)
{
    return recorded->values[bad][random_below(random, recorded->counts[bad])];
}
