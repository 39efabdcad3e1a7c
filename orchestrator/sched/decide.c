/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/decide.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "sched/confirming.h"
#include "sched/pruning.h"

void decision_clear(struct decision *decision)
{
    bisect_step_clear(&decision->step);
    *decision = (struct decision){0};
}

uint64_t dossier_deadline(const struct dossier *dossier)
{
    uint64_t budget = dossier->job->budget.time_ns;
    return budget && dossier->record.started_ns ? dossier->record.started_ns + budget : 0;
}

/* A build that the host keeps failing decides nothing about the commit: the job ends. */
static bool give_up_on_builds(const struct dossier *dossier, struct decision *decision)
{
    for (size_t i = 0; i < dossier->commits.count; i++) {
        const struct dossier_build *built = &dossier->built[i];
        if (built->build || built->infra_failures < ATTEMPTS_MAXIMUM)
            continue;
        decision->kind = DECISION_FAILURE;
        snprintf(decision->message, sizeof decision->message,
                 "commit %.12s could not be built in %u attempts, for reasons that lie in this "
                 "host: %s",
                 dossier->commits.items[i].id, built->infra_failures, built->last->message);
        return true;
    }
    return false;
}

static const char *verdict_word(enum bisect_verdict_kind verdict)
{
    switch (verdict) {
    case VERDICT_CULPRIT:
        return "culprit";
    case VERDICT_NO_REGRESSION:
        return "no_regression";
    case VERDICT_MERGE_BASE_BAD:
        return "merge_base_bad";
    case VERDICT_INCONCLUSIVE:
        return "inconclusive";
    case VERDICT_NONE:
        break;
    }
    return "none";
}

/* Time is over: the planner is asked what it would say if nothing more could be done. */
static int plan_out_of_time(const struct dossier *dossier, struct bisect_problem *problem,
                            const struct bisect_facts *facts, struct bisect_step *step,
                            struct culprit_error *error)
{
    char budget[UNITS_TEXT_SIZE], reason[BISECT_REASON_SIZE];

    bisect_step_clear(step);
    problem->max_trials = 0;
    for (size_t i = 0; i < facts->trial_count; i++)
        problem->max_trials += !trial_purpose_confirms(facts->trials[i].purpose);
    if (problem->max_trials == 0)
        problem->max_trials = 1;
    problem->max_builds = 1;
    int status = bisect_plan(problem, facts, step, error);
    if (status < 0)
        return status;
    if (step->verdict == VERDICT_NONE) {
        step->verdict = VERDICT_INCONCLUSIVE;
        step->want_count = 0;
    }
    snprintf(reason, sizeof reason, "The time budget of %s is used up. %.900s",
             format_duration(dossier->job->budget.time_ns, budget),
             step->reason[0] ? step->reason : "A larger budget.time lets the search go on.");
    memcpy(step->reason, reason, sizeof reason);
    return 0;
}

static unsigned fresh_builds(const struct dossier *dossier)
{
    unsigned count = 0;

    for (size_t i = 0; i < dossier->commits.count; i++)
        count += dossier->states[i].state != BUILD_UNKNOWN && !dossier->states[i].reused;
    return count;
}

/* What the planner took for built may be so by inference only. */
static void ground_in_builds(const struct dossier *dossier, bool late, struct bisect_step *step)
{
    unsigned budget = dossier->job->budget.builds;

    pruning_redirect(dossier, step);
    pruning_prove(dossier, !late && (budget == 0 || fresh_builds(dossier) < budget), step);
}

/* The planner's step. A result that came late may send it back to work after a verdict: then it
 * does without what the confirmations took. */
static int plan(const struct dossier *dossier, const struct confirm_problem *given,
                struct bisect_step *step, struct culprit_error *error)
{
    struct bisect_problem problem = *given->problem;

    int status = bisect_plan(&problem, given->facts, step, error);
    if (status == 0 && step->verdict == VERDICT_NONE &&
        confirm_trials_spent(given) + confirm_builds_spent(given) > 0) {
        confirming_charge(given, &problem);
        bisect_step_clear(step);
        status = bisect_plan(&problem, given->facts, step, error);
    }
    if (status == 0 && step->verdict == VERDICT_NONE && given->late)
        status = plan_out_of_time(dossier, &problem, given->facts, step, error);
    if (status == 0)
        ground_in_builds(dossier, given->late, step);
    return status;
}

static int decide_bisect(const struct dossier *dossier, uint64_t now_ns, struct decision *decision,
                         struct culprit_error *error)
{
    struct bisect_problem problem;
    struct bisect_facts facts;
    struct confirm_problem given;
    uint64_t deadline = dossier_deadline(dossier);

