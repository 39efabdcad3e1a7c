/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/confirm.h"

#include <math.h>

#include "plan/check.h"
#include "plan/contest.h"
#include "plan/planner.h"
#include "plan/verify.h"

const char *confirmation_kind_name(enum confirmation_kind kind)
{
    static const char *const names[CONFIRM_COUNT] = {
        [CONFIRM_SHIFT] = "shift", [CONFIRM_ALIGNED] = "aligned", [CONFIRM_REVERTED] = "reverted"};

    return (unsigned)kind < CONFIRM_COUNT ? names[kind] : "unknown";
}

const char *confirmation_outcome_name(enum confirmation_outcome outcome)
{
    static const char *const names[CONFIRMATION_OUTCOME_COUNT] = {
        [CONFIRMATION_HELD] = "held",           [CONFIRMATION_VANISHED] = "vanished",
        [CONFIRMATION_OPEN] = "open",           [CONFIRMATION_IMPOSSIBLE] = "impossible",
        [CONFIRMATION_NO_BUDGET] = "no_budget", [CONFIRMATION_NO_TIME] = "no_time",
    };

    return (unsigned)outcome < CONFIRMATION_OUTCOME_COUNT ? names[outcome] : "unknown";
}

/* As many a side as it took to verify the culprit, for the same difference is looked for. */
static unsigned full_look(const struct confirm_problem *given, const struct bisect_step *step)
{
    unsigned full = check_trials(given->problem);

    for (size_t i = 0; i < step->check_count; i++) {
        const struct bisect_check *check = &step->checks[i];
        unsigned most = check->worse_count > check->base_count ? check->worse_count
                                                               : check->base_count;
        full = most > full ? most : full;
    }
    return full;
}

/* The verification over again, with trials of another purpose. */
static struct contest again(const struct confirm_problem *given, const struct bisect_step *step,
                            enum trial_purpose purpose)
{
    struct contest ret = {
        .given = given,
        .worse = {step->checks[0].worse, purpose},
        .base_count = (unsigned)step->check_count,
        .full = full_look(given, step),
    };

    for (unsigned b = 0; b < ret.base_count; b++) {
        ret.bases[b] = (struct contest_side){step->checks[b].base, purpose};
        ret.seen[b] = &step->checks[b];
    }
    return ret;
}

/* --- bad without the culprit ------------------------------------------------------------------ */

static bool same_image(const struct bisect_build *a, const struct bisect_build *b)
{
    return a->state == BUILD_OK && b->state == BUILD_OK && a->image == b->image;
}

/* An image that was compared already, or that is bad's own, needs no trials. */
static bool images_tell(const struct confirm_problem *given, const struct bisect_step *step,
                        struct confirmation *ret)
{
    const struct bisect_build *plain = given->variants[VARIANT_PLAIN];
    const struct bisect_build *tip = &plain[given->problem->count - 1];
    const struct bisect_build *reverted = &given->variants[VARIANT_REVERTED][step->culprit];

    if (same_image(reverted, tip)) {
        ret->outcome = CONFIRMATION_VANISHED;
        return true;
    }
    if (!same_image(tip, &plain[step->checks[0].worse]) ||
        !same_image(reverted, &plain[step->checks[0].base]))
        return false;
    ret->outcome = CONFIRMATION_HELD;
    ret->check = step->checks[0];
    ret->check.worse = given->problem->count - 1;
    ret->check.base = step->culprit;
    return true;
}

static int run_reverted(const struct confirm_problem *given, struct bisect_step *step,
                        struct confirmation *ret, enum contest_state *ret_state,
                        struct culprit_error *error)
{
    const struct contest contest = {
        .given = given,
        .worse = {given->problem->count - 1, PURPOSE_TIP},
        .bases = {{step->culprit, PURPOSE_REVERTED}},
        .seen = {&step->checks[0]},
        .base_count = 1,
        .full = full_look(given, step),
    };

    *ret_state = CONTEST_DECIDED;
    if (images_tell(given, step, ret))
        return 0;
    return contest_run(&contest, step, ret, ret_state, error);
}

/* --- what follows ------------------------------------------------------------------------------
 */

static void withdraw(const struct confirm_problem *given, const struct confirmation *confirmation,
                     struct bisect_step *step)
{
    const struct bisect_check *check = &confirmation->check;

