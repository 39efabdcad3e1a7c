/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What trials of one build say about comparisons: by how much identical builds differ, how often
 * that is taken for a difference, and how small a difference can be and still be seen.
 *
 * The trials are dealt out to two sides again and again, none to both (disjoint seeds), and the
 * sides are compared as the service compares (stats/comparison.h). To the trials of one
 * distribution such a deal is what two more series of boots would have been; whether they are of
 * one, and not of a machine that grew slower meanwhile, is asked apart, in the order in which they
 * ran (`drift`). A deal is fair by construction. What its rate of false positives can show is
 * therefore a test that is not what it says, through ties, an approximation or a fault.
 *
 * Units: values, intervals and detectable differences in the samples' unit. No field is ever NaN or
 * infinite. Pure: equal values and options give equal results. Errors as in stats/summary.h.
 */
#ifndef CULPRIT_STATS_CALIBRATION_H
#define CULPRIT_STATS_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "stats/comparison.h"

enum {
    CALIBRATION_SIZES = 4,
    CALIBRATION_TRIALS_MINIMUM = 6, /* two sides of the smallest size */
    CALIBRATION_COMPARISONS_DEFAULT = 1000,
    CALIBRATION_COMPARISONS_MINIMUM = 100,
    CALIBRATION_COMPARISONS_MAXIMUM = 10000,
};

/* Trials a side: 3, 5, 10, 20. */
extern const size_t calibration_sizes[CALIBRATION_SIZES];

/* Of the band round the level: a rate outside it is no accident. */
#define CALIBRATION_BAND 0.99

struct calibration_options {
    double alpha;       /* as in struct comparison_options */
    double threshold;   /* likewise */
    size_t comparisons; /* of each size, CALIBRATION_COMPARISONS_MINIMUM to …_MAXIMUM */
    uint64_t seed;      /* of the deals */
};

#define CALIBRATION_OPTIONS_DEFAULT                                   \
    {                                                                 \
        .alpha = COMPARISON_ALPHA, .threshold = COMPARISON_THRESHOLD, \
        .comparisons = CALIBRATION_COMPARISONS_DEFAULT, .seed = 1,    \
    }

enum calibration_standing {
    CALIBRATION_WITHIN,
    CALIBRATION_BELOW, /* fewer than the level allows: tied samples make the test careful */
    CALIBRATION_ABOVE, /* more than the level allows: its verdicts cannot be trusted */
};

struct calibration_size {
    size_t trials;   /* a side */
    double interval; /* 1 − alpha of the deals shift by no more (Hodges–Lehmann, either way) */
    bool can_decide; /* so many trials can be significant at all; else all below is 0 */
    size_t false_positives;        /* deals that were significant */
    size_t band_lower, band_upper; /* where CALIBRATION_BAND of such counts lie: binomial, from the
                                      level that the exact test attains (Clopper and Pearson 1934
                                      have the tails) to alpha */
    /* The smallest shift that is found COMPARISON_POWER of the time: significant, beyond the
     * interval and beyond the threshold. By the deals themselves, so it holds for trials that are
     * not normal. */
    double detectable;
};

struct calibration {
    struct calibration_options options;
    struct sample_summary summary; /* of all trials; the spread is its robust_scale */
    double drift_p;                /* two-sided: the first half of the trials against the second */
    struct calibration_size sizes[CALIBRATION_SIZES];
    size_t size_count; /* those that the trials carry: twice the size is at most their number */
};

/* Values in the order in which the trials ran. INVALID for fewer than CALIBRATION_TRIALS_MINIMUM,
 * one that is not finite (its place is named), or options outside their ranges. */
int calibration_make(const double *values, size_t count, const struct calibration_options *options,
                     struct calibration *ret, struct culprit_error *error);

/* The same without the deals: what follows from the values alone, in no time. */
int calibration_begin(const double *values, size_t count, const struct calibration_options *options,
                      struct calibration *ret, struct culprit_error *error);

enum calibration_standing calibration_standing(const struct calibration_size *size);

/* Whether the order of the trials shows: their halves differ at the level of the calibration. */
bool calibration_drifts(const struct calibration *calibration);

/* The largest size of at most so many trials a side; the smallest there is for fewer. */
const struct calibration_size *calibration_at(const struct calibration *calibration, size_t trials);

/* By how much sides of so many trials, at least one each, of identical builds differ: the interval
 * of the nearest size, carried over by the root of the trials. */
double calibration_interval(const struct calibration *calibration, size_t base_count,
                            size_t other_count);

#endif
