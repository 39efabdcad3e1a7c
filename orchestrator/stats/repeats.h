/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often to repeat a measurement: netperf's rule for going on until the mean is known well
 * enough, and Kalibera and Jones's split of the repeats over builds, boots and iterations.
 * Pure and thread-safe; errors as in stats/summary.h.
 */
#ifndef CULPRIT_STATS_REPEATS_H
#define CULPRIT_STATS_REPEATS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* As netperf's "-i max,min" and "-I level,width" have it, which clamp the counts to this range and
 * know these two levels. The width here is half the interval: "-I 95,5" is ±2.5 %, so 0.025. */
enum { REPEATS_LEAST = 3, REPEATS_MOST = 30 };

struct repeats_goal {
    unsigned minimum, maximum; /* iterations; clamped to 3 … 30, and minimum to maximum */
    unsigned level;            /* 95 or 99, per cent */
    double half_width;         /* of the interval, as a share of the mean; above 0 */
};

enum repeats_step {
    REPEATS_GO_ON,
    REPEATS_REACHED,     /* stop: the interval is as narrow as it was to be */
    REPEATS_NOT_REACHED, /* stop: the maximum is done, and the result must say so */
};

struct repeats_state {
    enum repeats_step step;
    double mean;
    bool known;        /* false: fewer than two samples, or a mean of 0 that has no share */
    double half_width; /* t · s / √n as a share of the mean; valid when known */
};

/*
 * What to do after `count` iterations. Student's t on the mean, as in netperf (netlib.c,
 * calculate_confidence(); Jain, "The Art of Computer Systems Performance Analysis", 1991, section
 * 13.2). Samples that are all equal have the width 0. Of several metrics each is asked, and one
 * that says REPEATS_GO_ON is enough. INVALID for a goal outside its ranges.
 */
int repeats_next(const double *values, size_t count, const struct repeats_goal *goal,
                 struct repeats_state *ret, struct culprit_error *error);

/* A nested experiment: level 0 is the lowest (an iteration), the last the highest (a build). */
enum {
    NESTED_LEVELS_MAXIMUM = 5,
    NESTED_SAMPLES_MAXIMUM = 1000000,
    NESTED_REPEATS_MAXIMUM = 100000,
};

struct nested_design {
    size_t levels;                         /* 2 to 5 */
    size_t repeats[NESTED_LEVELS_MAXIMUM]; /* of each level in one of the next; at least 2 */
    double costs[NESTED_LEVELS_MAXIMUM];   /* of one more of a level, without those below it, in
                                              any one unit; above 0 */
};

struct nested_plan {
    double mean;                           /* of all samples */
    double total[NESTED_LEVELS_MAXIMUM];   /* S²: variance of the level's means */
    double own[NESTED_LEVELS_MAXIMUM];     /* T²: what the level itself adds; may be negative by
                                              chance, and then counts as 0 */
    double standard_error;                 /* of the mean: √(S² of the highest / its repeats) */
    size_t repeats[NESTED_LEVELS_MAXIMUM]; /* the best for the next experiment, up to the level
                                              below the highest */
    bool bounded[NESTED_LEVELS_MAXIMUM];   /* false: the level above adds no variance, so any
                                              number is right: NESTED_REPEATS_MAXIMUM stands */
};

/*
 * Kalibera and Jones, "Rigorous benchmarking in reasonable time", ISMM 2013, section 5. With n
 * levels, 1 the lowest, and ·̄ a mean over what lies below:
 *
 *     S_i² = Σ (Ȳ of one i − Ȳ of its i+1)² / (r_n ⋯ r_{i+1} · (r_i − 1))
 *     T_1² = S_1²,   T_i² = S_i² − S_{i−1}² / r_{i−1}
 *     r_i  = ⌈√((c_{i+1} / c_i) · (T_i² / T_{i+1}²))⌉
 *
 * where c_i costs one more of level i. The last line, which is misprinted in the paper, minimises
 * variance times cost but for the rounding. A level that should be repeated less than once is taken
 * once; it and the level above then act as one, with their variances and costs added (pooling of
 * adjacent violators).
 *
 * `values` holds the samples of the first iteration upwards, the lowest level fastest:
 * repeats[0] · repeats[1] ⋯ of them, at most NESTED_SAMPLES_MAXIMUM. How often to repeat the
 * highest level is up to the precision wanted (its standard error falls with the root). INVALID for
 * a design outside its ranges, samples that are not finite, or whose squares no number holds.
 */
int nested_plan(const double *values, size_t count, const struct nested_design *design,
                struct nested_plan *ret, struct culprit_error *error);

#endif
