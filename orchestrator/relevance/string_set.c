/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "relevance/string_set.h"

#include <stdint.h>
#include <string.h>

enum { CAPACITY_LEAST = 64 };

/* FNV-1a (Fowler, Noll, Vo): short keys, no adversary beyond one who slows down his own job. */
static size_t hash(const char *text, size_t length)
{
    uint64_t value = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < length; i++)
        value = (value ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return (size_t)(value ^ value >> 32);
}

/* Where the text is, or would go. The set has a free slot. */
static char **find(const struct string_set *set, const char *text, size_t length)
{
    size_t place = hash(text, length) & (set->capacity - 1);

    while (set->slots[place] &&
           (strncmp(set->slots[place], text, length) != 0 || set->slots[place][length] != '\0'))
        place = (place + 1) & (set->capacity - 1);
    return &set->slots[place];
}

static bool grow(struct string_set *set)
{
    struct string_set larger = {.capacity = set->capacity ? 2 * set->capacity : CAPACITY_LEAST};

    larger.slots = calloc(larger.capacity, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < set->capacity; i++)
        if (set->slots[i])
            *find(&larger, set->slots[i], strlen(set->slots[i])) = set->slots[i];
    free(set->slots);
    set->slots = larger.slots;
    set->capacity = larger.capacity;
    return true;
}

bool string_set_add(struct string_set *set, const char *text, size_t length)
{
    char **place;

    if (2 * (set->count + 1) > set->capacity && !grow(set))
        return false;
    place = find(set, text, length);
    if (*place)
        return true;
    *place = strndup(text, length);
    set->count += *place != NULL;
    return *place != NULL;
}

bool string_set_has(const struct string_set *set, const char *text, size_t length)
{
    return set->count > 0 && *find(set, text, length) != NULL;
}

static int compare(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

const char **string_set_sorted(const struct string_set *set)
{
    const char **sorted = calloc(set->count + 1, sizeof *sorted);
    size_t count = 0;

    for (size_t i = 0; sorted && i < set->capacity; i++)
        if (set->slots[i])
            sorted[count++] = set->slots[i];
    if (sorted)
        qsort(sorted, count, sizeof *sorted, compare);
    return sorted;
}

void string_set_clear(struct string_set *set)
{
    for (size_t i = 0; i < set->capacity; i++)
        free(set->slots[i]);
    free(set->slots);
    *set = (struct string_set){0};
}
