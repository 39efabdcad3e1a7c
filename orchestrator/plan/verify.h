/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The proof: the suspect against its parents, on trials that took no part in the search. Where
 * several suspects cannot be told apart (what lies between them does not build), the nearest bad
 * commit that can be tested stands for them, against the nearest good ones.
 *
 * Full sets of verification trials are folded into a commit's label: where they overturn it, the
 * search goes on, and the next verification of that commit takes further trials.
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

/* The suspects are what search_suspects() left, at least one, not to be divided further. */
int verify_suspects(struct planner *planner, enum verification *ret, struct culprit_error *error);

/* Builds and trials of a whole verification, as far as can be told. */
void verify_estimate(struct planner *planner);

/* Whether the checks' sides differ from the endpoints': then more than this change happened. */
int verify_explains_all(const struct planner *planner, unsigned looked_at, bool *ret,
                        struct culprit_error *error);

#endif