    if (confirmation->kind == CONFIRM_SHIFT)
        planner_say(step,
                    "#%u is worse than #%u at icount shift %u, but not at shift %u: medians %.6g "
                    "and %.6g over %u and %u trials, p = %.2g. The difference belongs to the speed "
                    "of the virtual CPU and cannot be put down to the commit.",
                    check->worse, check->base, given->shift, given->second_shift,
                    check->worse_median, check->base_median, check->worse_count, check->base_count,
                    check->p);
    else
        planner_say(step,
                    "#%u is worse than #%u as it is built, but not with every function aligned to "
                    "64 bytes: medians %.6g and %.6g over %u and %u trials, p = %.2g. The "
                    "difference belongs to the layout of the code and cannot be put down to the "
                    "commit.",
                    check->worse, check->base, check->worse_median, check->base_median,
                    check->worse_count, check->base_count, check->p);
    planner_decide(step, VERDICT_INCONCLUSIVE);
}

/* The verdict rests on culprit and parent, and stands. */
static void say_another(struct bisect_step *step)
{
    step->more_changes = true;
    planner_say(step,
                "Taking #%u back from the tip does not make it better: what came after it "
                "has an effect like it, and there is at least one more change.",
                step->culprit);
}

/* One confirmation. *ret_state WAITS: the step says for what. */
static int confirm_one(const struct confirm_problem *given, enum confirmation_kind kind,
                       struct bisect_step *step, struct confirmations *all,
                       enum contest_state *ret_state, struct culprit_error *error)
{
    struct confirmation *ret = &all->items[all->count];
    int r;

    *ret = (struct confirmation){.kind = kind};
    if (kind == CONFIRM_REVERTED) {
        r = run_reverted(given, step, ret, ret_state, error);
    } else {
        const struct contest contest = again(
            given, step, kind == CONFIRM_SHIFT ? PURPOSE_SHIFT : PURPOSE_ALIGNED);
        r = contest_run(&contest, step, ret, ret_state, error);
    }
    if (r < 0 || *ret_state == CONTEST_WAITS)
        return r;
    all->count++;
    if (ret->outcome == CONFIRMATION_VANISHED && kind == CONFIRM_REVERTED)
        say_another(step);
    else if (ret->outcome == CONFIRMATION_VANISHED)
        withdraw(given, ret, step);
    return 0;
}

/* Taken back from itself it is its parent, which it was compared with. */
static bool is_asked(const struct confirm_problem *given, enum confirmation_kind kind,
                     const struct bisect_step *step)
{
    return given->asked[kind] &&
           (kind != CONFIRM_REVERTED || step->culprit + 1 < given->problem->count);
}

/* Further confirmations' trials and builds, as far as the budget goes. */
static void expect(const struct confirm_problem *given, unsigned full, enum confirmation_kind first,
                   struct bisect_step *step)
{
    for (enum confirmation_kind kind = first; kind < CONFIRM_COUNT; kind++) {
        double trials = stock_trials_left(given) - step->expected_trials;
        double builds = stock_builds_left(given) - step->expected_builds;
        unsigned needed = kind == CONFIRM_ALIGNED ? 2 : kind == CONFIRM_REVERTED ? 1 : 0;

        if (!given->asked[kind] || trials < 2 * VERIFY_LEAST_TRIALS || builds < needed)
            continue;
        step->expected_trials += fmin(2.0 * full, trials);
        step->expected_builds += needed;
    }
}

int confirm_plan(const struct confirm_problem *given, struct bisect_step *step,
                 struct confirmations *ret, struct culprit_error *error)
{
    struct confirmations all = {0};

    *ret = all;
    if (step->check_count == 0)
        return 0;
    for (enum confirmation_kind kind = 0; kind < CONFIRM_COUNT; kind++) {
        enum contest_state state;
        int r;

        if (step->verdict != VERDICT_CULPRIT || !is_asked(given, kind, step))
            continue;
        r = confirm_one(given, kind, step, &all, &state, error);
        if (r < 0)
            return r;
        if (state == CONTEST_WAITS) {
            step->verdict = VERDICT_NONE;
            expect(given, full_look(given, step), kind + 1, step);
            return 0;
        }
    }
    *ret = all;
    return 0;
}

void confirm_estimate(const struct confirm_problem *given, struct bisect_step *step)
{
    expect(given, check_trials(given->problem), 0, step);
}
