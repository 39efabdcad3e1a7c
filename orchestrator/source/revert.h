/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A commit's tree without what another commit changed, as git revert makes it, in memory. Internal
 * to source/.
 */
#ifndef CULPRIT_SOURCE_REVERT_H
#define CULPRIT_SOURCE_REVERT_H

#include "source/git.h"

/* The tree of `commit` with the change of `reverts_id` against its first parent taken back,
 * whatever it was renamed to since; a merge's change is all that it brought in. The new objects
 * live until scratch_forget(). FAILED when it does not revert cleanly, naming a file, and for a
 * root commit. */
int revert_commit(struct repository *repository, git_commit *commit, const char *reverts_id,
                  git_tree **ret, struct culprit_error *error);

#endif
