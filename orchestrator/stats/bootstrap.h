/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many times as large one side is as the other, with an interval that assumes no shape: the
 * bootstrap over trials (Efron 1979; Efron and Tibshirani, "An Introduction to the Bootstrap",
 * 1993, chapters 13 and 14). Each resample draws as many trials as there are, with replacement,
 * the first side first; SplitMix64 draws them (base/random.h). So the same samples, in whatever
 * order, with the same seed give the same percentile interval to the last bit; the other one goes
 * through erfc() and may differ in its last digits between C libraries.
 *
 * A handful of trials is all that resampling sees: below about ten a side the percentile interval
 * is too narrow. The interval to decide by is that of stats/rank.h.
 *
 * Pure and thread-safe; errors as in stats/summary.h.
 */
#ifndef CULPRIT_STATS_BOOTSTRAP_H
#define CULPRIT_STATS_BOOTSTRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
    BOOTSTRAP_RESAMPLES_MINIMUM = 100,
    BOOTSTRAP_RESAMPLES_DEFAULT = 10000,
    BOOTSTRAP_RESAMPLES_MAXIMUM = 1000000,
    BOOTSTRAP_DRAWS_MAXIMUM = 200000000, /* resamples times the samples of both sides */
};

enum bootstrap_location { BOOTSTRAP_MEDIANS, BOOTSTRAP_MEANS };

struct bootstrap_options {
    enum bootstrap_location location;
    size_t resamples;
    uint64_t seed;
    double confidence; /* two-sided; each tail must hold one resample or more */
};

struct bootstrap_interval {
    double ratio;        /* x over y, of the samples themselves */
    double lower, upper; /* percentile interval; quantiles of type 7 */
    bool corrected;      /* false: so lopsided that the next two cannot be had */
    /* Bias-corrected; for means accelerated too (BCa, Efron 1987, with the jackknife over both
     * sides). Medians get no acceleration, for their jackknife is not consistent. */
    double corrected_lower, corrected_upper;
};

/*
 * At least two samples a side. INVALID where there is no ratio: y holds a zero or both signs, so
 * that some resample would divide by nothing; or the ratio is too large for a number. LIMIT for
 * more resamples or draws than allowed.
 */
int bootstrap_ratio(const double *x, size_t x_count, const double *y, size_t y_count,
                    const struct bootstrap_options *options, struct bootstrap_interval *ret,
                    struct culprit_error *error);

#endif
