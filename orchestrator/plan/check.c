/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/check.h"

#include <math.h>

#include "plan/verify.h"
#include "stats/inference.h"
#include "stats/rank.h"
#include "stats/summary.h"

/* Above this one-sided p nothing hints at a regression, and more trials are not asked for. */
static const double nothing_seen = 0.05;

static double level_of(const struct bisect_problem *problem)
{
    return 1 - problem->confidence;
}

unsigned check_trials(const struct bisect_problem *problem)
{
    unsigned trials = problem->trials_per_commit;

    while (trials < MANN_WHITNEY_EXACT_MAXIMUM &&
           mann_whitney_smallest_p(trials, trials) > level_of(problem) / 2)
        trials++;
    return trials;
}

int check_compare(const struct planner *planner, unsigned worse,
                  struct evidence_values worse_values, unsigned base,
                  struct evidence_values base_values, double level, struct bisect_check *ret,
                  struct culprit_error *error)
{
    struct mann_whitney test;
    double worse_median, base_median;
    int r = mann_whitney(worse_values.values, worse_values.count, base_values.values,
                         base_values.count, &test, error);

    if (r == 0)
        r = samples_median(worse_values.values, worse_values.count, &worse_median, error);
    if (r == 0)
        r = samples_median(base_values.values, base_values.count, &base_median, error);
    if (r < 0)
        return r;
    *ret = (struct bisect_check){
        .worse = worse,
        .base = base,
        .worse_count = (unsigned)worse_values.count,
        .base_count = (unsigned)base_values.count,
        .worse_median = planner_value(planner, worse_median),
        .base_median = planner_value(planner, base_median),
        .p = test.p_greater,
        .level = level,
        .passed = test.p_greater <= level * (1 + 1e-9),
    };
    return 0;
}

static double effect_of(const struct planner *planner, const struct bisect_check *check)
{
    double shift = check->worse_median - check->base_median;

    return planner->problem->lower_is_better ? shift : -shift;
}

static double least_effect(const struct planner *planner, const struct bisect_check *check)
{
    const struct bisect_problem *problem = planner->problem;

    return problem->min_effect * (problem->min_effect_relative ? fabs(check->base_median) : 1);
}

static bool big_enough(const struct planner *planner, const struct bisect_check *check)
{
    double effect = effect_of(planner, check);

    return effect > 0 && effect >= least_effect(planner, check);
}

/* "No regression" in the words that fit what 0 is. */
static void decide_no_regression(struct planner *planner)
{
    if (planner->problem->good_is_merge_base) {
        planner_say(planner->step,
                    "Good is not an ancestor of bad, so their merge base #0 was tested instead; it "
                    "is no better than bad: either good carries a fix that bad lacks, or nothing "
                    "regressed.");
        planner_decide(planner->step, VERDICT_MERGE_BASE_BAD);
    } else {
        planner_decide(planner->step, VERDICT_NO_REGRESSION);
    }
}

/* How many trials would show a difference of the size that was seen, if it is real. */
static int say_trials_needed(struct planner *planner, struct evidence_values bad,
                             struct evidence_values good, struct culprit_error *error)
{
    struct sample_summary of_bad, of_good;
    double spread;
    size_t trials;
    int r = samples_summarise(bad.values, bad.count, &of_bad, error);

    if (r == 0)
        r = samples_summarise(good.values, good.count, &of_good, error);
    if (r < 0)
        return r;
    spread = hypot(of_bad.deviation, of_good.deviation) / M_SQRT2;
    if (of_bad.median > of_good.median && spread > 0 &&
        trials_needed((of_bad.median - of_good.median) / spread, 2 * level_of(planner->problem),
                      0.9, &trials, NULL) == 0)
        planner_say(planner->step, "About %zu trials a side would show a difference of that size.",
                    trials);
    return 0;
}

static int close_gate(struct planner *planner, struct evidence_values bad,
                      struct evidence_values good, struct culprit_error *error)
{
    const struct bisect_check *check = &planner->step->endpoint;

    planner_say(
        planner->step, "Median of bad %.6g against %.6g of good, %u and %u trials, p = %.2g.",
        check->worse_median, check->base_median, check->worse_count, check->base_count, check->p);
    if (check->passed) {
        planner_say(planner->step, "Bad is worse, but by less than the job's min_effect of %.6g.",
                    least_effect(planner, check));
        decide_no_regression(planner);
        return 0;
    }
    if (check->p > nothing_seen) {
        planner_say(planner->step, "That is no sign of a regression.");
        decide_no_regression(planner);
        return 0;
    }
    planner_say(planner->step, "That is not enough to bisect on: a p of at most %.2g is needed.",
                check->level);
    planner_decide(planner->step, VERDICT_INCONCLUSIVE);
    return say_trials_needed(planner, bad, good, error);
}

/* A second look costs as much again. It is worth it if the least verification and half a search can
 * still be paid for: an answer on the ends is worth more than a search between ends in doubt. */
static bool may_look_twice(const struct planner *planner)
{
    double steps = ceil(log2(planner->problem->count));
    unsigned majority = planner->problem->trials_per_commit / 2 + 1;
    double search = steps * majority;

    return planner->problem->max_trials == 0 ||
           4.0 * check_trials(planner->problem) + 2 * VERIFY_LEAST_TRIALS + search / 2 <=
               planner->problem->max_trials;
}

