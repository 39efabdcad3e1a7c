/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looking at a growing experiment several times without crying wolf: group-sequential levels by
 * alpha spending (Lan and DeMets, "Discrete sequential boundaries for clinical trials", Biometrika
 * 70, 1983). A plain test of level 0.05 that is repeated after every batch errs far more often than
 * one time in twenty; with these levels all looks together err as often as asked. Pure and
 * thread-safe.
 */
#ifndef CULPRIT_STATS_SPENDING_H
#define CULPRIT_STATS_SPENDING_H

#include <stddef.h>

#include "base/error.h"

enum { SPENDING_LOOKS_MAXIMUM = 5 };

enum spending {
    SPENDING_OBRIEN_FLEMING, /* 2 − 2 Φ(z_{1−α/2} / √t): hardly anything at first */
    SPENDING_POCOCK,         /* α · ln(1 + (e − 1) t): about as much at each look */
};

/*
 * The one-sided level of each look: the null hypothesis is given up at look k when the one-sided p
 * of all trials so far is at most ret_levels[k]. `fractions` are the looks' shares of the trials
 * that are planned at the most, in (0, 1], each at least 1 % above the one before; a last one below
 * 1 leaves some of alpha unspent.
 * The statistics of two looks have the correlation √(t_j / t_k), as sums of independent trials
 * have; a rank test's are so to a close approximation. Where nothing to speak of is spent, a level
 * is 0: that look cannot end anything. Accurate to 1e-6 of the level (numerical integration after
 * Armitage, McPherson and Rowe 1969).
 * INVALID for 0 or more than 5 looks, an alpha outside [1e-6, 0.5], or fractions that do not rise.
 */
int spending_levels(enum spending kind, double alpha, const double *fractions, size_t looks,
                    double *ret_levels, struct culprit_error *error);

/* What is spent at fraction t in [0, 1]. */
double spending_spent(enum spending kind, double alpha, double t);

#endif
