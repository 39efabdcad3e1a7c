/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What to do next: the trials, or the build and the trials after it, that tell most about where the
 * culprit is for the time they take.
 *
 * What m trials of commit v would tell is the mutual information of their mean with the hypotheses,
 * about ½ log(1 + m V/σ²), where V is the variance over the hypotheses of the mean that each
 * predicts at v, and σ² the variance of a trial; it is never more than v's label can tell. No
 * estimate of the effect is plugged in: while hypotheses disagree on it, that adds to V, and so the
 * endpoints are measured again where that helps most.
 */
#ifndef CULPRIT_PLAN_CHOOSE_H
#define CULPRIT_PLAN_CHOOSE_H

#include "plan/planner.h"

struct choice {
    bool found;
    unsigned commit;
    unsigned trials; /* how many of it at once */
    double bits;     /* what they are expected to tell */
};

/* The best of the commits that can be tested: not broken, below the cap, built or to be built. */
int choose_next(const struct planner *planner, bool may_build, struct choice *ret,
                struct culprit_error *error);

/* Whether a test of any of them could leave a part of the set. */
int choose_divides(const struct planner *planner, const bool *set, bool may_build, bool *ret,
                   struct culprit_error *error);

/* Builds and trials that the search is expected to take from here, when `bits` are missing and bad
 * is worse by so many deviations. */
void choose_estimate(const struct planner *planner, double bits, double deviations);

#endif
