/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel history that exists only as numbers, and the whole of a bisection on it: draws a graph,
 * a culprit, commits that change nothing, commits that do not build, and gives every trial a value
 * that depends on the seed of the world and on (commit, purpose, index) alone. So the planner can
 * be asked in any order, stopped and started again, and gets the same answers.
 */
#ifndef CULPRIT_TEST_PLAN_WORLD_H
#define CULPRIT_TEST_PLAN_WORLD_H

#include <stdint.h>

#include "base/random.h"
#include "plan/bisect.h"
#include "recorded.h"

enum { WORLD_COMMITS = 1100, WORLD_PARENTS = 2, WORLD_TRIALS = 4000 };

/* Real trials of case A. */
#define WORLD_RECORDED CULPRIT_SOURCE_DIR "/tests/support/data/tail-latency-p99.txt"

enum world_noise {
    NOISE_TAIL,     /* case A: good all over the place and now and then near bad; bad narrow */
    NOISE_NORMAL,   /* good N(100, 10), bad `effect` deviations above */
    NOISE_NONE,     /* good 100, bad 200 */
    NOISE_BIMODAL,  /* good mostly 256, but one boot in ten at 12000; bad 12600 */
    NOISE_EVENT,    /* fails (1) or not (0) with the probabilities below */
    NOISE_OUTLIERS, /* as normal, one trial in ten five deviations off, either way */
    NOISE_RECORDED, /* real trials of case A, drawn again */
};

struct world_options {
    unsigned commits; /* with good */
    enum world_noise noise;
    double effect;                /* in standard deviations, for NOISE_NORMAL and NOISE_OUTLIERS */
    double good_fails, bad_fails, /* NOISE_EVENT */
        merges;                   /* part of the commits that merge a side branch; 0: a chain */
    double no_changes;            /* part that leave the image as it was */
    double broken;                /* part that do not build */
    bool culprit_always;          /* false: nothing regressed */
    bool higher_is_better;
    double scale, offset; /* values are offset + scale × value; scale 0 means 1 */
    double
        second_change;   /* a second change of as many times the first one's size, later; 0: none */
    double boot_effect;  /* a deviation between boots on top, in deviations */
    double min_effect;   /* part of good's median that counts; 0: by the noise */
    double image_effect; /* and one between images, beside what the culprit does */
    const struct recorded *recorded; /* for NOISE_RECORDED */
    double drift;      /* deviations that values rise by from trial to trial as they are done */
    double confidence; /* 0 means 0.99 */
    double build_seconds, trial_seconds;
    unsigned max_trials, max_builds;
};

struct world {
    struct world_options options;
    uint64_t seed;
    unsigned parents[WORLD_COMMITS][WORLD_PARENTS];
    struct bisect_commit commits[WORLD_COMMITS];
    unsigned image[WORLD_COMMITS];
    bool broken[WORLD_COMMITS], bad[WORLD_COMMITS], worse_still[WORLD_COMMITS];
    unsigned culprit, second; /* 0: none */
    struct bisect_problem problem;
    struct bisect_build builds[WORLD_COMMITS];
    struct bisect_trial trials[WORLD_TRIALS];
    struct bisect_facts facts;
    unsigned build_count, trial_count[PURPOSE_COUNT];
    bool asked_again; /* something was wanted of a commit that was known not to build */
};

void world_draw(struct world *world, const struct world_options *options, uint64_t seed);

/* The value of one trial. */
double world_value(const struct world *world, unsigned commit, enum trial_purpose purpose,
                   unsigned index);

/* On a chain: bad from `first` to before `reverted`, and again from `again` on. */
void world_apply_again(struct world *world, unsigned first, unsigned reverted, unsigned again);

/* Does one wanted thing and makes it a fact. */
void world_do(struct world *world, const struct bisect_want *want);

/* Bisects to a verdict, doing what is wanted in an order drawn from the seed. The caller clears
 * the step. Negative when the planner failed, or did not come to an end. */
int world_bisect(struct world *world, struct bisect_step *ret, struct culprit_error *error);

bool world_is_suspect(const struct bisect_step *step, unsigned commit);

#endif
