/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Good or bad: where the line lies, and on which side a commit's trials fall.
 *
 * The sides of a tail-latency regression differ wildly in variance (good 7900 ± 4300 µs, bad 16000
 * ± 190), and half-way between their medians a good kernel is called bad once in twenty times. So
 * the line is where a value is equally likely from either side, by Student's t around each side's
 * median with each side's own spread.
 */
#ifndef CULPRIT_PLAN_LABEL_H
#define CULPRIT_PLAN_LABEL_H

#include "plan/planner.h"

/* Spreads below this part of the distance between the sides are taken as this much: a handful of
 * trials that happen to agree do not make a side that sharp. */
#define LABEL_SPREAD_FLOOR 0.02

/* The line, in turned values; both sides have at least two, and bad's median is the greater. */
int label_threshold(struct evidence_values good, struct evidence_values bad, double *ret,
                    struct culprit_error *error);

/* The label that the search trials alone give a commit's class; UNTESTED while they are too few. */
enum bisect_label label_by_search(const struct planner *planner, unsigned commit);

/*
 * With verification trials taken in as well, one full set at a time and two at most, up to the
 * first set that overturns the label; *ret_used is how many trials it took, 0 where nothing was
 * overturned. More of them never turn a label back, so that what was decided stays so.
 */
enum bisect_label label_by_all(const struct planner *planner, unsigned commit, size_t *ret_used);

/* Search trials that are certain to be needed before the commit can have a label: the median of n
 * is decided once more than half lie on one side, whatever the rest would say. */
size_t label_trials_missing(const struct planner *planner, unsigned commit);

/* planner->labels for all commits, the endpoints' fixed; good and bad are known to differ. */
void label_commits(struct planner *planner);

#endif
