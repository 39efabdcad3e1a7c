/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From suspects to a verdict: verification, second thoughts, and what is said in the end. */
#ifndef CULPRIT_PLAN_PROVE_H
#define CULPRIT_PLAN_PROVE_H

#include "plan/planner.h"

/* Hypotheses and suspects, by the search's trials or by all, and the step's list of them. */
int prove_weigh(struct planner *planner, bool with_verification, struct culprit_error *error);

/* The suspects hold the confidence and cannot be divided: verifies them and decides. */
int prove_suspects(struct planner *planner, struct culprit_error *error);

/* The budget ends before the search is sure: what was kept back goes to a verification of the
 * likeliest commit, if there is one, and all trials together may make it the culprit. *ret_proven:
 * they did. */
int prove_at_last(struct planner *planner, bool *ret_proven, struct culprit_error *error);

/* Two changes, and it is known which: each is proven against its own parents. */
int prove_two(struct planner *planner, struct culprit_error *error);

/* Says how probable it is that there is no change, or more than one, where that is not little. */
void prove_say_alternatives(struct planner *planner);

#endif
