/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/file.h"
#include "source/apply.h"
#include "source/manifest.h"
#include "source/revert.h"
#include "source/scratch.h"
#include "source/worktree.h"

/* The state is only a memory of which file held what when it was last seen: each of its lines is
 * checked against the file itself. So a check-out that was cut off, or one whose state is lost or
 * torn, is repaired by the next: files that the state does not vouch for are hashed. */
static int load_state(const char *path, struct manifest *ret, struct culprit_error *error)
{
    struct culprit_error local = {0};
    int result = manifest_load(path, ret, &local);

    if (result == -CULPRIT_NOT_FOUND || result == -CULPRIT_INVALID)
        return 0;
    if (result < 0 && error)
        *error = local;
    return result;
}

static int update_directory(struct repository *repository, struct manifest *wanted,
                            const char *directory, const char *state, struct cancel *cancel,
                            struct culprit_error *error)
{
    CULPRIT_CLEANUP(manifest_clear) struct manifest known = {0};
    _cleanup_close_ int fd = -1;
    int result = file_make_directories(directory, 0755, error);

    if (result == 0)
        result = load_state(state, &known, error);
    if (result < 0)
        return result;
    fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return culprit_fail_errno(error, errno, "cannot open the directory %s", directory);
    result = worktree_scan(fd, &known, wanted, cancel, error);
    if (result == 0)
        result = worktree_write(repository, fd, wanted, cancel, error);
    if (result == 0)
        result = manifest_save(wanted, state, error);
    return result;
}

/* The commit's tree, without the change that is to be taken back. */
static int base_tree(struct repository *repository, const struct checkout *what, git_tree **ret,
                     struct culprit_error *error)
{
    CULPRIT_CLEANUP(git_commit_free) git_commit *commit = NULL;
    int status, result = git_find_commit(repository, what->commit_id, &commit, error);

    if (result < 0)
        return result;
    if (what->reverts_id)
        return revert_commit(repository, commit, what->reverts_id, ret, error);
    status = git_commit_tree(ret, commit);
    if (status < 0)
        return git_fail_object(error, repository, status, "cannot read the tree of commit %s",
                               what->commit_id);
    return 0;
}

static int wanted_files(struct repository *repository, const struct checkout *what,
                        struct manifest *ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(git_tree_free) git_tree *tree = NULL;
    CULPRIT_CLEANUP(git_tree_free) git_tree *patched = NULL;
    int result = base_tree(repository, what, &tree, error);

    if (result < 0)
        return result;
    if (what->patches && what->patches->count > 0) {
        result = apply_patches(repository, tree, what->patches, &patched, error);
        if (result < 0)
            return result;
    }
    return manifest_from_tree(repository, patched ? patched : tree, ret, error);
}

static char *state_path(const char *directory)
{
    size_t length = strlen(directory);

    while (length > 1 && directory[length - 1] == '/')
        length--;
    return text_format("%.*s.state", (int)length, directory);
}

int repository_checkout(struct repository *repository, const struct checkout *what,
                        const char *directory, struct cancel *cancel, struct culprit_error *error)
{
    CULPRIT_CLEANUP(manifest_clear) struct manifest wanted = {0};
    _cleanup_free_ char *state = state_path(directory);
    int result;

    if (!state)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to check out commit %s",
                            what->commit_id);
    result = wanted_files(repository, what, &wanted, error);
    if (result == 0)
        result = update_directory(repository, &wanted, directory, state, cancel, error);
    scratch_forget(repository);
    if (result < 0)
        culprit_error_prefix(error, "cannot check out commit %.12s", what->commit_id);
    return result;
}
