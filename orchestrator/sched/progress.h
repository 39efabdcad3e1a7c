/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far a job is and how long it may still take, from what its own builds and trials took so
 * far. Pure. docs: "progress" in sched/service.h.
 */
#ifndef CULPRIT_SCHED_PROGRESS_H
#define CULPRIT_SCHED_PROGRESS_H

#include <jansson.h>

#include "sched/decide.h"

/* What is in flight for the job. */
struct progress_flight {
    unsigned builds, trials;
    uint64_t build_ns, trial_ns; /* for how long, summed over those in flight */
    unsigned build_slots, guest_slots;
};

/* decision: NULL before the range is known. NULL without memory. */
json_t *progress_json(const struct dossier *dossier, const struct decision *decision,
                      const struct progress_flight *flight);

/* Nanoseconds left; 0: not known. */
uint64_t progress_time_left(const struct dossier *dossier, const struct decision *decision,
                            const struct progress_flight *flight);

#endif
