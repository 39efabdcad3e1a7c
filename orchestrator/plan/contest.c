/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/contest.h"

#include <math.h>
#include <stdlib.h>

#include "plan/check.h"
#include "plan/stock.h"
#include "plan/verify.h"
#include "stats/rank.h"

enum { SIDES_MAXIMUM = BISECT_MAX_CHECKS + 1, LOOKS_MAXIMUM = 2 };

struct stocks {
    struct stock items[SIDES_MAXIMUM];
    unsigned count;
};

static void stocks_clear_cleanup(struct stocks *stocks)
{
    for (unsigned i = 0; i < stocks->count; i++)
        stock_clear(&stocks->items[i]);
}

static const struct contest_side *side_at(const struct contest *contest, unsigned place)
{
    return place == 0 ? &contest->worse : &contest->bases[place - 1];
}

static int take_stocks(const struct contest *contest, struct stocks *ret,
                       struct culprit_error *error)
{
    int r = 0;

    for (unsigned i = 0; r == 0 && i <= contest->base_count; i++) {
        ret->count++;
        r = stock_take(contest->given, side_at(contest, i), &ret->items[i], error);
    }
    return r;
}

/* A kernel that does not build or run, or that the host cannot try. */
static bool is_impossible(const struct contest *contest, const struct stocks *stocks,
                          struct confirmation *ret)
{
    for (unsigned i = 0; i < stocks->count; i++) {
        const struct contest_side *side = side_at(contest, i);
        const struct stock *stock = &stocks->items[i];

        if (stock_build(contest->given, side)->state != BUILD_BROKEN && !stock_is_broken(stock))
            continue;
        ret->outcome = CONFIRMATION_IMPOSSIBLE;
        ret->broken = side->commit;
        ret->broken_purpose = side->purpose;
        return true;
    }
    return false;
}

/* --- looks ----------------------------------------------------------------------------------- */

struct look {
    unsigned trials; /* a side */
    double level;
};

struct looks {
    struct look items[LOOKS_MAXIMUM];
    unsigned count; /* 0: the budget does not do */
};

/* Two, the second with twice the trials, where the budget permits; else one, as good as can be had.
 * What is there counts as affordable, so that the plan stays while its own trials come in. */
static struct looks plan_looks(const struct contest *contest, const struct stocks *stocks)
{
    double level = check_level(contest->given->problem);
    unsigned full = contest->full, share;
    size_t affordable = stock_trials_left(contest->given);
    struct looks ret = {0};

    for (unsigned i = 0; i < stocks->count; i++) {
        size_t there = stocks->items[i].count;
        affordable += there < 2 * (size_t)full ? there : 2 * (size_t)full;
    }
    share = affordable / stocks->count < full ? (unsigned)(affordable / stocks->count) : full;
    if (affordable >= 2 * (size_t)full * stocks->count) {
        ret.items[ret.count++] = (struct look){full, level * CHECK_FIRST_SHARE};
        ret.items[ret.count++] = (struct look){2 * full, level * (1 - CHECK_FIRST_SHARE)};
    } else if (share >= VERIFY_LEAST_TRIALS) {
        ret.items[ret.count++] = (struct look){share,
                                               fmax(level, mann_whitney_smallest_p(share, share))};
    }
    return ret;
}

/* The side's next free place at or after *index. */
static void want_trial(const struct confirm_problem *given, const struct contest_side *side,
                       unsigned *index, struct bisect_step *step)
{
    while (stock_has_place(given, side, *index))
        ++*index;
    step->wants[step->want_count++] = (struct bisect_want){
        .kind = WANT_TRIAL, .commit = side->commit, .purpose = side->purpose, .index = (*index)++};
}

/* In turn, so that what drifts meets all sides alike. How many trials are missing. */
static size_t want_missing(const struct contest *contest, const struct stocks *stocks,
                           unsigned trials, struct bisect_step *step)
{
    unsigned next[SIDES_MAXIMUM] = {0};
    size_t missing = 0;

    for (unsigned n = 0; n < trials; n++) {
        for (unsigned i = 0; i < stocks->count; i++) {
            if (stocks->items[i].count > n)
                continue;
            missing++;
            if (step->want_count < BISECT_MAX_WANTS)
                want_trial(contest->given, side_at(contest, i), &next[i], step);
        }
    }
    return missing;
}

/* How many builds are missing. */
static unsigned want_builds(const struct contest *contest, struct bisect_step *step)
{
    unsigned missing = 0;

    for (unsigned i = 0; i <= contest->base_count; i++) {
        const struct contest_side *side = side_at(contest, i);

        if (stock_build(contest->given, side)->state != BUILD_UNKNOWN)
            continue;
        missing++;
        if (step->want_count < BISECT_MAX_WANTS)
            step->wants[step->want_count++] = (struct bisect_want){
                .kind = WANT_BUILD,
                .commit = side->commit,
                .variant = trial_purpose_variant(side->purpose)};
    }
    return missing;
}