    dossier_problem(dossier, &problem);
    dossier_facts(dossier, &facts);
    confirming_problem(dossier, &problem, &facts, deadline && now_ns >= deadline, &given);
    int status = plan(dossier, &given, &decision->step, error);
    if (status == 0 && decision->step.verdict == VERDICT_NONE)
        confirm_estimate(&given, &decision->step);
    else if (status == 0)
        status = confirm_plan(&given, &decision->step, &decision->confirmations, error);
    if (status == 0)
        pruning_redirect(dossier, &decision->step);
    if (status < 0)
        return culprit_error_prefix(error, "cannot plan job %lld", (long long)dossier->record.id);
    decision->kind = decision->step.verdict == VERDICT_NONE ? DECISION_WORK : DECISION_VERDICT;
    decision->verdict = verdict_word(decision->step.verdict);
    return 0;
}

/* How the trials of a run stand at one index. */
struct run_index {
    bool settled; /* by anything that is not the host's fault */
    unsigned infra_failures;
};

static struct run_index look_at_index(const struct dossier *dossier, unsigned index)
{
    struct run_index ret = {0};

    for (size_t i = 0; i < dossier->trials.count; i++) {
        const struct bisect_trial *trial = &dossier->outcomes[i];
        if (trial->index != index || trial->outcome == OUTCOME_CANCELLED)
            continue;
        if (trial->outcome == OUTCOME_INFRA_FAILED)
            ret.infra_failures++;
        else
            ret.settled = true;
    }
    return ret;
}

static const char *last_message(const struct dossier *dossier)
{
    for (size_t i = dossier->trials.count; i-- > 0;) {
        if (dossier->trials.items[i].message && dossier->trials.items[i].message[0])
            return dossier->trials.items[i].message;
    }
    return "no reason is known";
}

static unsigned count_outcome(const struct dossier *dossier, enum outcome outcome)
{
    unsigned count = 0;

    for (size_t i = 0; i < dossier->trials.count; i++)
        count += dossier->outcomes[i].outcome == outcome;
    return count;
}

static void run_failed(struct decision *decision, const char *what, const char *why)
{
    decision->kind = DECISION_FAILURE;
    snprintf(decision->message, sizeof decision->message, "%s: %s", what, why);
}

/* All trials are there, or time is over: is there something to report? */
static void finish_run(const struct dossier *dossier, bool late, struct decision *decision)
{
    unsigned ok = count_outcome(dossier, OUTCOME_OK);

    if (!ok) {
        run_failed(decision,
                   late ? "the time budget is used up and no trial gave a result"
                        : "no trial gave a result",
                   last_message(dossier));
        return;
    }
    decision->kind = DECISION_VERDICT;
    decision->verdict = "measured";
    snprintf(decision->step.reason, sizeof decision->step.reason,
             "%u of %u trials gave a result%s.", ok, dossier->job->trials,
             late ? "; the time budget is used up" : "");
}

static void want_trials(const struct dossier *dossier, struct decision *decision)
{
    struct bisect_step *step = &decision->step;

    for (unsigned index = 0; index < dossier->job->trials; index++) {
        struct run_index at = look_at_index(dossier, index);
        if (at.settled)
            continue;
        if (at.infra_failures >= ATTEMPTS_MAXIMUM) {
            run_failed(decision, "a trial failed three times for reasons that lie in this host",
                       last_message(dossier));
            return;
        }
        step->expected_trials += 1;
        if (step->want_count < BISECT_MAX_WANTS)
            step->wants[step->want_count++] = (struct bisect_want){
                .kind = WANT_TRIAL, .purpose = PURPOSE_SEARCH, .index = index};
    }
}

/* A run: build the one commit, then `trials` trials of it. A kernel that failed to boot twice is
 * not booted a third time. */
static void decide_run(const struct dossier *dossier, uint64_t now_ns, struct decision *decision)
{
    const struct stored_build *build = dossier->built[0].build;
    uint64_t deadline = dossier_deadline(dossier);
    struct bisect_step *step = &decision->step;

    step->threshold = (double)NAN;
    decision->kind = DECISION_WORK;
    if (build && build->outcome != OUTCOME_OK) {
        run_failed(decision, "the commit does not build", build->message);
    } else if (deadline && now_ns >= deadline) {
        finish_run(dossier, true, decision);
    } else if (!build) {
        step->wants[step->want_count++] = (struct bisect_want){.kind = WANT_BUILD};
        step->expected_builds = 1;
        step->expected_trials = dossier->job->trials;
    } else if (count_outcome(dossier, OUTCOME_BOOT_FAILED) >= 2) {
        run_failed(decision, "the kernel does not boot", last_message(dossier));
    } else {
        want_trials(dossier, decision);
        if (decision->kind == DECISION_WORK && !step->want_count)
            finish_run(dossier, false, decision);
    }
}

int decide(const struct dossier *dossier, uint64_t now_ns, struct decision *ret,
           struct culprit_error *error)
{
    CULPRIT_CLEANUP(decision_clear) struct decision decision = {0};
    int status = 0;

    if (give_up_on_builds(dossier, &decision))
        ;
    else if (dossier->job->kind == JOB_BISECT)
        status = decide_bisect(dossier, now_ns, &decision, error);
    else
        decide_run(dossier, now_ns, &decision);
    if (status < 0)
        return status;
    *ret = decision;
    memset(&decision, 0, sizeof decision);
    return 0;
}
