/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): small, fast, equal on every machine. All of a
 * trial's random choices come from the plan's seed through it. Not thread-safe: one a thread.
 */
#ifndef CULPRIT_AGENT_RANDOM_H
#define CULPRIT_AGENT_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state;
};

static inline uint64_t random_next(struct random *random)
{
    uint64_t mixed = random->state += UINT64_C(0x9e3779b97f4a7c15);

    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

/* 0 to limit - 1, and 0 for a limit of 0. The bias is below limit / 2^64: nothing here. */
static inline uint64_t random_below(struct random *random, uint64_t limit)
{
    return limit ? random_next(random) % limit : 0;
}

/* A stream of its own for each (seed, purpose). */
static inline struct random random_stream(uint64_t seed, uint64_t purpose)
{
    struct random seeds = {seed};
    uint64_t first = random_next(&seeds);
    struct random purposes = {purpose ^ first};

    return (struct random){random_next(&purposes)};
}

#endif
