/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Goes over a build directory's files. Private to this folder; thread-safe. */
#ifndef CULPRIT_BUILD_BUILD_TREE_H
#define CULPRIT_BUILD_BUILD_TREE_H

#include <stdbool.h>
#include <time.h>

#include "base/error.h"

/* Anything that is no directory; strings are lent for the call. */
struct build_file {
    const char *full_path;
    const char *path; /* below the directory: "kernel/fork.o" */
    const char *name; /* "fork.o" */
    struct timespec modified;
};

/* 0, or an error that ends the walk. May remove the file. */
typedef int (*build_file_visitor)(void *context, const struct build_file *file,
                                  struct culprit_error *error);

/* Links are not followed. A missing directory is no error. */
int build_tree_walk(const char *directory, build_file_visitor visit, void *context,
                    struct culprit_error *error);

static inline bool time_before(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

#endif
