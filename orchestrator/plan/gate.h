/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Before any search: do both ends build, and is bad worse than good? */
#ifndef CULPRIT_PLAN_GATE_H
#define CULPRIT_PLAN_GATE_H

#include "plan/planner.h"

/* The verdict "no regression", in the words that fit what 0 is. */
void gate_no_regression(struct planner *planner);

enum gate {
    GATE_OPEN,   /* bad is worse than good */
    GATE_WAITS,  /* builds or trials are wanted */
    GATE_CLOSED, /* a verdict stands in the step */
};

/* The endpoints: both build, differ, and bad is worse by the test and by more than min_effect. More
 * trials are taken until that is so, or a difference that counts is ruled out, or the budget for
 * this (or 250 a side) are spent: then the verdict says what could be seen. */
int gate_endpoints(struct planner *planner, enum gate *ret, struct culprit_error *error);

#endif
