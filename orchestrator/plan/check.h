/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is one kernel worse than another? The one-sided exact Mann–Whitney test behind the two gates of
 * a bisection: bad against good before the search, the culprit against its parents after it. Where
 * the values are events that is Fisher's exact test.
 *
 * A test may be looked at several times, each time with more trials; then the looks share the
 * level, so that together they err no more often than the job allows.
 */
#ifndef CULPRIT_PLAN_CHECK_H
#define CULPRIT_PLAN_CHECK_H

#include "plan/planner.h"
#include "stats/proportion.h"

/* The first of several looks gets this part of the level. */
#define CHECK_FIRST_SHARE 0.4

/* One-sided: 1 − confidence. */
double check_level(const struct bisect_problem *problem);

/* Trials a side that a look needs: the job's trials a commit, or more where so few cannot reach
 * the level whatever they say. */
unsigned check_trials(const struct bisect_problem *problem);

/* Fills ret from two sides of turned values, each with at least one. */
int check_compare(const struct planner *planner, unsigned worse,
                  struct evidence_values worse_values, unsigned base,
                  struct evidence_values base_values, double level, struct bisect_check *ret,
                  struct culprit_error *error);

/* The two-sided p of the same test. */
int check_difference(const struct planner *planner, struct evidence_values one,
                     struct evidence_values other, double *ret, struct culprit_error *error);

/* Failures among events. */
struct proportion check_failures(struct evidence_values values);

/* "medians 2 and 1, 5 and 5 trials, p = 0.004", "5 of 12 and 0 of 12 trials failed, p = 0.019". */
enum { CHECK_TEXT_SIZE = 128 };
const char *check_text(const struct planner *planner, const struct bisect_check *check,
                       char text[CHECK_TEXT_SIZE]);

#endif
