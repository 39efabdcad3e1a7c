/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which calibration speaks of a job. */
#ifndef CULPRIT_SCHED_CALIBRATIONS_H
#define CULPRIT_SCHED_CALIBRATIONS_H

#include "job/job.h"
#include "sched/catalogue.h"
#include "store/store.h"

/* Copies the calibration of the job's setup and metric into its facts, or that there is none;
 * in the open transaction, once the engine is known. What the job has already stays. */
int calibration_attach(struct store *store, const struct catalogue *catalogue, int64_t id,
                       const struct job *job, enum engine engine, unsigned shift,
                       struct culprit_error *error);

/* The copy of one job for another that repeats it; nothing where there is none. */
int calibration_inherit(struct store *store, int64_t from, int64_t to, struct culprit_error *error);

#endif
