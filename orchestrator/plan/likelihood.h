/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How well values fit a number of groups, each with a mean of its own, when neither the means nor
 * the deviations are known: both are integrated out. Means are uniform over a width R, deviations
 * log-uniform over a range of log width L. For g groups of weights wᵢ that share one deviation, n
 * values in all:
 *
 *   log p = lgamma((n − g)/2) − ½ Σ log wᵢ − ((n − g)/2)·log(π RSS) − g·log R − log 2L
 *
 * (Bernardo and Smith, Bayesian Theory, 1994, chapter 5). Groups with deviations of their own are
 * the product. Pure, on sums that can be joined; values are turned so that greater is worse.
 */
#ifndef CULPRIT_PLAN_LIKELIHOOD_H
#define CULPRIT_PLAN_LIKELIHOOD_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Count, mean and sum of squares around it, of any set of values. Images of one side need not lie
 * at quite the same place: where the variance of their own offsets is ρ times that of a value, the
 * mean of n values of one image tells as much of the side as n / (1 + n ρ) values would. That is
 * the weight it has in means and between images; degrees of freedom go by n.
 */
struct moments {
    double n, weight, mean, rss;
};

void moments_add(struct moments *into, double value);

/* What so many trials of one image are worth. */
double moments_worth(double n, double ratio);
void moments_join(struct moments *into, const struct moments *other);

struct widths {
    bool events;      /* values are 0 or 1, as in plan/event.h, and R is 1 */
    double mean;      /* R */
    double log_scale; /* L */
    double floor;     /* about the least deviation that is believed */
};

double log_add(double a, double b);

/* Groups that share one deviation; empty ones count for nothing. */
double likelihood_tied(const struct widths *widths, const struct moments *groups, size_t count);

/* What is thought of a good and a bad side, averaged over equal and unequal deviations. */
struct sides_fit {
    double log_likelihood;              /* conditioned on bad's mean being the greater */
    double good, bad;                   /* means */
    double good_variance, bad_variance; /* of a further value, its mean's uncertainty included */
    double error; /* of the distance between the means, in deviations of a value */
};

/*
 * Two sides, of which it is not known whether they vary alike (a regression usually shifts a
 * distribution) or not at all alike (a tail latency that has hit the ceiling: five hundredfold).
 * Both are possible beforehand with one half. Each side has at least one value.
 */
void likelihood_sides(const struct widths *widths, const struct moments *good,
                      const struct moments *bad, struct sides_fit *ret);

#endif
