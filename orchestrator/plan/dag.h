/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commit graph of a bisection, as sets of numbered commits: bool arrays of problem->count,
 * owned by the caller. Parents have lower numbers than their children, so that one sweep over the
 * numbers answers each question in time proportional to the commits and their parents.
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

/* ret_weights[c]: how many members of `set` are c or its ancestors; [problem->count]. */
int dag_weigh(const struct bisect_problem *problem, const bool *set, unsigned *ret_weights,
              struct culprit_error *error);

#endif
