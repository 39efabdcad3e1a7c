/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the facts hold of a confirmation's kernels, and what the budget has left for them. Internal
 * to plan/; nothing depends on the order in which facts came.
 */
#ifndef CULPRIT_PLAN_STOCK_H
#define CULPRIT_PLAN_STOCK_H

#include "plan/confirm.h"

struct contest_side {
    unsigned commit;
    enum trial_purpose purpose; /* says which of the commit's kernels */
};

/* The trials of one side; those of equal images are pooled. */
struct stock {
    double *values; /* turned so that greater is worse; by index, then commit */
    size_t count;
    unsigned failed;
    bool infra_failed; /* a trial was tried three times in vain */
};

int stock_take(const struct confirm_problem *given, const struct contest_side *side,
               struct stock *ret, struct culprit_error *error);
void stock_clear(struct stock *stock);

/* Its trials fail: at least two did, and no fewer than went well; or the host cannot run them. */
bool stock_is_broken(const struct stock *stock);

/* Whether the commit's trial of that index has ended. */
bool stock_has_place(const struct confirm_problem *given, const struct contest_side *side,
                     unsigned index);

/* The build that a side's trials boot. */
const struct bisect_build *stock_build(const struct confirm_problem *given,
                                       const struct contest_side *side);

/* What the budget has left; a large number where there is none. */
unsigned stock_trials_left(const struct confirm_problem *given);
unsigned stock_builds_left(const struct confirm_problem *given);

#endif
