/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the bisection planner share during one call of bisect_plan(). */
#ifndef CULPRIT_PLAN_PLANNER_H
#define CULPRIT_PLAN_PLANNER_H

#include <stdbool.h>

#include "plan/bisect.h"
#include "plan/evidence.h"
#include "plan/posterior.h"

struct planner {
    const struct bisect_problem *problem;
    const struct evidence *evidence;
    struct posterior posterior; /* by the search's trials; valid once the endpoints are known */
    bool *suspects;             /* [count]: the smallest set that holds the job's confidence */
    unsigned suspect_count;
    double suspect_probability;
    struct bisect_step *step; /* the answer, being filled */
};

/* Adds a sentence to the step's reason; a space goes between sentences. */
void planner_say(struct bisect_step *step, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Ends the planning with a verdict; what was wanted is dropped. */
void planner_decide(struct bisect_step *step, enum bisect_verdict_kind verdict);

/* Adds a build to the wants, unless it is there already. */
void planner_want_build(struct bisect_step *step, unsigned commit);

/* A turned value as the job's metric has it. */
double planner_value(const struct planner *planner, double turned);

/* Trials that the budget still has; a large number where there is none. */
unsigned planner_trials_left(const struct planner *planner);
bool planner_may_build(const struct planner *planner);

/* Seconds of a build and of a trial, as far as they are known. */
double planner_build_seconds(const struct planner *planner);
double planner_trial_seconds(const struct planner *planner);

/* Seconds of so many trials of one commit: they run in rounds of as many as there is room for. */
double planner_batch_seconds(const struct planner *planner, unsigned trials);

#endif
