/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/file.h"
#include "source/history.h"

enum { RANGE_MAXIMUM = 100000 };

struct numbering {
    struct history_node **order; /* [count]; NULL at 0, which is good or the merge base */
    size_t count, capacity;
    struct history_node **stack;
    unsigned *next_parent; /* per stack level */
    size_t depth, stack_capacity;
    bool first_parent;
};

static void numbering_clear(struct numbering *numbering)
{
    free(numbering->order);
    free(numbering->stack);
    free(numbering->next_parent);
}

static inline void numbering_clear_cleanup(struct numbering *numbering)
{
    numbering_clear(numbering);
}

static bool is_candidate(const struct history_node *node)
{
    return (node->flags & (REACHED_FROM_GOOD | REACHED_FROM_BAD)) == REACHED_FROM_BAD;
}

static bool push(struct numbering *numbering, struct history_node *node)
{
    if (numbering->depth == numbering->stack_capacity) {
        size_t capacity = numbering->stack_capacity ? numbering->stack_capacity * 2 : 1024;
        struct history_node **stack = reallocarray(numbering->stack, capacity,
                                                   sizeof(struct history_node *));
        unsigned *next = NULL;

        if (!stack)
            return false;
        numbering->stack = stack;
        next = reallocarray(numbering->next_parent, capacity, sizeof(unsigned));
        if (!next)
            return false;
        numbering->next_parent = next;
        numbering->stack_capacity = capacity;
    }
    numbering->stack[numbering->depth] = node;
    numbering->next_parent[numbering->depth++] = 0;
    node->flags |= HISTORY_NUMBERED;
    return true;
}

static bool append(struct numbering *numbering, struct history_node *node)
{
    if (numbering->count == numbering->capacity) {
        size_t capacity = numbering->capacity ? numbering->capacity * 2 : 1024;
        struct history_node **order = reallocarray(numbering->order, capacity,
                                                   sizeof(struct history_node *));

        if (!order)
            return false;
        numbering->order = order;
        numbering->capacity = capacity;
    }
    if (node)
        node->number = (unsigned)numbering->count;
    numbering->order[numbering->count++] = node;
    return true;
}

/* Depth first from bad, parents in their order, a commit after its parents: a side branch lies in
 * one piece before its merge, and bad is the last. */
static bool number_commits(struct numbering *numbering, struct history_node *bad)
{
    if (!append(numbering, NULL) || !push(numbering, bad))
        return false;
    while (numbering->depth > 0) {
        struct history_node *node = numbering->stack[numbering->depth - 1];
        unsigned *next = &numbering->next_parent[numbering->depth - 1];
        unsigned followed = numbering->first_parent && node->parent_count ? 1 : node->parent_count;

        if (*next < followed) {
            struct history_node *parent = node->parents[(*next)++];

            if (is_candidate(parent) && !(parent->flags & HISTORY_NUMBERED) &&
                !push(numbering, parent))
                return false;
        } else {
            numbering->depth--;
            if (!append(numbering, node))
                return false;
        }
    }
    return true;
}

static int describe(struct repository *repository, const git_oid *id, struct commit_info *ret,
                    struct culprit_error *error)
{
    CULPRIT_CLEANUP(git_commit_free) git_commit *commit = NULL;
    const git_signature *author;
    const char *summary;
    int status;

    git_id_text(id, ret->id);
    status = git_commit_lookup(&commit, repository->git, id);
    if (status < 0)
        return git_fail_object(error, repository, status, "cannot read commit %s of repository %s",
                               ret->id, repository->name);
    author = git_commit_author(commit);
    summary = git_commit_summary(commit);
    ret->subject = strdup(summary ? summary : "");
    ret->author = text_format("%s <%s>", author->name, author->email);
    ret->author_time = author->when.time > 0 ? (uint64_t)author->when.time : 0;
    if (!ret->subject || !ret->author)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the range of commits");
    return 0;
}

int repository_commit(struct repository *repository, const char *commit_id, struct commit_info *ret,
                      struct culprit_error *error)
{
    CULPRIT_CLEANUP(git_commit_free) git_commit *commit = NULL;
    struct commit_info info = {0};
    int status;

    status = git_find_commit(repository, commit_id, &commit, error);
    if (status == 0)
        status = describe(repository, git_commit_id(commit), &info, error);
    if (status < 0) {
        free(info.subject);
        free(info.author);
        return status;
    }
    *ret = info;
    return 0;
}

