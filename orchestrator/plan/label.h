/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Good or bad: where the line lies, and which side a commit is on. The line is for people to read;
 * the labels come from the posterior.
 *
 * The sides of a tail-latency regression differ wildly in variance (good 7900 ± 4300 µs, bad 16000
 * ± 190), and half-way between their medians a good kernel is called bad once in twenty times. So
 * the line is where a value is equally likely from either side, by Student's t around each side's
 * median with each side's own spread.
 */
#ifndef CULPRIT_PLAN_LABEL_H
#define CULPRIT_PLAN_LABEL_H

#include "plan/planner.h"

/* Spreads below this part of the distance between the sides are taken as this much: a handful of
 * trials that happen to agree do not make a side that sharp. */
#define LABEL_SPREAD_FLOOR 0.02

/* The line, in turned values; both sides have at least two, and bad's median is the greater. */
int label_threshold(struct evidence_values good, struct evidence_values bad, double *ret,
                    struct culprit_error *error);

/* What is more likely of a commit that was measured, itself or as another with its image. Together
 * the labels never contradict each other: what descends from a bad commit is at least as likely
 * bad. The posterior is there. */
enum bisect_label label_of(const struct planner *planner, unsigned commit);

#endif
