/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One directory on disk, made to agree with a manifest. All access goes through directory file
 * descriptors and follows no symbolic link, so that nothing outside the directory is touched,
 * whatever lies in it. Internal to source/.
 */
#ifndef CULPRIT_SOURCE_WORKTREE_H
#define CULPRIT_SOURCE_WORKTREE_H

#include "base/cancel.h"
#include "source/manifest.h"

/* Removes what the manifest does not have and what is of the wrong kind; marks in `wanted` (by
 * manifest_file_saw) each file that is on disk as wanted. `known` (may be empty) is what was last
 * seen there; a file that it does not vouch for is read and hashed. */
int worktree_scan(int directory_fd, const struct manifest *known, struct manifest *wanted,
                  struct cancel *cancel, struct culprit_error *error);

/* Writes each file of `wanted` that is not marked, and marks it. */
int worktree_write(struct repository *repository, int directory_fd, struct manifest *wanted,
                   struct cancel *cancel, struct culprit_error *error);

#endif
