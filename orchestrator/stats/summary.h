/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a handful of trials say by themselves: location, spread, order. Pure functions on arrays
 * that are only read, in any order; thread-safe. A sample is one trial's value, never a raw
 * iteration inside a boot: boots differ more than iterations do.
 *
 * Errors: INVALID for too few samples, or one that is NaN or infinite (the message gives its
 * place); LIMIT above SAMPLES_MAXIMUM; NO_MEMORY. No function gives NaN or an infinity back.
 */
#ifndef CULPRIT_STATS_SUMMARY_H
#define CULPRIT_STATS_SUMMARY_H

#include <stddef.h>

#include "base/error.h"

enum { SAMPLES_MAXIMUM = 2000 };

struct sample_summary {
    size_t count;
    double minimum, lower_quartile, median, upper_quartile, maximum;
    double mean;
    double deviation;    /* standard deviation (n − 1); 0 for a single sample */
    double mad;          /* median absolute deviation, unscaled */
    double robust_scale; /* see samples_robust_scale() */
};

/* INVALID unless there are `minimum` samples or more, all finite. `what` names them. */
int samples_check(const double *values, size_t count, size_t minimum, const char *what,
                  struct culprit_error *error);

/* At least one sample. */
int samples_summarise(const double *values, size_t count, struct sample_summary *ret,
                      struct culprit_error *error);
int samples_median(const double *values, size_t count, double *ret, struct culprit_error *error);

/* Linear between order statistics (type 7 of Hyndman and Fan 1996); 0 <= fraction <= 1. */
int samples_quantile(const double *values, size_t count, double fraction, double *ret,
                     struct culprit_error *error);

/* What the iterations of one trial come to, so that the trial is one sample: at least one and at
 * most ITERATIONS_MAXIMUM values; INVALID where they lie too far apart for a mean. */
enum { ITERATIONS_MAXIMUM = 1000000 };
int iterations_mean(const double *values, size_t count, double *ret, struct culprit_error *error);
int iterations_median(const double *values, size_t count, double *ret, struct culprit_error *error);

/*
 * Spread in units of a normal standard deviation that half the samples cannot spoil: Rousseeuw and
 * Croux's Qn (1993) with their corrections for small n. Where more than half the pairs are tied
 * Qn is 0 though the samples differ; then the mean absolute deviation from the median stands in,
 * scaled to the normal. 0 only when all samples are equal, or there is but one.
 */
int samples_robust_scale(const double *values, size_t count, double *ret,
                         struct culprit_error *error);

#define WINSORISE_WIDTH_DEFAULT 2.5
enum { WINSORISE_WIDTH_MAXIMUM = 1000 };

struct winsorised {
    double median;
    double scale;        /* Qn; 0 where it is: then no sample was changed */
    double lower, upper; /* median ∓ width · scale */
    size_t changed;      /* samples that lay outside */
};

/*
 * Pulls every sample in to median ± width robust deviations (Tukey's winsorising, 1962, with
 * limits by scale, as Huber 1981 has them). The scale is Qn alone: where more than half of the
 * pairs are tied there is none, and all samples stay as they are. So a counter that is mostly zero
 * keeps its rare counts, which are what it has to say. At least one sample; 0 < width <=
 * WINSORISE_WIDTH_MAXIMUM; ret_values has room for count and may be `values` itself.
 */
int samples_winsorise(const double *values, size_t count, double width, double *ret_values,
                      struct winsorised *ret, struct culprit_error *error);

#endif
