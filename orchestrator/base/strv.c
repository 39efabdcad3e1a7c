/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/strv.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes ownership of `text`, also when it fails. */
static bool append_owned(struct strv *strv, char *text)
{
    char **items;

    /* Capacity is the power of two above count + 1, so it need not be stored. */
    if (text && (strv->count == 0 || (strv->count & (strv->count + 1)) == 0)) {
        size_t capacity = (strv->count + 1) * 2;

        items = reallocarray(strv->items, capacity, sizeof *items);
        if (!items) {
            free(text);
            text = NULL;
        } else {
            strv->items = items;
        }
    }
    if (!text) {
        strv->failed = true;
        return false;
    }
    strv->items[strv->count++] = text;
    strv->items[strv->count] = NULL;
    return true;
}

bool strv_append(struct strv *strv, const char *text)
{
    return append_owned(strv, strdup(text));
}

bool strv_appendf(struct strv *strv, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;

    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    return append_owned(strv, text);
}

bool strv_contains(const struct strv *strv, const char *text)
{
    for (size_t i = 0; i < strv->count; i++) {
        if (strcmp(strv->items[i], text) == 0)
            return true;
    }
    return false;
}

bool strv_copy(const struct strv *from, struct strv *ret)
{
    struct strv copy = {0};

    for (size_t i = 0; i < from->count; i++) {
        if (!strv_append(&copy, from->items[i])) {
            strv_free(&copy);
            return false;
        }
    }
    *ret = copy;
    return true;
}

void strv_free(struct strv *strv)
{
    if (!strv)
        return;
    for (size_t i = 0; i < strv->count; i++)
        free(strv->items[i]);
    free(strv->items);
    *strv = (struct strv){0};
}

enum { WORD_MAXIMUM = 63 };

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Optimal string alignment: insert, delete, replace and swap of neighbours cost one each. Words
 * are at most WORD_MAXIMUM long. */
static unsigned edit_distance(const char *a, const char *b)
{
    unsigned rows[3][WORD_MAXIMUM + 1];
    unsigned *before = rows[0], *above = rows[1], *row = rows[2];
    unsigned length = (unsigned)strlen(b);

    for (unsigned j = 0; j <= length; j++)
        above[j] = j;
    for (unsigned i = 1; a[i - 1]; i++) {
        unsigned *oldest = before;

        row[0] = i;
        for (unsigned j = 1; j <= length; j++) {
            unsigned change = above[j - 1] + (a[i - 1] != b[j - 1]);

            row[j] = smaller(change, smaller(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = smaller(row[j], before[j - 2] + 1);
        }
        before = above;
        above = row;
        row = oldest;
    }
    return above[length];
}

const char *nearest_word(const char *word, const char *const *candidates, size_t count)
{
    size_t length = strlen(word);
    unsigned limit = length < 6 ? 1 : (unsigned)(length / 3);
    const char *best = NULL;

    if (length == 0 || length > WORD_MAXIMUM)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        unsigned distance;

        if (strlen(candidates[i]) > WORD_MAXIMUM)
            continue;
        distance = edit_distance(word, candidates[i]);
        if (best ? distance < limit : distance <= limit) {
            best = candidates[i];
            limit = distance;
        }
    }
    return best;
}
