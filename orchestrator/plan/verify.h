/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The proof: the suspect against its parents, on trials that took no part in the search. Where
 * several suspects cannot be told apart (what lies between them does not build), the nearest bad
 * commit that can be tested stands for them, against the nearest good ones.
 *
 * How many trials that takes follows from the effect that the search saw. The search never sees
 * them, so that a culprit is not named by what then proves it; they only tell, where they do not
 * confirm it, whether it is worth while to search on.
 */
#ifndef CULPRIT_PLAN_VERIFY_H
#define CULPRIT_PLAN_VERIFY_H

#include "plan/planner.h"

/* The fewest trials a side that a short budget is still spent on. */
enum { VERIFY_LEAST_TRIALS = 4 };

enum verification {
    VERIFY_WAITS,     /* builds or trials are wanted */
    VERIFY_CONFIRMED, /* step->checks say by how much */
    VERIFY_REJECTED,  /* a reason stands in the step */
    VERIFY_NO_BUDGET, /* likewise */
};

/* The suspects hold the job's confidence, and no test would divide them further. */
int verify_suspects(struct planner *planner, enum verification *ret, struct culprit_error *error);

/* More of the search's trials for the sides that a verification did not tell apart; false where the
 * cap or the budget leaves none. */
int verify_doubt(struct planner *planner, bool *ret, struct culprit_error *error);

/* Builds and trials of a whole verification, as far as can be told. */
void verify_estimate(struct planner *planner);

#endif
