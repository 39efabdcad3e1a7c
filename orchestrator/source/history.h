/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of a commit graph that lies between two commits: which commits are reachable from `bad`
 * alone, and the best common ancestors. Internal to source/.
 *
 * The walk is ours and not libgit2's because libgit2 before 1.7 does not know where a shallow
 * clone ends, and because one walk gives both answers.
 */
#ifndef CULPRIT_SOURCE_HISTORY_H
#define CULPRIT_SOURCE_HISTORY_H

#include "source/git.h"

enum {
    REACHED_FROM_GOOD = 1u << 0,
    REACHED_FROM_BAD = 1u << 1,
    BEYOND_MERGE_BASE = 1u << 2, /* a proper ancestor of a common ancestor */
    HISTORY_QUEUED = 1u << 3,
    HISTORY_NUMBERED = 1u << 4, /* for the caller's use */
};

struct history_node {
    git_oid id;
    git_time_t time;
    unsigned flags;
    unsigned parent_count;
    unsigned parsed; /* 1 once parents and time were read */
    struct history_node **parents;
    unsigned number; /* for the caller's use */
};

struct history;

/* Walks from both until every commit is either one side's alone or common. LIMIT when more than
 * `maximum` commits are bad's alone. */
int history_walk(struct repository *repository, const git_oid *good, const git_oid *bad,
                 unsigned maximum, struct history **ret, struct culprit_error *error);
void history_free(struct history *history);
DEFINE_CLEANUP(struct history *, history_free);

/* Lends the node, or NULL when the walk did not meet it. */
struct history_node *history_find(struct history *history, const git_oid *id);

/* The newest common ancestor that no other common ancestor descends from; NULL: none. */
struct history_node *history_merge_base(struct history *history);

#endif
