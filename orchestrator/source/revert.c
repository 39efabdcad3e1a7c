/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/revert.h"

#include <string.h>

#include "source/scratch.h"

DEFINE_CLEANUP(git_index_conflict_iterator *, git_index_conflict_iterator_free);

/* Any of the three sides has the path; at least one is there. */
static const char *conflict_path(const git_index_entry *ancestor, const git_index_entry *ours,
                                 const git_index_entry *theirs)
{
    const git_index_entry *entry = ours ? ours : theirs ? theirs : ancestor;

    return entry ? entry->path : "?";
}

/* Says in which file later changes are in the way, and in how many more. */
static int does_not_revert(git_index *index, const char *id, struct culprit_error *error)
{
    CULPRIT_CLEANUP(git_index_conflict_iterator_free) git_index_conflict_iterator *conflicts = NULL;
    const git_index_entry *ancestor, *ours, *theirs;
    char first[512] = "?", more[40] = "";
    unsigned count = 0;

    if (git_index_conflict_iterator_new(&conflicts, index) == 0)
        while (git_index_conflict_next(&ancestor, &ours, &theirs, conflicts) == 0)
            if (count++ == 0)
                snprintf(first, sizeof first, "%s", conflict_path(ancestor, ours, theirs));
    if (count > 1)
        snprintf(more, sizeof more, " and in %u more place%s", count - 1, count == 2 ? "" : "s");
    return culprit_fail(error, CULPRIT_FAILED,
                        "commit %.12s does not revert: later changes are in the way in %s%s", id,
                        first, more);
}

static int write_tree(struct repository *repository, git_index *index, const char *id,
                      git_tree **ret, struct culprit_error *error)
{
    git_oid tree;
    int status;

    if (git_index_has_conflicts(index))
        return does_not_revert(index, id, error);
    status = git_index_write_tree_to(&tree, index, repository->git);
    if (status == 0)
        status = git_tree_lookup(ret, repository->git, &tree);
    if (status < 0)
        return git_fail(error, status, "commit %.12s reverted gives no valid tree", id);
    return 0;
}

int revert_commit(struct repository *repository, git_commit *commit, const char *reverts_id,
                  git_tree **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(git_commit_free) git_commit *reverts = NULL;
    CULPRIT_CLEANUP(git_index_free) git_index *index = NULL;
    git_merge_options options;
    unsigned parents;
    int status, result = git_find_commit(repository, reverts_id, &reverts, error);

    if (result == 0)
        result = scratch_ensure(repository, error);
    if (result < 0)
        return result;
    parents = git_commit_parentcount(reverts);
    if (parents == 0)
        return culprit_fail(error, CULPRIT_FAILED,
                            "commit %.12s does not revert: it has no parent to go back to",
                            reverts_id);
    status = git_merge_options_init(&options, GIT_MERGE_OPTIONS_VERSION);
    options.flags = GIT_MERGE_FIND_RENAMES;
    if (status == 0)
        status = git_revert_commit(&index, repository->git, reverts, commit, parents > 1 ? 1 : 0,
                                   &options);
    if (status < 0)
        return git_fail_object(error, repository, status, "commit %.12s cannot be reverted",
                               reverts_id);
    return write_tree(repository, index, reverts_id, ret, error);
}
