/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of a bisection: endpoints, search, verification. Each part has its file. */
#include "plan/bisect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/check.h"
#include "plan/choose.h"
#include "plan/dag.h"
#include "plan/gate.h"
#include "plan/label.h"
#include "plan/planner.h"
#include "plan/posterior.h"
#include "plan/prove.h"
#include "plan/suspects.h"
#include "plan/verify.h"

static bool is_cost(double seconds)
{
    return seconds >= 0 && isfinite(seconds);
}

static int check_weights(const struct bisect_problem *problem, struct culprit_error *error)
{
    double sum = 0;

    for (unsigned c = 1; problem->prior_weights && c < problem->count; c++) {
        double weight = problem->prior_weights[c];

        if (!(weight >= 0 && isfinite(weight)))
            return culprit_fail(error, CULPRIT_INVALID, "commit %u has %g as its prior weight", c,
                                weight);
        sum += weight;
    }
    if (!isfinite(sum))
        return culprit_fail(error, CULPRIT_INVALID, "the prior weights have no finite sum");
    return 0;
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
    if (!is_cost(problem->build_seconds) || !is_cost(problem->trial_seconds))
        return culprit_fail(error, CULPRIT_INVALID, "a build of %g or a trial of %g seconds",
                            problem->build_seconds, problem->trial_seconds);
    if (!(problem->noise.spread >= 0 && isfinite(problem->noise.spread)))
        return culprit_fail(error, CULPRIT_INVALID, "a calibrated spread of %g",
                            problem->noise.spread);
    int r = dag_check(problem, error);
    return r < 0 ? r : check_weights(problem, error);
}

static void planner_clear(struct planner *planner)
{
    posterior_clear(&planner->posterior);
    free(planner->suspects);
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
        .suspects = calloc(problem->count, sizeof *planner->suspects),
        .step = step,
    };
    if (!planner->suspects)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot plan: no memory for %u commits",
                            problem->count);
    return 0;
}

/* The line between good and bad, for people to read. */
static int draw_line(struct planner *planner, struct culprit_error *error)
{
    struct evidence_values good = evidence_search(planner->evidence, 0);
    struct evidence_values bad = evidence_search(planner->evidence, planner->problem->count - 1);
    double threshold = 0;
    int r = 0;

    if (planner->problem->measure == MEASURE_EVENT) {
        struct proportion of_good = check_failures(good), of_bad = check_failures(bad);
        threshold = (proportion_share(&of_good) + proportion_share(&of_bad)) / 2;
    } else {
        r = label_threshold(good, bad, &threshold, error);
    }
    if (r == 0)
        planner->step->threshold = planner_value(planner, threshold);
    return r;
}

static bool is_sure(const struct planner *planner)
{
    return planner->suspect_probability >= planner->problem->confidence;
}

/* Trials that the search must leave untouched for the least verification. */
enum { RESERVED_TRIALS = 2 * VERIFY_LEAST_TRIALS };

static void stop_short(struct planner *planner, const char *what)
{
    planner_say(planner->step,
                "The budget for %s is spent; the fault lies in one of %u commits, with "
                "probability %.2g.",
                what, planner->suspect_count, planner->suspect_probability);
    prove_say_alternatives(planner);
    planner_decide(planner->step, VERDICT_INCONCLUSIVE);
}

/* A batch that is expected to tell less than this is not worth while. */
static const double least_bits = 1e-4;

/* Wants the build or the trials that tell most. */
static int search_on(struct planner *planner, struct culprit_error *error)
{
    bool may_build = planner_may_build(planner);
    unsigned left = planner_trials_left(planner);
    struct choice choice;
    int r = choose_next(planner, may_build, &choice, error);

    if (r < 0)
        return r;
    choose_estimate(planner, suspects_entropy(planner), planner->posterior.deviations);
    verify_estimate(planner);
    if (!choice.found || choice.bits < least_bits) {
        planner_say(planner->step,
                    "Further trials would not tell more; the fault lies in one of %u commits.",
                    planner->suspect_count);
        prove_say_alternatives(planner);
        planner_decide(planner->step, VERDICT_INCONCLUSIVE);
    } else if (!evidence_built(planner->evidence, choice.commit)) {
        planner_want_build(planner->step, choice.commit);
    } else if (left <= RESERVED_TRIALS) {
        bool proven;
        r = prove_at_last(planner, &proven, error);
        if (r == 0 && !proven && planner->step->want_count == 0)
            stop_short(planner, "trials");
        return r;
    } else {
        left -= RESERVED_TRIALS;
        evidence_want_trials(planner->evidence, choice.commit, PURPOSE_SEARCH,
                             choice.trials < left ? choice.trials : left, planner->step);
    }
    return 0;
}

