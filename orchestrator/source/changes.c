/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/changes.h"

#include <string.h>

#include "source/git.h"

/* What libgit2 calls back with, delta by delta. */
struct collection {
    struct commit_changes *changes;
    size_t maximum;
    bool full, no_memory;
};

void commit_changes_clear(struct commit_changes *changes)
{
    for (size_t i = 0; i < changes->count; i++)
        free(changes->paths[i].path);
    free(changes->paths);
    free(changes->parents);
    *changes = (struct commit_changes){0};
}

static bool is_plain(const git_diff_file *file)
{
    return file->mode == GIT_FILEMODE_UNREADABLE || file->mode == GIT_FILEMODE_BLOB ||
           file->mode == GIT_FILEMODE_BLOB_EXECUTABLE;
}

static enum path_change change_of(const git_diff_delta *delta)
{
    if (!is_plain(&delta->old_file) || !is_plain(&delta->new_file))
        return PATH_RETYPED;
    switch (delta->status) {
    case GIT_DELTA_ADDED:
        return PATH_ADDED;
    case GIT_DELTA_DELETED:
        return PATH_DELETED;
    case GIT_DELTA_MODIFIED:
        return PATH_MODIFIED;
    default:
        return PATH_RETYPED;
    }
}

static bool add_path(struct commit_changes *changes, const char *path, enum path_change change)
{
    bool full = (changes->count & (changes->count - 1)) == 0; /* at 0 and at powers of two */

    if (full) {
        size_t capacity = changes->count ? 2 * changes->count : 1;
        struct changed_path *paths = reallocarray(changes->paths, capacity, sizeof *paths);

        if (!paths)
            return false;
        changes->paths = paths;
    }
    changes->paths[changes->count] = (struct changed_path){strdup(path), change};
    return changes->paths[changes->count].path && ++changes->count;
}

/* 1: the delta itself is not kept; negative: the comparison ends. */
static int on_delta(const git_diff *diff, const git_diff_delta *delta, const char *pathspec,
                    void *context)
{
    struct collection *collection = context;
    const char *path = delta->new_file.path ? delta->new_file.path : delta->old_file.path;

    (void)diff;
    (void)pathspec;
    collection->full = collection->changes->count >= collection->maximum;
    if (collection->full)
        return -1;
    collection->no_memory = !add_path(collection->changes, path, change_of(delta));
    return collection->no_memory ? -1 : 1;
}

static int compare(struct repository *repository, git_commit *commit, unsigned parent_index,
                   struct collection *collection, struct culprit_error *error)
{
    CULPRIT_CLEANUP(git_diff_free) git_diff *diff = NULL;
    git_diff_options options;
    int status = git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);

    options.flags = GIT_DIFF_SKIP_BINARY_CHECK;
    options.notify_cb = on_delta;
    options.payload = collection;
    if (status == 0)
        status = git_diff_with_parent(repository, commit, parent_index, &options, &diff);
    if (collection->no_memory)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the paths of a commit");
    if (collection->full || status == 0)
        return 0;
    return git_fail_object(error, repository, status,
                           "cannot compare a commit of repository %s with its parent",
                           repository->name);
}

static int name_parents(git_commit *commit, unsigned count, struct commit_changes *changes,
                        struct culprit_error *error)
{
    changes->parents = calloc(count + 1, sizeof *changes->parents);
    if (!changes->parents)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the parents of a commit");
    for (; changes->parent_count < count; changes->parent_count++)
        git_id_text(git_commit_parent_id(commit, changes->parent_count),
                    changes->parents[changes->parent_count]);
    return 0;
}

int repository_changes(struct repository *repository, const char *commit_id, bool first_parent,
                       size_t maximum, struct commit_changes *ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(commit_changes_clear) struct commit_changes changes = {0};
    CULPRIT_CLEANUP(git_commit_free) git_commit *commit = NULL;
    struct collection collection = {.changes = &changes, .maximum = maximum};
    unsigned parents;
    int result = git_find_commit(repository, commit_id, &commit, error);

    if (result < 0)
        return result;
    parents = git_commit_parentcount(commit);
    if (first_parent && parents > 1)
        parents = 1;
    result = name_parents(commit, parents, &changes, error);
    for (unsigned p = 0; result == 0 && p < parents && !collection.full; p++)
        result = compare(repository, commit, p, &collection, error);
    if (result < 0)
        return result;
    changes.complete = parents > 0 && !collection.full;
    *ret = changes;
    changes = (struct commit_changes){0};
    return 0;
}

int repository_has_path(struct repository *repository, const char *commit_id, const char *path,
                        bool *ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(git_commit_free) git_commit *commit = NULL;
    CULPRIT_CLEANUP(git_tree_free) git_tree *tree = NULL;
    CULPRIT_CLEANUP(git_tree_entry_free) git_tree_entry *entry = NULL;
    int status, result = git_find_commit(repository, commit_id, &commit, error);

    if (result < 0)
        return result;
    status = git_commit_tree(&tree, commit);
    if (status == 0)
        status = git_tree_entry_bypath(&entry, tree, path);
    *ret = status == 0;
    /* A tree that a partial clone lacks is told from a path that the commit lacks by the class. */
    if (status == 0 || (status == GIT_ENOTFOUND && tree && git_error_last() &&
                        git_error_last()->klass == GIT_ERROR_TREE))
        return 0;
    return git_fail_object(error, repository, status, "cannot look for %s in repository %s", path,
                           repository->name);
}
