/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the scheduler: commits that need no build because they cannot change the image, in the
 * planner's terms. Such a commit has its parents' image, so all of them are built as soon as one
 * is, and it is never the culprit (weight 0). Pure.
 *
 * That a commit cannot matter is an inference; an image is a fact. Where facts contradict it, it
 * is withdrawn for the whole job, and before a commit is called the culprit its true parents are
 * built, so that no wrong inference can stand behind a verdict. docs/pruning.md.
 */
#ifndef CULPRIT_SCHED_PRUNING_H
#define CULPRIT_SCHED_PRUNING_H

#include "sched/decide.h"

/* Fills the dossier's weights, stands-in and the states of commits that others stand in for; its
 * own builds are in the states already. */
int pruning_apply(struct dossier *dossier, struct culprit_error *error);

/* Both ends are built and differ, and nobody has looked yet which commits matter. */
bool pruning_is_due(const struct dossier *dossier);

/* Nothing but the ends should be built while that is being found out. */
bool pruning_is_end(const struct dossier *dossier, unsigned commit);

bool pruning_holds(const struct dossier *dossier, unsigned commit);

/* Turns wants of trials of commits that others stand in for to those: so that facts are only ever
 * kept of kernels that are what they are said to be. */
void pruning_redirect(const struct dossier *dossier, struct bisect_step *step);

/* With a culprit found: wants the builds that are missing of it and its parents, in the place of
 * the verdict. Without may_build, the reason says what was left unproven. */
void pruning_prove(const struct dossier *dossier, bool may_build, struct bisect_step *step);

#endif
