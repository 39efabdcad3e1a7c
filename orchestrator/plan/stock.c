/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/stock.h"

#include <limits.h>
#include <stdlib.h>

#include "base/cleanup.h"

enum { INFRA_ATTEMPTS = 3 };

const struct bisect_build *stock_build(const struct confirm_problem *given,
                                       const struct contest_side *side)
{
    return &given->variants[trial_purpose_variant(side->purpose)][side->commit];
}

static bool failed(enum outcome outcome)
{
    return outcome != OUTCOME_OK && outcome != OUTCOME_INFRA_FAILED && outcome != OUTCOME_CANCELLED;
}

static bool ended(const struct bisect_trial *trial)
{
    return trial->outcome == OUTCOME_OK || failed(trial->outcome);
}

static unsigned trials_spent(const struct confirm_problem *given, bool confirming_only)
{
    unsigned spent = 0;

    for (size_t i = 0; i < given->facts->trial_count; i++)
        spent += ended(&given->facts->trials[i]) &&
                 (!confirming_only || trial_purpose_confirms(given->facts->trials[i].purpose));
    return spent;
}

static unsigned builds_spent(const struct confirm_problem *given, int first_variant)
{
    unsigned spent = 0;

    for (int v = first_variant; v < VARIANT_COUNT; v++)
        for (unsigned c = 0; c < given->problem->count; c++)
            spent += given->variants[v][c].state != BUILD_UNKNOWN && !given->variants[v][c].reused;
    return spent;
}

unsigned confirm_trials_spent(const struct confirm_problem *given)
{
    return trials_spent(given, true);
}

unsigned confirm_builds_spent(const struct confirm_problem *given)
{
    return builds_spent(given, VARIANT_PLAIN + 1);
}

static unsigned left(unsigned budget, unsigned spent)
{
    return budget == 0 ? INT_MAX : budget > spent ? budget - spent : 0;
}

unsigned stock_trials_left(const struct confirm_problem *given)
{
    return left(given->problem->max_trials, trials_spent(given, false));
}

unsigned stock_builds_left(const struct confirm_problem *given)
{
    return left(given->problem->max_builds, builds_spent(given, VARIANT_PLAIN));
}

/* Commits with one image are one kernel. */
static bool is_of(const struct confirm_problem *given, const struct bisect_trial *trial,
                  const struct contest_side *side)
{
    const struct contest_side own = {trial->commit, trial->purpose};
    const struct bisect_build *mine = stock_build(given, side), *its = stock_build(given, &own);

    return trial->purpose == side->purpose &&
           (trial->commit == side->commit ||
            (mine->state == BUILD_OK && its->state == BUILD_OK && mine->image == its->image));
}

static int by_place(const void *left_side, const void *right_side)
{
    const struct bisect_trial *a = left_side, *b = right_side;

    if (a->index != b->index)
        return a->index < b->index ? -1 : 1;
    if (a->commit != b->commit)
        return a->commit < b->commit ? -1 : 1;
    if (a->outcome != b->outcome)
        return a->outcome < b->outcome ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

/* The attempts at one place: a result counts once, whatever else came. OK sorts first. */
static void count_place(const struct bisect_trial *attempts, size_t count, double sign,
                        struct stock *stock)
{
    unsigned infra = 0, failures = 0;

    for (size_t i = 0; i < count; i++) {
        infra += attempts[i].outcome == OUTCOME_INFRA_FAILED;
        failures += failed(attempts[i].outcome);
    }
    if (attempts[0].outcome == OUTCOME_OK)
        stock->values[stock->count++] = sign * attempts[0].value;
    else if (failures > 0)
        stock->failed++;
    else
        stock->infra_failed = stock->infra_failed || infra >= INFRA_ATTEMPTS;
}

int stock_take(const struct confirm_problem *given, const struct contest_side *side,
               struct stock *ret, struct culprit_error *error)
{
    size_t total = given->facts->trial_count, count = 0;
    _cleanup_free_ struct bisect_trial *mine = calloc(total + 1, sizeof *mine);
    double sign = given->problem->lower_is_better ? 1 : -1;

    ret->values = calloc(total + 1, sizeof *ret->values);
    if (!mine || !ret->values)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot order %zu trials: no memory", total);
    for (size_t i = 0; i < total; i++)
        if (is_of(given, &given->facts->trials[i], side))
            mine[count++] = given->facts->trials[i];
    qsort(mine, count, sizeof *mine, by_place);
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && mine[end].index == mine[begin].index &&
                              mine[end].commit == mine[begin].commit;)
            end++;
        count_place(&mine[begin], end - begin, sign, ret);
    }
    return 0;
}

bool stock_has_place(const struct confirm_problem *given, const struct contest_side *side,
                     unsigned index)
{
    for (size_t i = 0; i < given->facts->trial_count; i++) {
        const struct bisect_trial *trial = &given->facts->trials[i];
        if (trial->commit == side->commit && trial->purpose == side->purpose &&
            trial->index == index && ended(trial))
            return true;
    }
    return false;
}

bool stock_is_broken(const struct stock *stock)
{
    return stock->infra_failed || (stock->failed >= 2 && stock->failed >= stock->count);
}

void stock_clear(struct stock *stock)
{
    free(stock->values);
    *stock = (struct stock){0};
}
