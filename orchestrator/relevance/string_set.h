/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set of strings of its own, for tens of thousands of paths. One thread at a time while it
 * grows; any number may ask afterwards. */
#ifndef CULPRIT_RELEVANCE_STRING_SET_H
#define CULPRIT_RELEVANCE_STRING_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"

struct string_set {
    char **slots; /* NULL where free; a power of two of them */
    size_t capacity, count;
};

/* Keeps a copy of the text's first `length` bytes; one that is there already is no error. False
 * without memory. */
bool string_set_add(struct string_set *set, const char *text, size_t length);

bool string_set_has(const struct string_set *set, const char *text, size_t length);

/* The strings in order, lent; the array is the caller's. NULL without memory. */
const char **string_set_sorted(const struct string_set *set);

void string_set_clear(struct string_set *set);

static inline void string_set_clear_cleanup(struct string_set *set)
{
    string_set_clear(set);
}

#endif
