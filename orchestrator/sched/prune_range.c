/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/prune_range.h"

#include <string.h>

#include "source/changes.h"

enum {
    COMMIT_PATHS_MAXIMUM = 500,    /* a commit with more has one that matters, or might as well */
    RANGE_PATHS_MAXIMUM = 4000000, /* in memory at a time: some 400 MB */
};

struct pruning {
    struct repository *repository;
    const struct work_prune *request;
    bool first_parent;
    struct cancel *cancel;
    struct string_set ids;          /* of the range */
    struct commit_changes *changes; /* [request->count] */
    size_t path_count;
    struct relevance_range range;
};

static void pruning_clear_cleanup(struct pruning *pruning)
{
    string_set_clear(&pruning->ids);
    for (unsigned c = 0; pruning->changes && c < pruning->request->count; c++)
        commit_changes_clear(&pruning->changes[c]);
    free(pruning->changes);
    relevance_range_clear(&pruning->range);
}

static int out_of_memory(struct culprit_error *error)
{
    return culprit_fail(error, CULPRIT_NO_MEMORY,
                        "cannot tell which commits matter: out of memory");
}

static int check_cancelled(const struct pruning *pruning, struct culprit_error *error)
{
    if (cancel_requested(pruning->cancel))
        return culprit_fail(error, CULPRIT_CANCELLED, "no longer wanted");
    return 0;
}

static int set_up(struct pruning *pruning, struct culprit_error *error)
{
    const struct work_prune *request = pruning->request;

    pruning->range.inputs = request->inputs;
    pruning->changes = calloc(request->count + 1, sizeof *pruning->changes);
    if (!pruning->changes)
        return out_of_memory(error);
    for (unsigned c = 0; c < request->count; c++)
        if (!string_set_add(&pruning->ids, request->ids[c], strlen(request->ids[c])))
            return out_of_memory(error);
    return 0;
}

/* What a merge alone changes is told from what it merges only by looking at all its parents: rules
 * of the merged commits were noted with those. */
static int note_rules(struct pruning *pruning, const struct commit_changes *changes,
                      struct culprit_error *error)
{
    int r = 0;

    for (size_t i = 0; r == 0 && changes->parent_count == 1 && i < changes->count; i++)
        r = relevance_note_rules(&pruning->range, changes->paths[i].path, error);
    return r;
}

static int collect(struct pruning *pruning, struct culprit_error *error)
{
    int r = 0;

    for (unsigned c = 1; r == 0 && c < pruning->request->count; c++) {
        struct commit_changes *changes = &pruning->changes[c];

        r = check_cancelled(pruning, error);
        if (r == 0)
            r = repository_changes(pruning->repository, pruning->request->ids[c],
                                   pruning->first_parent, COMMIT_PATHS_MAXIMUM, changes, error);
        if (r == 0)
            r = note_rules(pruning, changes, error);
        pruning->path_count += changes->count;
        if (r == 0 && pruning->path_count > RANGE_PATHS_MAXIMUM)
            return culprit_fail(error, CULPRIT_LIMIT,
                                "the range's commits change more than %d paths",
                                RANGE_PATHS_MAXIMUM);
    }
    return r;
}

static bool has_outside_parent(const struct pruning *pruning, const struct commit_changes *changes)
{
    for (unsigned p = 0; p < changes->parent_count; p++)
        if (!string_set_has(&pruning->ids, changes->parents[p], strlen(changes->parents[p])))
            return true;
    return false;
}

static int judge_path(struct pruning *pruning, const struct changed_path *path, enum relevance *ret,
                      struct culprit_error *error)
{
    const char *bad = pruning->request->ids[pruning->request->count - 1];
    bool there = true;
    int r = 0;

    *ret = RELEVANCE_MATTERS;
    if (path->change == PATH_RETYPED)
        return 0;
    *ret = relevance_of_path(&pruning->range, path->path, path->change == PATH_ADDED);
    if (*ret == RELEVANCE_NOT_COMPILED)
        r = repository_has_path(pruning->repository, bad, path->path, &there, error);
    if (r == 0 && !there)
        *ret = RELEVANCE_MATTERS;
    return r;
}

static int judge(struct pruning *pruning, const struct commit_changes *changes, enum relevance *ret,
                 struct culprit_error *error)
{
    enum relevance joined = RELEVANCE_EMPTY;
    int r = check_cancelled(pruning, error);

    if (!changes->complete || has_outside_parent(pruning, changes))
        joined = RELEVANCE_MATTERS;
    for (size_t i = 0; r == 0 && joined != RELEVANCE_MATTERS && i < changes->count; i++) {
        enum relevance one;

        r = judge_path(pruning, &changes->paths[i], &one, error);
        if (r == 0)
            joined = relevance_join(joined, one);
    }
    *ret = joined;
    return r;
}

int prune_range(struct repository *repository, const struct work_prune *request, bool first_parent,
                struct cancel *cancel, enum relevance *ret_relevance, struct culprit_error *error)
{
    CULPRIT_CLEANUP(pruning_clear)
    struct pruning pruning = {
        .repository = repository,
        .request = request,
        .first_parent = first_parent,
        .cancel = cancel,
    };
    int r = set_up(&pruning, error);

    if (r == 0)
        r = collect(&pruning, error);
    for (unsigned c = 0; r == 0 && c < request->count; c++) {
        ret_relevance[c] = RELEVANCE_MATTERS;
        if (c > 0)
            r = judge(&pruning, &pruning.changes[c], &ret_relevance[c], error);
    }
    return r;
}
