/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a comparison says: yes or no, a sentence, JSON. */
#include <stdlib.h>
#include <string.h>

#include "topology/compare.h"

enum { LIST_SHOWN = 120 /* bytes of a list that a sentence shows */ };

bool topology_comparison_same(const struct topology_comparison *comparison)
{
    for (size_t i = 0; i < comparison->count; i++) {
        if (!comparison->levels[i].same)
            return false;
    }
    return true;
}

/* Where the first item begins in which two lists differ. */
static size_t first_difference(const char *asked, const char *seen)
{
    size_t item = 0;

    for (size_t i = 0; asked[i] && asked[i] == seen[i]; i++) {
        if (asked[i] == ' ')
            item = i + 1;
    }
    return item;
}

/* A list as far as a sentence has room for it: from item `start`, cut between two items. */
static void shorten(const char *list, size_t start, char text[LIST_SHOWN + 16])
{
    const char *begin = list + start;
    size_t length = strlen(begin);
    bool cut = length > LIST_SHOWN;

    if (cut) {
        length = LIST_SHOWN;
        while (length > 0 && begin[length] != ' ' && begin[length] != ',')
            length--;
    }
    snprintf(text, LIST_SHOWN + 16, "%s%.*s%s", start ? "… " : "", (int)length, begin,
             cut ? " …" : "");
}

void topology_comparison_describe(const struct topology_comparison *comparison, char *text,
                                  size_t size)
{
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < comparison->count && length < size; i++) {
        const struct topology_level *level = &comparison->levels[i];
        bool brief = strlen(level->asked) <= LIST_SHOWN && strlen(level->seen) <= LIST_SHOWN;
        size_t start = brief ? 0 : first_difference(level->asked, level->seen);
        char asked[LIST_SHOWN + 16];
        char seen[LIST_SHOWN + 16];

        if (level->same)
            continue;
        shorten(level->asked, start, asked);
        shorten(level->seen, start, seen);
        length += (size_t)snprintf(text + length, size - length, "%s%s: asked %s, seen %s",
                                   length ? "; " : "", level->name, asked, seen);
    }
}

json_t *topology_comparison_json(const struct topology_comparison *comparison)
{
    json_t *array = json_array();

    for (size_t i = 0; i < comparison->count; i++) {
        const struct topology_level *level = &comparison->levels[i];
        json_array_append_new(array,
                              json_pack("{s:s, s:s, s:s, s:b}", "level", level->name, "asked",
                                        level->asked, "seen", level->seen, "same", level->same));
    }
    return array;
}

void topology_comparison_clear(struct topology_comparison *comparison)
{
    for (size_t i = 0; i < comparison->count; i++) {
        free(comparison->levels[i].asked);
        free(comparison->levels[i].seen);
    }
    free(comparison->levels);
    memset(comparison, 0, sizeof *comparison);
}
