/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between "found and verified" and the verdict: does it hold where only what should not matter is
 * changed, and does the range get faster without the commit? Pure, as bisect_plan() is: facts in,
 * wants or a final answer out. docs/planner.md says what is asked and why.
 *
 *   - At a second speed of the virtual CPU (deterministic engine), or with every function on a
 *     cache line of its own (realtime): culprit against parents once more. What vanishes there is
 *     not the commit's, and the verdict is withdrawn.
 *   - bad against bad with the culprit taken back. Whatever comes of this, the verdict stands;
 * where it makes no difference there is another change.
 *
 * All of it is done with what the budget has left, on trials of its own, which neither search nor
 * verification sees.
 */
#ifndef CULPRIT_PLAN_CONFIRM_H
#define CULPRIT_PLAN_CONFIRM_H

#include "plan/bisect.h"

enum confirmation_kind { CONFIRM_SHIFT = 0, CONFIRM_ALIGNED, CONFIRM_REVERTED, CONFIRM_COUNT };

/* "shift", "aligned", "reverted". */
const char *confirmation_kind_name(enum confirmation_kind kind);

enum confirmation_outcome {
    CONFIRMATION_HELD = 0,   /* the difference is there, too */
    CONFIRMATION_VANISHED,   /* half of what the verification saw is ruled out */
    CONFIRMATION_OPEN,       /* neither, by the trials that could be had */
    CONFIRMATION_IMPOSSIBLE, /* a kernel does not revert, build or run */
    CONFIRMATION_NO_BUDGET,  /* too few builds or trials are left */
    CONFIRMATION_NO_TIME,
    CONFIRMATION_OUTCOME_COUNT
};

/* "held", "vanished", "open", "impossible", "no_budget", "no_time". */
const char *confirmation_outcome_name(enum confirmation_outcome outcome);

struct confirmation {
    enum confirmation_kind kind;
    enum confirmation_outcome outcome;
    /* worse_count 0: nothing was compared, because both images are one or by the outcome. Of
     * CONFIRM_REVERTED `worse` is bad, and `base` the commit that was taken back from it. */
    struct bisect_check check;
    /* IMPOSSIBLE: trials of this purpose lack a kernel, or fail; of this commit. */
    enum trial_purpose broken_purpose;
    unsigned broken;
};

enum { CONFIRMATIONS_MAXIMUM = 2 };

struct confirmations {
    struct confirmation items[CONFIRMATIONS_MAXIMUM];
    size_t count;
};

struct confirm_problem {
    const struct bisect_problem *problem;
    const struct bisect_facts *facts; /* trials of all purposes; equal image numbers mean equal
                                         images over the variants, too */
    const struct bisect_build *variants[VARIANT_COUNT]; /* [count] each; PLAIN: the facts' */
    bool asked[CONFIRM_COUNT];                          /* at most one of SHIFT and ALIGNED */
    unsigned shift, second_shift;                       /* for the wording */
    bool late; /* the time is over: nothing more is wanted */
};

/*
 * `step` is the planner's last. With another verdict than a culprit nothing is done. Else it
 * becomes one that wants the next builds or trials (verdict NONE, the rest as it was), or keeps its
 * verdict, or is INCONCLUSIVE with a reason that names the suspect; then *ret holds all that was
 * asked for.
 */
int confirm_plan(const struct confirm_problem *given, struct bisect_step *step,
                 struct confirmations *ret, struct culprit_error *error);

/* Adds what confirming is expected to take to a step that still wants other work. */
void confirm_estimate(const struct confirm_problem *given, struct bisect_step *step);

/* Builds and trials that count against the budget, of confirmations alone. */
unsigned confirm_builds_spent(const struct confirm_problem *given);
unsigned confirm_trials_spent(const struct confirm_problem *given);

#endif
