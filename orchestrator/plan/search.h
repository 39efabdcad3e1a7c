/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the fault can still be, and which commit halves that best: git's bisection on labels. */
#ifndef CULPRIT_PLAN_SEARCH_H
#define CULPRIT_PLAN_SEARCH_H

#include "plan/planner.h"

/*
 * planner->suspects from planner->labels: a commit that is an ancestor of (or is) every bad one,
 * of no good one, and was not seen to leave the image as it was. An empty set means that the labels
 * fit no single change.
 */
int search_suspects(struct planner *planner, struct culprit_error *error);

/*
 * The commit to test next; false when no commit that can be tested would divide the suspects.
 * Broken commits are never chosen, and those near a broken one less gladly: breakage comes in
 * stretches. only_built leaves out what would need a build.
 */
int search_next(const struct planner *planner, bool only_built, bool *ret_found, unsigned *ret,
                struct culprit_error *error);

/* Builds and trials that the search is expected to take from here. */
void search_estimate(struct planner *planner);

#endif
