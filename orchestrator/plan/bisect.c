/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of a bisection: endpoints, labels, halving, verification. Each part has its file. */
#include "plan/bisect.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/check.h"
#include "plan/dag.h"
#include "plan/label.h"
#include "plan/planner.h"
#include "plan/posterior.h"
#include "plan/search.h"
#include "plan/verify.h"

const char *trial_purpose_name(enum trial_purpose purpose)
{
    return purpose == PURPOSE_VERIFY ? "verify" : "search";
}

void planner_say(struct bisect_step *step, const char *format, ...)
{
    size_t length = strlen(step->reason);
    va_list arguments;

    if (length + 2 >= sizeof step->reason)
        return;
    if (length > 0)
        step->reason[length++] = ' ';
    va_start(arguments, format);
    vsnprintf(step->reason + length, sizeof step->reason - length, format, arguments);
    va_end(arguments);
}

void planner_decide(struct bisect_step *step, enum bisect_verdict_kind verdict)
{
    step->verdict = verdict;
    step->want_count = 0;
    step->expected_builds = step->expected_trials = 0;
}

void planner_want_build(struct bisect_step *step, unsigned commit)
{
    for (size_t i = 0; i < step->want_count; i++)
        if (step->wants[i].kind == WANT_BUILD && step->wants[i].commit == commit)
            return;
    if (step->want_count < BISECT_MAX_WANTS)
        step->wants[step->want_count++] = (struct bisect_want){.kind = WANT_BUILD,
                                                               .commit = commit};
}

double planner_value(const struct planner *planner, double turned)
{
    return planner->problem->lower_is_better ? turned : -turned;
}

unsigned planner_trials_left(const struct planner *planner)
{
    unsigned spent = evidence_trials_spent(planner->evidence);

    if (planner->problem->max_trials == 0)
        return INT_MAX;
    return planner->problem->max_trials > spent ? planner->problem->max_trials - spent : 0;
}

bool planner_may_build(const struct planner *planner)
{
    return planner->problem->max_builds == 0 ||
           evidence_builds_spent(planner->evidence) < planner->problem->max_builds;
}

const char *bisect_reason_commit(const char *from, unsigned *ret_commit, size_t *ret_length)
{
    for (const char *at = strchr(from, '#'); at; at = strchr(at + 1, '#')) {
        char *end;
        unsigned long number;

        if (!isdigit((unsigned char)at[1]))
            continue;
        number = strtoul(at + 1, &end, 10);
        if (number > UINT_MAX)
            continue;
        *ret_commit = (unsigned)number;
        *ret_length = (size_t)(end - at);
        return at;
    }
    return NULL;
}

static int check_problem(const struct bisect_problem *problem, struct culprit_error *error)
{
    if (!(problem->confidence > 0.5 && problem->confidence < 1))
        return culprit_fail(error, CULPRIT_INVALID, "confidence %g is not between 0.5 and 1",
                            problem->confidence);
    if (!(problem->min_effect >= 0 && isfinite(problem->min_effect)))
        return culprit_fail(error, CULPRIT_INVALID, "min_effect %g is no size of an effect",
                            problem->min_effect);
    if (problem->trials_per_commit < 1 || problem->trials_per_commit > BISECT_TRIALS_MAXIMUM)
        return culprit_fail(error, CULPRIT_INVALID, "%u trials a commit: 1 to %d are possible",
                            problem->trials_per_commit, BISECT_TRIALS_MAXIMUM);
    return dag_check(problem, error);
}

static void planner_clear(struct planner *planner)
{
    free(planner->labels);
    free(planner->suspects);
    free(planner->posterior);
}

static inline void planner_clear_cleanup(struct planner *planner)
{
    planner_clear(planner);
}

static int planner_init(struct planner *planner, const struct bisect_problem *problem,
                        const struct evidence *evidence, struct bisect_step *step,
                        struct culprit_error *error)
{
    *planner = (struct planner){
        .problem = problem,
        .evidence = evidence,
        .labels = calloc(problem->count, sizeof *planner->labels),
        .suspects = calloc(problem->count, sizeof *planner->suspects),
        .posterior = calloc(problem->count, sizeof *planner->posterior),
        .step = step,
    };
    if (!planner->labels || !planner->suspects || !planner->posterior)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot plan: no memory for %u commits",
                            problem->count);
    return 0;
}

