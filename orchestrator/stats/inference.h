/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Around the tests: Welch's test of means, several tests at once (Holm), and how many trials an
 * effect needs. Pure and thread-safe; errors as in stats/summary.h.
 */
#ifndef CULPRIT_STATS_INFERENCE_H
#define CULPRIT_STATS_INFERENCE_H

#include <stddef.h>

#include "base/error.h"

struct welch {
    double t;
    double degrees; /* Welch–Satterthwaite */
    double p_two_sided;
};

/* Difference of the means x − y without equal variances; at least two samples a side. INVALID when
 * both sides have no variance: there is no t then. */
int welch_test(const double *x, size_t x_count, const double *y, size_t y_count, struct welch *ret,
               struct culprit_error *error);

/* Holm's step-down correction (1979), in place and in the caller's order: adjusted p values hold
 * the family-wise error without any assumption. INVALID for a p outside [0, 1]. */
int holm_adjust(double *p, size_t count, struct culprit_error *error);

/* Trials a side that a two-sided test of level alpha needs to see an effect of `effect` standard
 * deviations with the given power (normal approximation, nearest whole number, at least 2);
 * INVALID unless effect > 0, 0 < alpha < 1, 0 < power < 1; LIMIT when it is over a million. */
int trials_needed(double effect, double alpha, double power, size_t *ret,
                  struct culprit_error *error);

/* The smallest effect, in the unit of `scale` (a standard deviation), that `trials` a side show
 * with that power. */
int minimum_detectable_effect(double scale, size_t trials, double alpha, double power, double *ret,
                              struct culprit_error *error);

#endif
