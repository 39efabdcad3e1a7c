/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list of files of a check-out, sorted by path: what a tree wants, and what was last seen of
 * it on disk. Saved beside the check-out, where it tells without reading a file whether the file
 * is still what was written there. Internal to source/.
 */
#ifndef CULPRIT_SOURCE_MANIFEST_H
#define CULPRIT_SOURCE_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "source/git.h"

enum { MANIFEST_FILES_MAXIMUM = 1000000, MANIFEST_PATH_MAXIMUM = 4095 };

struct manifest_file {
    char *path; /* relative, safe: no "", ".", ".." or ".git" in it */
    git_oid id;
    uint32_t mode; /* GIT_FILEMODE_BLOB, _BLOB_EXECUTABLE or _LINK */
    /* As the file was when it last agreed with the id; all 0: never seen. Any write changes one
     * of them: the check-out itself makes a new inode for each file that it writes. */
    uint64_t size, inode;
    int64_t mtime_ns, ctime_ns;
};

struct manifest {
    struct manifest_file *files;
    size_t count, capacity;
};

/* The files of a tree. INVALID when a path could lead out of the check-out or into git's own
 * directory. Submodules are left out. */
int manifest_from_tree(struct repository *repository, git_tree *tree, struct manifest *ret,
                       struct culprit_error *error);

/* NOT_FOUND when there is none, INVALID when it is torn or of another version. */
int manifest_load(const char *path, struct manifest *ret, struct culprit_error *error);
int manifest_save(const struct manifest *manifest, const char *path, struct culprit_error *error);

/* Lends the file, or NULL. */
struct manifest_file *manifest_find(const struct manifest *manifest, const char *path);

/* Whether a file is, or a file lies below, the directory `path`. */
bool manifest_has_directory(const struct manifest *manifest, const char *path);

void manifest_file_saw(struct manifest_file *file, const struct stat *seen);
bool manifest_file_matches(const struct manifest_file *file, const struct stat *seen);

void manifest_clear(struct manifest *manifest);

static inline void manifest_clear_cleanup(struct manifest *manifest)
{
    manifest_clear(manifest);
}

#endif