/* Numbers of the parents, each once: several parents outside the range are one ancestor of good. */
static int link_parents(const struct numbering *numbering, const struct history_node *node,
                        struct commit_info *ret, struct culprit_error *error)
{
    unsigned followed = node->parent_count;

    if (numbering->first_parent && followed > 1)
        followed = 1;
    ret->parents = calloc(followed + 1, sizeof(unsigned));
    if (!ret->parents)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the range of commits");
    for (unsigned i = 0; i < followed; i++) {
        const struct history_node *parent = node->parents[i];
        unsigned number = is_candidate(parent) ? parent->number : 0;
        bool known = false;

        for (unsigned j = 0; j < ret->parent_count; j++)
            known = known || ret->parents[j] == number;
        if (!known)
            ret->parents[ret->parent_count++] = number;
    }
    /* A second root (a history grafted in by a merge) has nothing before it but good. */
    if (ret->parent_count == 0)
        ret->parent_count = 1;
    return 0;
}

static int fill(struct repository *repository, const struct numbering *numbering,
                const git_oid *first, struct commit_range *range, struct culprit_error *error)
{
    range->commits = calloc(numbering->count, sizeof(struct commit_info));
    if (!range->commits)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the range of commits");
    for (size_t i = 0; i < numbering->count; i++) {
        const struct history_node *node = numbering->order[i];
        struct commit_info *info = &range->commits[range->count++];
        int result = describe(repository, node ? &node->id : first, info, error);

        if (result == 0 && node)
            result = link_parents(numbering, node, info, error);
        if (result < 0)
            return result;
    }
    return 0;
}

static int check_ends(const struct repository *repository, struct history *history,
                      const struct history_node *bad, struct culprit_error *error)
{
    if (!history_merge_base(history))
        return culprit_fail(error, CULPRIT_INVALID,
                            "good and bad share no history in repository %s%s", repository->name,
                            repository->shallow ? " (it is a shallow clone)" : "");
    if (bad->flags & REACHED_FROM_GOOD)
        return culprit_fail(error, CULPRIT_INVALID,
                            "good is a descendant of bad in repository %s: there is nothing "
                            "between them in which a regression could have come in; are the two "
                            "swapped?",
                            repository->name);
    return 0;
}

int repository_range(struct repository *repository, const char *good_id, const char *bad_id,
                     bool first_parent, struct commit_range *ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(history_free) struct history *history = NULL;
    CULPRIT_CLEANUP(numbering_clear) struct numbering numbering = {.first_parent = first_parent};
    CULPRIT_CLEANUP(git_commit_free) git_commit *good_commit = NULL;
    CULPRIT_CLEANUP(git_commit_free) git_commit *bad_commit = NULL;
    struct commit_range range = {0};
    struct history_node *good, *bad, *first;
    int result;

    if (strcmp(good_id, bad_id) == 0)
        return culprit_fail(error, CULPRIT_INVALID, "good and bad are the same commit, %s",
                            good_id);
    result = git_find_commit(repository, good_id, &good_commit, error);
    if (result == 0)
        result = git_find_commit(repository, bad_id, &bad_commit, error);
    if (result == 0)
        result = history_walk(repository, git_commit_id(good_commit), git_commit_id(bad_commit),
                              RANGE_MAXIMUM, &history, error);
    if (result < 0)
        return result;
    good = history_find(history, git_commit_id(good_commit));
    bad = history_find(history, git_commit_id(bad_commit));
    result = check_ends(repository, history, bad, error);
    if (result < 0)
        return result;
    if (!number_commits(&numbering, bad))
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the range of commits");
    range.good_is_merge_base = !(good->flags & REACHED_FROM_BAD);
    memcpy(range.good_asked, good_id, COMMIT_ID_SIZE);
    first = range.good_is_merge_base ? history_merge_base(history) : good;
    result = fill(repository, &numbering, &first->id, &range, error);
    if (result < 0) {
        commit_range_clear(&range);
        return result;
    }
    *ret = range;
    return 0;
}

void commit_range_clear(struct commit_range *range)
{
    for (unsigned i = 0; i < range->count; i++) {
        free(range->commits[i].subject);
        free(range->commits[i].author);
        free(range->commits[i].parents);
    }
    free(range->commits);
    *range = (struct commit_range){0};
}
