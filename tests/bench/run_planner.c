/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "base/cleanup.h"
#include "methods.h"

enum { TRIALS_MAXIMUM = 20000 };

/* The facts as they come in. */
struct ledger {
    const struct history *history;
    struct bisect_problem problem;
    struct bisect_facts facts;
    struct bisect_build *builds;
    struct bisect_trial *trials;
    unsigned built, tried[PURPOSE_COUNT];
};

static void ledger_clear(struct ledger *ledger)
{
    free(ledger->builds);
    free(ledger->trials);
}

static inline void ledger_clear_cleanup(struct ledger *ledger)
{
    ledger_clear(ledger);
}

static int ledger_open(struct ledger *ledger, const struct history *history,
                       struct culprit_error *error)
{
    *ledger = (struct ledger){
        .history = history,
        .builds = calloc(history->count, sizeof *ledger->builds),
        .trials = calloc(TRIALS_MAXIMUM, sizeof *ledger->trials),
    };
    if (!ledger->builds || !ledger->trials)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the facts");
    ledger->problem = (struct bisect_problem){
        .commits = history->commits,
        .count = history->count,
        .lower_is_better = true,
        .min_effect = history->options->min_effect,
        .min_effect_relative = true,
        .confidence = 0.99,
        .trials_per_commit = 5,
        .build_seconds = BUILD_SECONDS,
        .trial_seconds = BOOT_SECONDS + SAMPLE_SECONDS,
    };
    ledger->facts = (struct bisect_facts){.builds = ledger->builds, .trials = ledger->trials};
    return 0;
}

/* Purposes have boots of their own. */
static void fulfil(struct ledger *ledger, const struct bisect_want *want)
{
    if (want->kind == WANT_BUILD) {
        ledger->builds[want->commit] = (struct bisect_build){
            .state = ledger->history->broken[want->commit] ? BUILD_BROKEN : BUILD_OK,
            .image = want->commit,
        };
        ledger->built++;
        return;
    }
    ledger->trials[ledger->facts.trial_count++] = (struct bisect_trial){
        .commit = want->commit,
        .purpose = want->purpose,
        .index = want->index,
        .value = history_sample(ledger->history, want->commit, 2 * want->index + want->purpose, 0),
    };
    ledger->tried[want->purpose]++;
}

/* The search goes on with each trial's result; a verification needs all of its own anyway. */
static void fulfil_step(struct ledger *ledger, const struct bisect_step *step)
{
    bool verification = step->wants[0].kind == WANT_TRIAL &&
                        step->wants[0].purpose == PURPOSE_VERIFY;

    for (size_t i = 0; i < (verification ? step->want_count : 1); i++)
        fulfil(ledger, &step->wants[i]);
}

static void judge(const struct ledger *ledger, const struct bisect_step *step,
                  struct outcome_of_method *ret)
{
    unsigned culprit = ledger->history->culprit;

    *ret = (struct outcome_of_method){
        .samples = ledger->tried[PURPOSE_SEARCH],
        .verification = ledger->tried[PURPOSE_VERIFY],
        .builds = ledger->built,
        .exact = step->verdict == VERDICT_CULPRIT && step->culprit == culprit,
        .inconclusive = step->verdict != VERDICT_CULPRIT,
    };
    ret->seconds = (double)ret->builds * BUILD_SECONDS +
                   (double)ret->samples * (BOOT_SECONDS + SAMPLE_SECONDS);
    ret->in_set = ret->exact;
    for (size_t i = 0; ret->inconclusive && i < step->suspect_count; i++)
        ret->in_set = ret->in_set || step->suspects[i] == culprit;
}

int run_planner(const struct history *history, struct outcome_of_method *ret,
                struct culprit_error *error)
{
    CULPRIT_CLEANUP(ledger_clear) struct ledger ledger = {0};
    int r = ledger_open(&ledger, history, error);

    while (r == 0) {
        struct bisect_step step;

        r = bisect_plan(&ledger.problem, &ledger.facts, &step, error);
        if (r < 0)
            return r;
        if (step.verdict != VERDICT_NONE) {
            judge(&ledger, &step, ret);
            bisect_step_clear(&step);
            return 0;
        }
        if (step.want_count == 0 || ledger.facts.trial_count + BISECT_MAX_WANTS > TRIALS_MAXIMUM)
            r = culprit_fail(error, CULPRIT_INTERNAL, "the planner does not come to an end");
        else
            fulfil_step(&ledger, &step);
        bisect_step_clear(&step);
    }
    return r;
}
