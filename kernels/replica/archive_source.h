/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel source from wherever it lies: Debian's package (/usr/src/NAME.tar.xz), another tar
 * archive, or an unpacked tree. Read once from front to back, file after file in the archive's
 * order, without the archive's first directory. By libarchive.
 */
#ifndef CULPRIT_REPLICA_ARCHIVE_SOURCE_H
#define CULPRIT_REPLICA_ARCHIVE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/error.h"

struct archive_source;

struct source_file {
    const char *path; /* "kernel/sched/fair.c" */
    const char *mode; /* as git writes it: "100644", "100755", "120000" */
    const char *data; /* content, or a link's target */
    size_t length;
};

/* `name` is a package (linux-source-6.1) or a path. NOT_FOUND for a package that is not installed
 * names the command that installs it. */
int archive_source_path(const char *name, char **ret_path, struct culprit_error *error);

int archive_source_open(const char *path, struct archive_source **ret, struct culprit_error *error);

/* 1 with the next file (lent until the next call), 0 at the end, or a negative code. */
int archive_source_next(struct archive_source *source, struct source_file *ret,
                        struct culprit_error *error);

void archive_source_free(struct archive_source *source);
DEFINE_CLEANUP(struct archive_source *, archive_source_free);

#endif