static bool ends_are_built(struct planner *planner, unsigned last)
{
    const struct evidence *evidence = planner->evidence;
    const unsigned ends[] = {0, last};
    const char *const names[] = {"Good", "Bad"};

    for (int i = 0; i < 2; i++)
        if (evidence_broken(evidence, ends[i])) {
            planner_say(planner->step, "%s (#%u) does not %s.", names[i], ends[i],
                        evidence_built(evidence, ends[i]) ? "run the workload to its end"
                                                          : "build");
            planner_decide(planner->step, VERDICT_INCONCLUSIVE);
            return false;
        }
    for (int i = 0; i < 2; i++)
        if (!evidence_built(evidence, ends[i]))
            planner_want_build(planner->step, ends[i]);
    if (planner->step->want_count > 0 && !planner_may_build(planner)) {
        planner_say(planner->step, "The budget for builds is spent before good and bad are built.");
        planner_decide(planner->step, VERDICT_INCONCLUSIVE);
        return false;
    }
    return planner->step->want_count == 0;
}

/* Both sides at once, good and bad in turn, so that a drift of the machine hits both alike. */
static void want_both(struct planner *planner, unsigned last, size_t good_count, size_t bad_count)
{
    struct bisect_step good = {0}, bad = {0};

    evidence_want_trials(planner->evidence, 0, PURPOSE_SEARCH, good_count, &good);
    evidence_want_trials(planner->evidence, last, PURPOSE_SEARCH, bad_count, &bad);
    for (size_t i = 0; i < good.want_count || i < bad.want_count; i++) {
        struct bisect_step *step = planner->step;
        if (i < good.want_count && step->want_count < BISECT_MAX_WANTS)
            step->wants[step->want_count++] = good.wants[i];
        if (i < bad.want_count && step->want_count < BISECT_MAX_WANTS)
            step->wants[step->want_count++] = bad.wants[i];
    }
}

static int want_endpoint_trials(struct planner *planner, size_t good_count, size_t bad_count,
                                enum gate *ret)
{
    if (planner_trials_left(planner) < good_count + bad_count) {
        planner_say(planner->step,
                    "The budget has %u trials left; %zu more of good and bad are needed to tell "
                    "them apart.",
                    planner_trials_left(planner), good_count + bad_count);
        planner_decide(planner->step, VERDICT_INCONCLUSIVE);
        *ret = GATE_CLOSED;
        return 0;
    }
    want_both(planner, planner->problem->count - 1, good_count, bad_count);
    *ret = GATE_WAITS;
    return 0;
}

static struct evidence_values first_of(struct evidence_values values, size_t count)
{
    values.count = values.count < count ? values.count : count;
    return values;
}

/* One look at the endpoints with `trials` a side. */
static int look(struct planner *planner, unsigned trials, double level, enum gate *ret,
                struct culprit_error *error)
{
    unsigned last = planner->problem->count - 1;
    struct evidence_values good = first_of(evidence_search(planner->evidence, 0), trials);
    struct evidence_values bad = first_of(evidence_search(planner->evidence, last), trials);
    int r;

    if (good.count < trials || bad.count < trials)
        return want_endpoint_trials(planner, trials - good.count, trials - bad.count, ret);
    r = check_compare(planner, last, bad, 0, good, level, &planner->step->endpoint, error);
    if (r < 0)
        return r;
    *ret = GATE_CLOSED;
    if (planner->step->endpoint.passed && big_enough(planner, &planner->step->endpoint))
        *ret = GATE_OPEN;
    return 0;
}

int check_endpoints(struct planner *planner, enum gate *ret, unsigned *ret_looked_at,
                    struct culprit_error *error)
{
    unsigned last = planner->problem->count - 1, trials = check_trials(planner->problem);
    bool twice = may_look_twice(planner);
    double level = level_of(planner->problem) / (twice ? 2 : 1);
    int r;

    *ret = GATE_WAITS;
    if (!ends_are_built(planner, last)) {
        if (planner->step->verdict != VERDICT_NONE)
            *ret = GATE_CLOSED;
        return 0;
    }
    if (evidence_class(planner->evidence, 0) == evidence_class(planner->evidence, last)) {
        planner_say(planner->step, "Good and bad build to the same kernel image, bit for bit.");
        planner_decide(planner->step, VERDICT_NO_REGRESSION);
        *ret = GATE_CLOSED;
        return 0;
    }
    *ret_looked_at = trials;
    r = look(planner, trials, level, ret, error);
    if (r < 0 || *ret != GATE_CLOSED || planner->step->verdict != VERDICT_NONE)
        return r;
    /* Not clear. Where bad is not even the worse of the two, a second look is not worth its cost.
     */
    if (twice && effect_of(planner, &planner->step->endpoint) > 0) {
        *ret_looked_at = 2 * trials;
        r = look(planner, 2 * trials, level, ret, error);
        if (r < 0 || *ret != GATE_CLOSED || planner->step->verdict != VERDICT_NONE)
            return r;
    }
    return close_gate(planner, first_of(evidence_search(planner->evidence, last), *ret_looked_at),
                      first_of(evidence_search(planner->evidence, 0), *ret_looked_at), error);
}