/* --- the answer ------------------------------------------------------------------------------ */

/* Half of what the verification saw, at the base's present level. */
static double half_of(const struct bisect_check *seen, double base_median)
{
    double half = fabs(seen->worse_median - seen->base_median) / 2;

    if (fabs(seen->base_median) > 0 && fabs(base_median) > 0)
        half *= fabs(base_median / seen->base_median);
    return half;
}

/* Whether the worse side is less than half as much worse as it was. */
static int rule_out(const struct stock *worse, const struct stock *base, unsigned trials,
                    double half, double level, bool *ret, struct culprit_error *error)
{
    _cleanup_free_ double *raised = calloc(trials, sizeof *raised);
    struct mann_whitney test;
    int r;

    if (!raised)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot compare %u trials: no memory",
                            trials);
    for (unsigned i = 0; i < trials; i++)
        raised[i] = base->values[i] + half;
    r = mann_whitney(raised, trials, worse->values, trials, &test, error);
    if (r == 0)
        *ret = test.p_greater <= level * (1 + 1e-9);
    return r;
}

static int compare(const struct contest *contest, const struct stocks *stocks, unsigned base,
                   const struct look *look, struct confirmation *ret, struct culprit_error *error)
{
    const struct planner planner = {.problem = contest->given->problem};
    const struct stock *worse = &stocks->items[0], *other = &stocks->items[base + 1];
    bool ruled_out = false;
    int r = check_compare(
        &planner, contest->worse.commit, (struct evidence_values){worse->values, look->trials},
        contest->bases[base].commit, (struct evidence_values){other->values, look->trials},
        look->level, &ret->check, error);

    if (r == 0 && !ret->check.passed)
        r = rule_out(worse, other, look->trials,
                     half_of(contest->seen[base], ret->check.base_median), look->level, &ruled_out,
                     error);
    ret->outcome = ret->check.passed ? CONFIRMATION_HELD
                   : ruled_out       ? CONFIRMATION_VANISHED
                                     : CONFIRMATION_OPEN;
    return r;
}

/* The base that says least for the difference speaks for all. */
static int take_look(const struct contest *contest, const struct stocks *stocks,
                     const struct look *look, struct confirmation *ret, struct culprit_error *error)
{
    static const int weight[] = {
        [CONFIRMATION_HELD] = 0, [CONFIRMATION_OPEN] = 1, [CONFIRMATION_VANISHED] = 2};
    int r = compare(contest, stocks, 0, look, ret, error);

    for (unsigned base = 1; r == 0 && base < contest->base_count; base++) {
        struct confirmation other = {.kind = ret->kind};

        r = compare(contest, stocks, base, look, &other, error);
        if (r == 0 && weight[other.outcome] > weight[ret->outcome])
            *ret = other;
    }
    return r;
}

/* Wants what is missing of it, or gives its answer. */
static int take_looks(const struct contest *contest, const struct stocks *stocks,
                      const struct looks *looks, struct bisect_step *step, struct confirmation *ret,
                      enum contest_state *ret_state, struct culprit_error *error)
{
    int r = 0;

    ret->outcome = CONFIRMATION_NO_TIME;
    for (unsigned i = 0; r == 0 && i < looks->count; i++) {
        size_t missing = want_missing(contest, stocks, looks->items[i].trials, step);

        if (missing > 0 && contest->given->late) {
            step->want_count = 0; /* what an earlier look said is all there will be */
            return 0;
        }
        if (missing > 0) {
            step->expected_builds = 0;
            step->expected_trials = (double)missing;
            *ret_state = CONTEST_WAITS;
            return 0;
        }
        r = take_look(contest, stocks, &looks->items[i], ret, error);
        if (ret->outcome != CONFIRMATION_OPEN)
            break;
    }
    return r;
}

int contest_run(const struct contest *contest, struct bisect_step *step, struct confirmation *ret,
                enum contest_state *ret_state, struct culprit_error *error)
{
    CULPRIT_CLEANUP(stocks_clear) struct stocks stocks = {0};
    int r = take_stocks(contest, &stocks, error);

    *ret_state = CONTEST_DECIDED;
    step->want_count = 0;
    if (r < 0 || is_impossible(contest, &stocks, ret))
        return r;
    const struct looks looks = plan_looks(contest, &stocks);
    const unsigned builds = looks.count > 0 ? want_builds(contest, step) : 0;
    if (looks.count > 0 && builds == 0)
        return take_looks(contest, &stocks, &looks, step, ret, ret_state, error);
    if (looks.count == 0 || builds > stock_builds_left(contest->given)) {
        ret->outcome = CONFIRMATION_NO_BUDGET;
    } else if (contest->given->late) {
        ret->outcome = CONFIRMATION_NO_TIME;
    } else {
        step->expected_builds = builds;
        step->expected_trials = (double)looks.items[0].trials * stocks.count;
        *ret_state = CONTEST_WAITS;
        return 0;
    }
    step->want_count = 0;
    return 0;
}