/* The endpoints' trials, as many as the gate looked at, draw the line between good and bad. */
static int draw_line(struct planner *planner, unsigned looked_at, struct culprit_error *error)
{
    struct evidence_values good = evidence_search(planner->evidence, 0);
    struct evidence_values bad = evidence_search(planner->evidence, planner->problem->count - 1);
    int r;

    good.count = looked_at;
    bad.count = looked_at;
    r = label_threshold(good, bad, &planner->threshold, error);
    if (r < 0)
        return r;
    planner->step->threshold = planner_value(planner, planner->threshold);
    label_commits(planner);
    return search_suspects(planner, error);
}

static int list_suspects(struct planner *planner, struct culprit_error *error)
{
    struct bisect_step *step = planner->step;

    if (planner->suspect_count == 0)
        return 0;
    step->suspects = calloc(planner->suspect_count, sizeof *step->suspects);
    if (!step->suspects)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot list %u suspects: no memory",
                            planner->suspect_count);
    for (unsigned c = 0; c < planner->problem->count; c++)
        if (planner->suspects[c])
            step->suspects[step->suspect_count++] = c;
    return 0;
}

/* Probability of the suspects, all together. */
static void weigh_suspects(struct planner *planner)
{
    double sum = 0;

    for (unsigned c = 0; c < planner->problem->count; c++)
        if (planner->suspects[c])
            sum += planner->posterior[c];
    planner->step->posterior = fmin(sum, 1);
}

/* What is left where the labels proved wrong: the most probable commits, until together they reach
 * the job's confidence or only impossible ones are left. */
static int suspect_most_probable(struct planner *planner, struct culprit_error *error)
{
    double sum = 0;

    memset(planner->suspects, 0, planner->problem->count * sizeof *planner->suspects);
    planner->suspect_count = 0;
    while (sum < planner->problem->confidence) {
        unsigned best = 0;

        for (unsigned c = 1; c < planner->problem->count; c++)
            if (!planner->suspects[c] && planner->posterior[c] > planner->posterior[best])
                best = c;
        if (best == 0)
            break;
        planner->suspects[best] = true;
        planner->suspect_count++;
        sum += planner->posterior[best];
    }
    planner->step->posterior = fmin(sum, 1);
    if (planner->no_single > 0.5)
        planner_say(planner->step,
                    "That no single change explains what was measured has probability %.2g.",
                    planner->no_single);
    bisect_step_clear(planner->step);
    return list_suspects(planner, error);
}

/* Trials that the search must leave untouched for the least verification. */
enum { RESERVED_TRIALS = 2 * VERIFY_LEAST_TRIALS };

static void stop_short(struct planner *planner, const char *what)
{
    planner_say(planner->step, "The budget for %s is spent; the fault lies in one of %u commits.",
                what, planner->suspect_count);
    planner_decide(planner->step, VERDICT_INCONCLUSIVE);
}

/* Wants the next commit's build or trials. *ret_done: no commit is left that would tell more, or a
 * verdict was reached. */
static int search_on(struct planner *planner, bool *ret_done, struct culprit_error *error)
{
    bool may_build = planner_may_build(planner);
    unsigned commit = 0, left = planner_trials_left(planner);
    size_t missing;
    int r = search_next(planner, !may_build, ret_done, &commit, error);

    if (r < 0)
        return r;
    *ret_done = !*ret_done;
    if (*ret_done && !may_build) {
        bool found;
        r = search_next(planner, false, &found, &commit, error);
        if (r == 0 && found)
            stop_short(planner, "builds");
        return r;
    }
    if (*ret_done)
        return 0;
    search_estimate(planner);
    verify_estimate(planner);
    if (!evidence_built(planner->evidence, commit)) {
        planner_want_build(planner->step, commit);
        return 0;
    }
    missing = label_trials_missing(planner, commit);
    if (left < missing + RESERVED_TRIALS) {
        stop_short(planner, "trials");
        *ret_done = true;
        return 0;
    }
    evidence_want_trials(planner->evidence, commit, PURPOSE_SEARCH, missing, planner->step);
    return 0;
}

static int conclude(struct planner *planner, unsigned looked_at, struct culprit_error *error)
{
    struct bisect_step *step = planner->step;
    bool explains_all;
    int r = verify_explains_all(planner, looked_at, &explains_all, error);

    if (r < 0)
        return r;
    step->more_changes = !explains_all;
    if (step->more_changes)
        planner_say(step, "It does not explain the whole difference between good and bad: there "
                          "is at least one more change.");
    if (planner->suspect_count > 1) {
        planner_say(step,
                    "The fault came in with one of %u commits that cannot be told apart, because "
                    "what lies between them does not build or run.",
                    planner->suspect_count);
        planner_decide(step, VERDICT_INCONCLUSIVE);
        return 0;
    }
    step->culprit = step->suspects[0];
    planner_decide(step, VERDICT_CULPRIT);
    return 0;
}

