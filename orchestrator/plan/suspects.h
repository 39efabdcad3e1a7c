/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The smallest set of commits that holds the culprit with the job's confidence. */
#ifndef CULPRIT_PLAN_SUSPECTS_H
#define CULPRIT_PLAN_SUSPECTS_H

#include "plan/planner.h"

/*
 * planner->suspects, their number and their probability, from planner->posterior: the most probable
 * commits first, and of a cell's equally probable members all. Where the single changes together do
 * not reach the confidence, because there may be none or several, as much of them as would be it.
 */
int suspects_find(struct planner *planner, struct culprit_error *error);

/* Makes these the suspects. */
void suspects_set(struct planner *planner, const unsigned *commits, unsigned count,
                  double probability);

/* step->suspects and step->posterior, anew. */
int suspects_list(struct planner *planner, struct culprit_error *error);

/* How many bits are missing: the entropy of the single changes. */
double suspects_entropy(const struct planner *planner);

#endif
