/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is one kernel worse than another? The one-sided exact Mann–Whitney test behind the two gates of
 * a bisection: bad against good before the search, the culprit against its parents after it.
 *
 * A test may be looked at twice, the second time with twice the trials; then each look gets half
 * the level (Bonferroni), so that both together err no more often than the job allows.
 */
#ifndef CULPRIT_PLAN_CHECK_H
#define CULPRIT_PLAN_CHECK_H

#include "plan/planner.h"

/* Trials a side that a look needs: the job's trials a commit, or more where so few cannot reach
 * the level whatever they say. */
unsigned check_trials(const struct bisect_problem *problem);

/* Fills ret from two sides of turned values, each with at least one. */
int check_compare(const struct planner *planner, unsigned worse,
                  struct evidence_values worse_values, unsigned base,
                  struct evidence_values base_values, double level, struct bisect_check *ret,
                  struct culprit_error *error);

enum gate {
    GATE_OPEN,   /* bad is worse than good; *ret_looked_at trials a side said so */
    GATE_WAITS,  /* builds or trials are wanted */
    GATE_CLOSED, /* a verdict stands in the step */
};

/* The endpoints: both build, differ, and bad is worse by the test and by more than min_effect. */
int check_endpoints(struct planner *planner, enum gate *ret, unsigned *ret_looked_at,
                    struct culprit_error *error);

#endif
