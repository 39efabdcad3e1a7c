/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a further build and a further trial of a job take, from those that it had. Pure. */
#ifndef CULPRIT_SCHED_COSTS_H
#define CULPRIT_SCHED_COSTS_H

#include <stdint.h>

#include "sched/dossier.h"

/* Medians, in ns; 0: not known yet. The first build in a directory compiles everything, the others
 * what changed: so the first is left out as soon as there is another. */
uint64_t costs_build_ns(const struct dossier *dossier);
uint64_t costs_trial_ns(const struct dossier *dossier);

/* The same in seconds for the planner, rounded to a power of two: which commit comes next hangs on
 * how dear builds are beside trials, and not on the second, so that a job that is run again on the
 * same host takes the same course. 0: not known yet. */
double costs_for_plan(uint64_t ns);

#endif
