/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How well values that are 0 or 1 (a trial went well, or failed) fit a number of groups, each of
 * which fails with a probability of its own that is not known and is integrated out: the Beta and
 * Bernoulli counterpart of plan/likelihood.h, which asks here where the values are such. For a
 * group of k failures in n and p ~ Beta(a, b) beforehand
 *
 *   log p = log B(a + k, b + n − k) − log B(a, b)
 *
 * (Bernardo and Smith, Bayesian Theory, 1994, section 5.2). Pure, on sums that can be joined.
 */
#ifndef CULPRIT_PLAN_EVENT_H
#define CULPRIT_PLAN_EVENT_H

#include "plan/likelihood.h"

/* Groups of which nothing is known: each fails with any probability, Beta(1, 1). */
double event_tied(const struct moments *groups, size_t count);

/* The same, but that the first of them is good: it never fails (one half beforehand), or now and
 * then, Beta(½, 2). */
double event_levels(const struct moments *levels, size_t count);

/* Good and bad: see likelihood_sides(). Bad fails with any probability that is greater than good's.
 */
void event_sides(const struct moments *good, const struct moments *bad, struct sides_fit *ret);

/* P(Y > X) of X ~ Beta(a, b) and Y ~ Beta(c, d); c and d are whole numbers. */
double event_greater(double a, double b, double c, double d);

#endif
