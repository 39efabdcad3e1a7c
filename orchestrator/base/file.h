/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole files and whole trees; every read has a maximum. base/path.h names them. */
#ifndef CULPRIT_BASE_FILE_H
#define CULPRIT_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/path.h"

/* Reads a file of at most `maximum` bytes; *ret_data is NUL-terminated and the caller's.
 * LIMIT when it is longer. maximum < SIZE_MAX. ret_length may be NULL. */
int file_read(const char *path, size_t maximum, char **ret_data, size_t *ret_length,
              struct culprit_error *error);

/* The same from an open descriptor to its end; `name` is what messages call it. The descriptor may
 * be non-blocking. CANCELLED once `cancel` (or NULL) is requested, should nothing ever come. */
int file_read_fd(int fd, const char *name, size_t maximum, const struct cancel *cancel,
                 char **ret_data, size_t *ret_length, struct culprit_error *error);

/* Writes beside the target, syncs, renames, and syncs the directory: the old content or the new. */
int file_write_atomic(const char *path, const void *data, size_t length, mode_t mode,
                      struct culprit_error *error);

/* Creates a directory and its missing parents; an existing directory is no error. */
int file_make_directories(const char *path, mode_t mode, struct culprit_error *error);

/* Removes a file or a tree; follows no symbolic link; a missing path is no error. */
int file_remove_tree(const char *path, struct culprit_error *error);

/* Copies a regular file over a new or an old one, sharing blocks where the file system can. After
 * a failure there is no target. Not synced. */
int file_copy(const char *from, const char *to, mode_t mode, struct culprit_error *error);

/* 0 with the size in bytes; NOT_FOUND and others as the system says. */
int file_size(const char *path, uint64_t *ret_size, struct culprit_error *error);
bool file_exists(const char *path);

#endif