static int plan_search(struct planner *planner, struct culprit_error *error)
{
    bool may_build = planner_may_build(planner), divides = true, would = false;
    int r = draw_line(planner, error);

    if (r == 0)
        r = prove_weigh(planner, false, error);
    if (r < 0)
        return r;
    if (planner->posterior.cells.count == 0) {
        planner_say(planner->step, "Good and bad differ, but no commit between them can be the "
                                   "reason: none of them changes the kernel image.");
        planner_decide(planner->step, VERDICT_INCONCLUSIVE);
        return 0;
    }
    if (planner->posterior.nothing >= planner->problem->confidence) {
        planner_say(planner->step,
                    "With further trials good and bad ceased to differ: that nothing "
                    "does has probability %.4g.",
                    fmin(planner->posterior.nothing, 0.9999));
        gate_no_regression(planner);
        return 0;
    }
    if (planner->posterior.pair_probability >= planner->problem->confidence)
        return prove_two(planner, error);
    if (is_sure(planner) && planner->suspect_count == 1)
        return prove_suspects(planner, error);
    if (is_sure(planner))
        r = choose_divides(planner, planner->suspects, may_build, &divides, error);
    if (r == 0 && !divides && !may_build)
        r = choose_divides(planner, planner->suspects, true, &would, error);
    if (r < 0)
        return r;
    if (divides)
        return search_on(planner, error);
    if (!would)
        return prove_suspects(planner, error);
    stop_short(planner, "builds");
    return 0;
}

static void estimate_all(struct planner *planner)
{
    struct bisect_step *step = planner->step;

    for (size_t i = 0; i < step->want_count; i++) {
        step->expected_builds += step->wants[i].kind == WANT_BUILD;
        step->expected_trials += step->wants[i].kind == WANT_TRIAL;
    }
    choose_estimate(planner, log2(planner->problem->count - 1), 5);
    verify_estimate(planner);
}

int bisect_plan(const struct bisect_problem *problem, const struct bisect_facts *facts,
                struct bisect_step *ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(evidence_free) struct evidence *evidence = NULL;
    CULPRIT_CLEANUP(planner_clear) struct planner planner = {0};
    enum gate gate = GATE_CLOSED;
    unsigned commit;
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
    r = gate_endpoints(&planner, &gate, error);
    if (r == 0 && gate == GATE_OPEN)
        r = plan_search(&planner, error);
    else if (r == 0 && gate == GATE_WAITS)
        estimate_all(&planner);
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
    int r = check_problem(problem, error);

    if (r == 0)
        r = evidence_new(problem, facts, &evidence, error);
    if (r == 0)
        r = planner_init(&planner, problem, evidence, &step, error);
    if (r == 0)
        r = gate_endpoints(&planner, &gate, error);
    if (r == 0 && gate == GATE_OPEN)
        r = prove_weigh(&planner, false, error);
    bisect_step_clear(&step);
    if (r < 0)
        return r;
    for (unsigned c = 0; c < problem->count; c++) {
        ret_labels[c] = evidence_broken(evidence, c) ? LABEL_SKIP : LABEL_UNTESTED;
        if (gate == GATE_OPEN)
            ret_labels[c] = label_of(&planner, c);
        ret_inferred[c] = (ret_labels[c] == LABEL_GOOD || ret_labels[c] == LABEL_BAD) &&
                          !evidence_measured(evidence, c);
    }
    return 0;
}
