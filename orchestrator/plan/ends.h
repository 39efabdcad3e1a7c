/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Good and bad, measured: how far they are apart, how far they must be, and what is said of them
 * when the gate closes. */
#ifndef CULPRIT_PLAN_ENDS_H
#define CULPRIT_PLAN_ENDS_H

#include "plan/planner.h"

/* The values of both ends, as many as a look takes. */
struct ends {
    struct evidence_values good, bad;
};

/* Above this one-sided p nothing hints at a regression, and more trials are not asked for. */
#define ENDS_NOTHING_SEEN 0.05

/* By how much bad is worse, and by how much it must be to count, in the metric's unit. */
double ends_effect(const struct planner *planner, const struct bisect_check *check);
double ends_least_effect(const struct planner *planner, const struct bisect_check *check);
bool ends_big_enough(const struct planner *planner, const struct bisect_check *check);

/* Nothing to bisect on, by step->endpoint, the last look; `excluded`: a regression of the size that
 * counts is ruled out. */
int ends_close(struct planner *planner, const struct ends *ends, bool excluded,
               struct culprit_error *error);

/* The same of events, and whether a regression that counts is ruled out, one-sided at a level. */
int ends_close_on_events(struct planner *planner, const struct ends *ends, bool excluded);
int ends_events_excluded(const struct ends *ends, double level, bool *ret,
                         struct culprit_error *error);

/* What is left to be found is smaller than what `most` trials a side can show: no search begins on
 * it, and no more trials are spent on the ends. */
int ends_close_beneath(struct planner *planner, const struct ends *ends, unsigned most,
                       struct culprit_error *error);

#endif
