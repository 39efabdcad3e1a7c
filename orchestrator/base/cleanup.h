/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scope-bound release, instead of ladders of goto. Every x_free() accepts NULL.
 *
 *     _cleanup_free_ char *path = NULL;
 *     CULPRIT_CLEANUP(topology_free) struct topology *topology = NULL;
 *
 * DEFINE_CLEANUP(type *, function) makes the helper that CULPRIT_CLEANUP(function) uses.
 */
#ifndef CULPRIT_BASE_CLEANUP_H
#define CULPRIT_BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CULPRIT_CLEANUP(function) __attribute__((cleanup(function##_cleanup)))

/* A type cannot stand in parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
#define DEFINE_CLEANUP(pointer_type, function)                   \
    static inline void function##_cleanup(pointer_type *pointer) \
    {                                                            \
        function(*pointer);                                      \
    }                                                            \
    struct culprit_require_semicolon_
/* NOLINTEND(bugprone-macro-parentheses) */

static inline void free_cleanup(void *pointer)
{
    free(*(void **)pointer);
}

static inline void close_cleanup(int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

static inline void fclose_cleanup(FILE **stream)
{
    if (*stream)
        fclose(*stream);
}

#define _cleanup_free_   CULPRIT_CLEANUP(free)
#define _cleanup_close_  CULPRIT_CLEANUP(close)
#define _cleanup_fclose_ CULPRIT_CLEANUP(fclose)

/* Moves ownership out of a variable: `return take(path);` leaves NULL behind. */
#define take(pointer)                           \
    ({                                          \
        __typeof__(pointer) taken_ = (pointer); \
        (pointer) = NULL;                       \
        taken_;                                 \
    })

/* The same for a descriptor: leaves -1 behind. */
static inline int take_fd(int *fd)
{
    int taken = *fd;

    *fd = -1;
    return taken;
}

#endif
