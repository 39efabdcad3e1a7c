/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/apply.h"

#include <string.h>

#include "source/patch_text.h"
#include "source/scratch.h"

/* Where libgit2 stands in a patch, for the message when it fails there. */
struct progress {
    char file[512];
    unsigned hunk; /* of that file, from 1; 0: none yet */
    int line;      /* where the hunk should begin */
};

static int on_delta(const git_diff_delta *delta, void *payload)
{
    struct progress *progress = payload;
    const char *path = delta->new_file.path ? delta->new_file.path : delta->old_file.path;

    snprintf(progress->file, sizeof(progress->file), "%s", path ? path : "");
    progress->hunk = 0;
    return 0;
}

static int on_hunk(const git_diff_hunk *hunk, void *payload)
{
    struct progress *progress = payload;

    progress->hunk++;
    progress->line = hunk->old_start;
    return 0;
}

static int does_not_apply(const struct progress *progress, struct culprit_error *error)
{
    const git_error *last = git_error_last();
    const char *why = last && last->message ? last->message : "it does not match";

    if (!progress->file[0])
        return culprit_fail(error, CULPRIT_FAILED, "does not apply: %s", why);
    if (progress->hunk == 0)
        return culprit_fail(error, CULPRIT_FAILED, "does not apply to %s: %s", progress->file, why);
    return culprit_fail(error, CULPRIT_FAILED,
                        "does not apply: hunk %u of %s (at line %d) does not match", progress->hunk,
                        progress->file, progress->line);
}

/* One part: a diff in which no file appears twice. */
static int apply_part(struct repository *repository, git_tree *tree, const char *text,
                      git_tree **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(git_diff_free) git_diff *diff = NULL;
    CULPRIT_CLEANUP(git_index_free) git_index *index = NULL;
    struct progress progress = {0};
    git_apply_options options = {
        .version = GIT_APPLY_OPTIONS_VERSION,
        .delta_cb = on_delta,
        .hunk_cb = on_hunk,
        .payload = &progress,
    };
    git_oid id;
    int status;

    status = git_diff_from_buffer(&diff, text, strlen(text));
    if (status < 0) {
        git_fail(error, status, "cannot be read");
        if (error)
            error->code = CULPRIT_FAILED;
        return -CULPRIT_FAILED;
    }
    status = git_apply_to_tree(&index, repository->git, tree, diff, &options);
    if (status < 0)
        return does_not_apply(&progress, error);
    status = git_index_write_tree_to(&id, index, repository->git);
    if (status == 0)
        status = git_tree_lookup(ret, repository->git, &id);
    if (status < 0)
        return git_fail(error, status, "gives no valid tree");
    return 0;
}

static int apply_one(struct repository *repository, git_tree **tree, const char *text,
                     struct culprit_error *error)
{
    _cleanup_strv_ struct strv parts = {0};
    int result = patch_text_split(text, &parts, error);

    for (size_t i = 0; result == 0 && i < parts.count; i++) {
        git_tree *next = NULL;

        result = apply_part(repository, *tree, parts.items[i], &next, error);
        if (result < 0) {
            if (parts.count > 1)
                culprit_error_prefix(error, "part %zu", i + 1);
            return result;
        }
        git_tree_free(*tree);
        *tree = next;
    }
    return result;
}

int apply_patches(struct repository *repository, git_tree *tree, const struct strv *patches,
                  git_tree **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(git_tree_free) git_tree *current = NULL;
    int result, status;

    if (patches->count > PATCHES_MAXIMUM)
        return culprit_fail(error, CULPRIT_LIMIT, "%zu patches are more than %d", patches->count,
                            PATCHES_MAXIMUM);
    result = scratch_ensure(repository, error);
    if (result < 0)
        return result;
    status = git_tree_dup(&current, tree);
    if (status < 0)
        return git_fail(error, status, "cannot apply patches");
    for (size_t i = 0; i < patches->count; i++) {
        result = apply_one(repository, &current, patches->items[i], error);
        if (result < 0) {
            culprit_error_prefix(error, "patch %zu", i + 1);
            return result;
        }
    }
    *ret = take(current);
    return 0;
}
