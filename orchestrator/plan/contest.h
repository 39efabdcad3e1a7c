/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One comparison of a confirmation: a kernel against one or more that should be better, on trials
 * of a purpose of their own. Internal to plan/.
 *
 * Three answers are possible, for a verdict that was verified must not be lost to a lack of trials:
 * the difference is there (one-sided exact Mann–Whitney test); or half of what the verification
 * saw, as a share of the base's median, is ruled out by the same test at the same level; or
 * neither.
 */
#ifndef CULPRIT_PLAN_CONTEST_H
#define CULPRIT_PLAN_CONTEST_H

#include "plan/stock.h"

struct contest {
    const struct confirm_problem *given;
    struct contest_side worse, bases[BISECT_MAX_CHECKS];
    const struct bisect_check *seen[BISECT_MAX_CHECKS]; /* what is expected of each base */
    unsigned base_count;
    unsigned full; /* trials a side at the first look */
};

enum contest_state { CONTEST_WAITS, CONTEST_DECIDED };

/* WAITS: step's wants and expectations are filled, and nothing else of it changed. DECIDED: all but
 * the kind of *ret. */
int contest_run(const struct contest *contest, struct bisect_step *step, struct confirmation *ret,
                enum contest_state *ret_state, struct culprit_error *error);

#endif
