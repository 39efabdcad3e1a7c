/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two sets of trials against each other, by ranks: is one greater (Mann–Whitney), and by how much
 * (Hodges–Lehmann). Neither looks at the shape of the distributions, so a heavy tail or sides of
 * very different variance spoil nothing. Pure and thread-safe; errors as in stats/summary.h.
 */
#ifndef CULPRIT_STATS_RANK_H
#define CULPRIT_STATS_RANK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { MANN_WHITNEY_EXACT_MAXIMUM = 20 }; /* samples a side; more: normal approximation */

struct mann_whitney {
    double u;           /* pairs with x > y, ties counting one half */
    bool exact;         /* false: normal, with correction for continuity and ties */
    double p_greater;   /* P(U >= u) if x and y are alike: small when x is greater */
    double p_less;      /* P(U <= u): small when x is less */
    double p_two_sided; /* twice the smaller of the two, at most 1 */
};

/* At least one sample a side. The exact p is that of the permutation distribution of the mid-ranks,
 * so it is exact with ties too; all samples equal gives 1. */
int mann_whitney(const double *x, size_t x_count, const double *y, size_t y_count,
                 struct mann_whitney *ret, struct culprit_error *error);

/* The normal approximation at any size, as programs that have no exact p publish it. */
int mann_whitney_approximate(const double *x, size_t x_count, const double *y, size_t y_count,
                             struct mann_whitney *ret, struct culprit_error *error);

/* The smallest one-sided p that mann_whitney() can give of so many samples: 1 / C(m + n, m) where
 * it is exact. Twice it, two-sided. 1 where a side has none. */
double mann_whitney_smallest_p(size_t x_count, size_t y_count);

struct hodges_lehmann {
    double shift;        /* median of all x − y */
    bool bounded;        /* false: so few samples cannot give an interval of that confidence */
    double lower, upper; /* two-sided interval; valid when bounded */
    double achieved;     /* its confidence, at least what was asked for; valid when bounded */
};

/* At least one sample a side; 0 < confidence < 1. The interval inverts the Mann–Whitney test. */
int hodges_lehmann(const double *x, size_t x_count, const double *y, size_t y_count,
                   double confidence, struct hodges_lehmann *ret, struct culprit_error *error);

/* Cliff-like size of the effect without a unit: P(x > y) + ½ P(x = y), from 0 to 1. */
int probability_greater(const double *x, size_t x_count, const double *y, size_t y_count,
                        double *ret, struct culprit_error *error);

#endif
