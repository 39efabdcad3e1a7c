/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two sets of trials of which each failed or did not: does one fail more often, by how much at
 * most, and how many trials would show it? Pure and thread-safe; errors as in stats/summary.h.
 */
#ifndef CULPRIT_STATS_PROPORTION_H
#define CULPRIT_STATS_PROPORTION_H

#include <stddef.h>

#include "base/error.h"

struct proportion {
    size_t failed, count; /* failed <= count, which is not 0 */
};

double proportion_share(const struct proportion *proportion);

struct fisher {
    double p_greater;   /* P(at least as many failures of x) if both fail alike */
    double p_less;      /* P(at most as many) */
    double p_two_sided; /* all tables that are no more probable than this one */
};

/* Fisher's exact test (1935), conditional on the total of failures. INVALID when a side has no
 * trials, or more failures than trials. */
int fisher_exact(const struct proportion *x, const struct proportion *y, struct fisher *ret,
                 struct culprit_error *error);

/*
 * The upper bound, one-sided at level alpha, of how much more often x fails than y, as a difference
 * of shares: Newcombe's interval 10 (Statistics in Medicine 17, 1998, 873–890), from Wilson's score
 * intervals of both sides. 0 < alpha < ½.
 */
int proportion_difference_most(const struct proportion *x, const struct proportion *y, double alpha,
                               double *ret, struct culprit_error *error);

/*
 * Trials a side that Fisher's one-sided test of level alpha needs to see, with the given power,
 * that one side fails with probability `more` and the other with `less`: the exact power, summed up
 * over what may happen. INVALID unless 0 <= less < more <= 1, 0 < alpha < 1, 0 < power < 1; LIMIT
 * when it is over PROPORTION_TRIALS_MAXIMUM.
 */
enum { PROPORTION_TRIALS_MAXIMUM = 2000 };
int proportion_trials_needed(double less, double more, double alpha, double power, size_t *ret,
                             struct culprit_error *error);

#endif
