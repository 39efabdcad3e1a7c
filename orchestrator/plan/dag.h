/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commit graph of a bisection. Parents have lower numbers than their children, so that one
 * sweep over the numbers answers each question; sets are bool arrays of problem->count, owned by
 * the caller.
 */
#ifndef CULPRIT_PLAN_DAG_H
#define CULPRIT_PLAN_DAG_H

#include <stdbool.h>

#include "base/error.h"
#include "plan/bisect.h"

/* INVALID unless the graph is one: numbers in order, at least two commits, each but 0 with
 * parents. LIMIT above DAG_COUNT_MAXIMUM. */
enum { DAG_COUNT_MAXIMUM = 200000 };
int dag_check(const struct bisect_problem *problem, struct culprit_error *error);

/* Adds a commit and all its ancestors to a set that already holds the ancestors of its members; or
 * all its descendants to one that holds the descendants. Empty sets do, and what these make. */
void dag_add_ancestors(const struct bisect_problem *problem, unsigned commit, bool *set);
void dag_add_descendants(const struct bisect_problem *problem, unsigned commit, bool *set);

/* A few numbers that commits carry, all summed in one sweep. */
enum { DAG_WEIGHTS = 7 };
struct dag_weight {
    double of[DAG_WEIGHTS];
};

/*
 * ret_sums[c]: the weights of c and all its ancestors, each once; both arrays are
 * [problem->count]. A line costs one addition a commit; a merge, a walk over what it brings in.
 */
int dag_weigh(const struct bisect_problem *problem, const struct dag_weight *weights,
              struct dag_weight *ret_sums, struct culprit_error *error);

#endif
