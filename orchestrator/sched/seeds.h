/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The seed of a trial, from its place in the job. Pure. Of one job all seeds differ (the places are
 * permuted, not hashed), so that no trial repeats another; equal jobs give equal seeds, so that a
 * job can be had again. Seeds are below 2^31: short enough to be typed.
 */
#ifndef CULPRIT_SCHED_SEEDS_H
#define CULPRIT_SCHED_SEEDS_H

#include <stdint.h>

#include "plan/bisect.h"

enum {
    SEED_COMMITS = 1 << 17, /* a range has at most 100,000 commits */
    SEED_INDICES = 1 << 13, /* trials of one commit and purpose */
};

/* commit < SEED_COMMITS, index < SEED_INDICES. */
uint64_t trial_seed(uint64_t job_seed, unsigned commit, enum trial_purpose purpose, unsigned index);

#endif
