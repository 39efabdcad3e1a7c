/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How sure: the probability of each commit to be the culprit, given all trials.
 *
 * Hypothesis h: the single commit h made all that descend from it worse. It divides the tested
 * images into a good and a bad side; each side is one distribution with its own unknown mean and
 * its own unknown variance (they may differ five hundredfold), both integrated out:
 *
 *   log p(side) = lgamma((n − 1)/2) − ½ log n − ((n − 1)/2) log(π RSS) − log 2RL
 *
 * with a mean uniform over a width R and a log-uniform deviation (log width L); a hypothesis that
 * puts one image on both sides, or whose sides lie the wrong way round, has none. Against the
 * single change stand "nothing differs" (one distribution) and "more than one change" (every image
 * a mean of its own). Bernardo and Smith, Bayesian Theory, 1994, chapter 5, has the integrals.
 */
#ifndef CULPRIT_PLAN_POSTERIOR_H
#define CULPRIT_PLAN_POSTERIOR_H

#include "plan/planner.h"

/* What the alternatives to a single change weigh before anything was measured. */
#define POSTERIOR_PRIOR_NO_SINGLE 0.05

/* ret_by_commit[problem->count] and *ret_no_single sum to 1. The endpoints must have been
 * measured. */
int posterior_compute(const struct planner *planner, double *ret_by_commit, double *ret_no_single,
                      struct culprit_error *error);

#endif
