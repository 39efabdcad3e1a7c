/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A simulated kernel history: a graph of commits, one of which made what descends from it worse,
 * some of which do not build, and the values that trials of them give. Everything follows from the
 * seed, and a value from (commit, boot, sample) alone, in whatever order it is asked for.
 */
#ifndef CULPRIT_BENCH_HISTORY_H
#define CULPRIT_BENCH_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "plan/bisect.h"
#include "recorded.h"

struct history_options {
    unsigned commits;    /* candidates; good comes on top */
    double effect;       /* how many deviations of a sample bad is worse by */
    double outliers;     /* part of the samples that lie five deviations off, either way */
    double boot_effect;  /* deviation between boots, in deviations of a sample */
    double image_effect; /* likewise between commits: each has a small offset of its own */
    double skips;        /* part of the commits that do not build; they come in stretches */
    double min_effect;   /* the planner's: the part of good's level that counts */
    bool dag;            /* with side branches and merges; else a line */
    const struct recorded *recorded; /* samples are drawn from these instead: each was a boot, so
                                        effect, outliers and boot_effect do not count; NULL: none */
};

struct history {
    const struct history_options *options;
    uint64_t seed;
    unsigned count; /* with good */
    struct bisect_commit *commits;
    unsigned (*parents)[2];
    bool *broken, *bad; /* [count] */
    unsigned culprit;
};

/* What the costs are taken to be, in seconds. */
enum { BUILD_SECONDS = 300, BOOT_SECONDS = 30, SAMPLE_SECONDS = 30 };

int history_draw(const struct history_options *options, uint64_t seed, struct history *ret,
                 struct culprit_error *error);
void history_clear(struct history *history);
static inline void history_clear_cleanup(struct history *history)
{
    history_clear(history);
}

/* How many deviations of a sample bad is worse by. */
double history_effect(const struct history_options *options);

/* The value half-way between good and bad. */
double history_middle(const struct history_options *options);

/* One sample of one boot: lower is better, good lies around 100 with a deviation of 10. */
double history_sample(const struct history *history, unsigned commit, unsigned boot,
                      unsigned sample);

#endif
