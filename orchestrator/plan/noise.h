/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * By how much identical builds differ, and what that means for a difference between good and bad:
 * which ones so many trials can show, and which ones they can put down to chance. From a
 * calibration where the problem has one, which rests on more trials than the ends; else from the
 * ends themselves, which then judge by their own spread alone.
 */
#ifndef CULPRIT_PLAN_NOISE_H
#define CULPRIT_PLAN_NOISE_H

#include "plan/planner.h"

/* The problem has a calibration that saw a spread. */
bool noise_known(const struct bisect_problem *problem);

/* A standard deviation of one trial; at least one value a side. */
int noise_spread(const struct bisect_problem *problem, struct evidence_values good,
                 struct evidence_values bad, double *ret, struct culprit_error *error);

/* The smallest difference that so many trials a side show nine times in ten, at the job's level. */
double noise_detectable(const struct bisect_problem *problem, double spread, size_t trials);

/* So many trials a side show that difference; 0: more than a million. */
size_t noise_trials(const struct bisect_problem *problem, double spread, double difference);

/* Whether bad is worse by more than the means of so many trials of one build differ by, with the
 * one-sided level: |z| σ √(1/n + 1/m). True where nothing is known. */
int noise_exceeded(const struct bisect_problem *problem, struct evidence_values good,
                   struct evidence_values bad, double level, bool *ret,
                   struct culprit_error *error);

#endif
