/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A growing, NULL-terminated array of owned strings: argument vectors, lists of names. */
#ifndef CULPRIT_BASE_STRV_H
#define CULPRIT_BASE_STRV_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"

struct strv {
    char **items; /* NULL-terminated when count > 0; NULL when empty */
    size_t count;
    bool failed; /* an append had no memory */
};

bool strv_append(struct strv *strv, const char *text);
bool strv_appendf(struct strv *strv, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool strv_contains(const struct strv *strv, const char *text);
bool strv_copy(const struct strv *from, struct strv *ret);
void strv_free(struct strv *strv);

static inline void strv_free_cleanup(struct strv *strv)
{
    strv_free(strv);
}

#define _cleanup_strv_ CULPRIT_CLEANUP(strv_free)

/* The candidate nearest to `word` by edit distance, or NULL if none is near (distance at most
 * a third of the word's length, at least 1): for "did you mean …?". */
const char *nearest_word(const char *word, const char *const *candidates, size_t count);

#endif