static int prove(struct planner *planner, unsigned looked_at, struct culprit_error *error)
{
    enum verification verification;
    int r;

    verify_estimate(planner);
    r = verify_suspects(planner, &verification, error);
    if (r < 0 || verification == VERIFY_WAITS)
        return r;
    if (verification == VERIFY_CONFIRMED)
        return conclude(planner, looked_at, error);
    planner_decide(planner->step, VERDICT_INCONCLUSIVE);
    return verification == VERIFY_REJECTED ? suspect_most_probable(planner, error) : 0;
}

static int plan_search(struct planner *planner, unsigned looked_at, struct culprit_error *error)
{
    bool done;
    int r = draw_line(planner, looked_at, error);

    if (r == 0)
        r = list_suspects(planner, error);
    if (r == 0)
        r = posterior_compute(planner, planner->posterior, &planner->no_single, error);
    if (r < 0)
        return r;
    weigh_suspects(planner);
    if (planner->suspect_count == 0) {
        planner_say(planner->step,
                    "What was measured fits no single change: a bad commit is an ancestor of a "
                    "good one, or bad ones have no ancestor in common.");
        planner_decide(planner->step, VERDICT_INCONCLUSIVE);
        return suspect_most_probable(planner, error);
    }
    r = search_on(planner, &done, error);
    if (r < 0 || !done || planner->step->verdict != VERDICT_NONE)
        return r;
    return prove(planner, looked_at, error);
}

int bisect_plan(const struct bisect_problem *problem, const struct bisect_facts *facts,
                struct bisect_step *ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(evidence_free) struct evidence *evidence = NULL;
    CULPRIT_CLEANUP(planner_clear) struct planner planner = {0};
    enum gate gate = GATE_CLOSED;
    unsigned looked_at = 0, commit;
    int r = check_problem(problem, error);

    if (r == 0)
        r = evidence_new(problem, facts, &evidence, error);
    if (r < 0)
        return r;
    *ret = (struct bisect_step){.threshold = NAN};
    r = planner_init(&planner, problem, evidence, ret, error);
    if (r < 0)
        return r;
    if (evidence_infra_failed(evidence, &commit)) {
        planner_say(ret, "A trial of #%u failed three times for reasons outside the kernel.",
                    commit);
        planner_decide(ret, VERDICT_INCONCLUSIVE);
        return 0;
    }
    r = check_endpoints(&planner, &gate, &looked_at, error);
    if (r == 0 && gate == GATE_OPEN)
        r = plan_search(&planner, looked_at, error);
    else if (r == 0 && gate == GATE_WAITS) {
        for (size_t i = 0; i < ret->want_count; i++) {
            ret->expected_builds += ret->wants[i].kind == WANT_BUILD;
            ret->expected_trials += ret->wants[i].kind == WANT_TRIAL;
        }
        planner.suspect_count = problem->count - 1;
        search_estimate(&planner);
        verify_estimate(&planner);
    }
    if (r < 0)
        bisect_step_clear(ret);
    return r;
}

void bisect_step_clear(struct bisect_step *step)
{
    if (!step)
        return;
    free(step->suspects);
    step->suspects = NULL;
    step->suspect_count = 0;
}

int bisect_labels(const struct bisect_problem *problem, const struct bisect_facts *facts,
                  enum bisect_label *ret_labels, bool *ret_inferred, struct culprit_error *error)
{
    CULPRIT_CLEANUP(evidence_free) struct evidence *evidence = NULL;
    CULPRIT_CLEANUP(planner_clear) struct planner planner = {0};
    struct bisect_step step = {0};
    enum gate gate = GATE_CLOSED;
    unsigned looked_at = 0;
    int r = check_problem(problem, error);

    if (r == 0)
        r = evidence_new(problem, facts, &evidence, error);
    if (r == 0)
        r = planner_init(&planner, problem, evidence, &step, error);
    if (r == 0)
        r = check_endpoints(&planner, &gate, &looked_at, error);
    if (r == 0 && gate == GATE_OPEN)
        r = draw_line(&planner, looked_at, error);
    if (r < 0)
        return r;
    for (unsigned c = 0; c < problem->count; c++) {
        if (gate != GATE_OPEN)
            planner.labels[c] = evidence_broken(evidence, c) ? LABEL_SKIP : LABEL_UNTESTED;
        ret_labels[c] = planner.labels[c];
        ret_inferred[c] = (planner.labels[c] == LABEL_GOOD || planner.labels[c] == LABEL_BAD) &&
                          !evidence_measured(evidence, c);
    }
    return 0;
}
