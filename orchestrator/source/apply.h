/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Patches applied to a commit's tree, in memory: nothing is written to the repository, which may
 * be somebody else's and read-only. Internal to source/.
 */
#ifndef CULPRIT_SOURCE_APPLY_H
#define CULPRIT_SOURCE_APPLY_H

#include "base/strv.h"
#include "source/git.h"

enum { PATCHES_MAXIMUM = 256 };

/* The tree with all patches applied in order; its new objects live until scratch_forget().
 * FAILED, naming patch number, file and hunk, when one does not apply. */
int apply_patches(struct repository *repository, git_tree *tree, const struct strv *patches,
                  git_tree **ret, struct culprit_error *error);

#endif
