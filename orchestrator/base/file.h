/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole files, whole trees, and names of files; every read has a maximum. */
#ifndef CULPRIT_BASE_FILE_H
#define CULPRIT_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/* Reads a file of at most `maximum` bytes; *ret_data is NUL-terminated and the caller's.
 * LIMIT when it is longer. ret_length may be NULL. */
int file_read(const char *path, size_t maximum, char **ret_data, size_t *ret_length,
              struct culprit_error *error);

/* Writes beside the target, syncs, renames, and syncs the directory: the old content or the new. */
int file_write_atomic(const char *path, const void *data, size_t length, mode_t mode,
                      struct culprit_error *error);

/* Creates a directory and its missing parents; an existing directory is no error. */
int file_make_directories(const char *path, mode_t mode, struct culprit_error *error);

/* Removes a file or a tree; follows no symbolic link; a missing path is no error. */
int file_remove_tree(const char *path, struct culprit_error *error);

/* Copies a regular file (reflink or copy_file_range where it can). */
int file_copy(const char *from, const char *to, mode_t mode, struct culprit_error *error);

/* 0 with the size in bytes; NOT_FOUND and others as the system says. */
int file_size(const char *path, uint64_t *ret_size, struct culprit_error *error);
bool file_exists(const char *path);

/* "a/b" of "a" and "b" (one slash); NULL without memory. Caller frees. */
char *path_join(const char *directory, const char *name);

/* printf into a new string; NULL without memory. Caller frees. */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* $XDG_CACHE_HOME/culprit, else ~/.cache/culprit; likewise state (~/.local/state/culprit) and
 * runtime ($XDG_RUNTIME_DIR/culprit, else a directory of mode 0700 under the temporary one). */
char *path_cache_home(void);
char *path_state_home(void);
char *path_runtime_home(void);

#endif
