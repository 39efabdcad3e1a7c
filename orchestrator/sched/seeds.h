/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The seed of a trial, from the job's seed, the kernel image, and the trial's place among those of
 * that image. Pure. Not from the commit's number: a job that is narrowed to culprit and parent, as
 * the repeat line of a report does, builds the same images, and so has the same trials again, digit
 * by digit. Seeds of one image all differ (their places are permuted); those of two images meet
 * by chance alone, for a job of 400 trials once in 27,000 jobs. Below 2^31: short enough to be
 * typed.
 */
#ifndef CULPRIT_SCHED_SEEDS_H
#define CULPRIT_SCHED_SEEDS_H

#include <stdint.h>

#include "plan/bisect.h"

enum { SEED_INDICES = 1 << 13 }; /* trials of one image and purpose */

/* image: the digest of the kernel image. index < SEED_INDICES. */
uint64_t trial_seed(uint64_t job_seed, const char *image, enum trial_purpose purpose,
                    unsigned index);

#endif
