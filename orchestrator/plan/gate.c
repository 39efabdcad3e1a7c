/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/gate.h"

#include <math.h>
#include <stdlib.h>

#include "plan/check.h"
#include "plan/ends.h"
#include "plan/noise.h"
#include "plan/verify.h"
#include "stats/rank.h"

/* Trials of an end at the last look, where no budget says less: half a deviation is seen by then.
 */
enum { MOST_A_SIDE = 250 };

/* How the looks share the level: most of it goes to the first, where large effects are seen, and to
 * the last; those between see much the same data as their neighbours. The shares add up to more
 * than 1, but looks that a third of the data parts seldom err by themselves: simulated with normal
 * values, the fourteen from 5 to 250 trials together err 1.01 times as often as the level says, and
 * fewer looks less often. Looks that come late by half cost a tenth more trials. */
static const double first_share = CHECK_FIRST_SHARE, inner_share = 0.07, last_share = 0.3;

void gate_no_regression(struct planner *planner)
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

/* When the ends are looked at: trials a side, each a third as many again as the one before. */
enum { LOOKS_MAXIMUM = 20 };
struct looks {
    unsigned trials[LOOKS_MAXIMUM], count;
};

/* Trials a side at the last look: what leaves enough for half a search and the least verification.
 * An answer on the ends is worth more than a search between ends in doubt. */
static unsigned most_trials(const struct planner *planner)
{
    unsigned majority = planner->problem->trials_per_commit / 2 + 1;
    double search = ceil(log2(planner->problem->count)) * majority;
    double left = planner->problem->max_trials - 2.0 * VERIFY_LEAST_TRIALS - search / 2;

    if (planner->problem->max_trials == 0)
        return MOST_A_SIDE;
    return (unsigned)fmin(fmax(left / 2, 0), MOST_A_SIDE);
}

static struct looks plan_looks(const struct planner *planner)
{
    unsigned trials = check_trials(planner->problem), most = most_trials(planner);
    struct looks ret = {.trials = {trials}, .count = 1};

    while (ret.count < LOOKS_MAXIMUM && trials < most) {
        trials += (trials + 2) / 3;
        if (trials > most || most - trials < trials / 4)
            trials = most;
        ret.trials[ret.count++] = trials;
    }
    return ret;
}

static double level_at(const struct planner *planner, const struct looks *looks, unsigned number)
{
    double level = check_level(planner->problem);

    if (looks->count == 1)
        return level;
    if (number == 0)
        return level * first_share;
    return level * (number + 1 == looks->count ? last_share : inner_share);
}

static struct ends ends_at(const struct planner *planner, unsigned trials)
{
    return (struct ends){
        .good = first_of(evidence_search(planner->evidence, 0), trials),
        .bad = first_of(evidence_search(planner->evidence, planner->problem->count - 1), trials),
    };
}

static int take_look(struct planner *planner, const struct looks *looks, unsigned number,
                     struct culprit_error *error)
{
    struct ends ends = ends_at(planner, looks->trials[number]);

    return check_compare(planner, planner->problem->count - 1, ends.bad, 0, ends.good,
                         level_at(planner, looks, number), &planner->step->endpoint, error);
}

/* Without any noise there is nothing to wait for. */
static bool all_alike(const struct ends *ends)
{
    const double first = ends->good.values[0];
    size_t same = 0;

    for (size_t i = 0; i < ends->good.count; i++)
        same += ends->good.values[i] <= first && ends->good.values[i] >= first;
    for (size_t i = 0; i < ends->bad.count; i++)
        same += ends->bad.values[i] <= first && ends->bad.values[i] >= first;
    return same == ends->good.count + ends->bad.count;
}

/* Whether a difference of that size can be ruled out: bad, less that difference, is
 * better than good. */
static int ruled_out(const struct planner *planner, const struct ends *ends, double least,
                     double level, bool *ret, struct culprit_error *error)
{
    const struct bisect_check *check = &planner->step->endpoint;
    _cleanup_free_ double *shifted = NULL;
    struct mann_whitney test;
    int r;

    if (planner->problem->measure == MEASURE_EVENT)
        return ends_events_excluded(ends, level, ret, error);
    *ret = false;
    if (ends_effect(planner, check) > least)
        return 0;
    shifted = malloc(ends->bad.count * sizeof *shifted);
    if (!shifted)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot compare the ends: no memory");
    for (size_t i = 0; i < ends->bad.count; i++)
        shifted[i] = ends->bad.values[i] - least;
    r = mann_whitney(shifted, ends->bad.count, ends->good.values, ends->good.count, &test, error);
    *ret = r == 0 && (test.p_less <= level || all_alike(ends));
    return r;
}

/* Whether the last look of those that there are trials for no longer sees what an earlier one, with
 * less than half the trials, took for a difference. */
static int has_vanished(struct planner *planner, const struct looks *looks, unsigned passed,
                        unsigned last, bool *ret, struct culprit_error *error)
{
    int r;

    *ret = false;
    if (last < passed + 3)
        return 0;
    r = take_look(planner, looks, last, error);
    *ret = r == 0 && planner->step->endpoint.p > ENDS_NOTHING_SEEN;
    return r < 0 || *ret ? r : take_look(planner, looks, passed, error);
}

/* The looks that there are trials for, the last one first: where one of them passes, the gate is
 * open. *ret_next: the first look that lacks trials. */
static int look_back(struct planner *planner, const struct looks *looks, unsigned *ret_next,
                     enum gate *ret, struct culprit_error *error)
{
    unsigned next = 0;

    while (next < looks->count &&
           ends_at(planner, looks->trials[next]).good.count >= looks->trials[next] &&
           ends_at(planner, looks->trials[next]).bad.count >= looks->trials[next])
        next++;
    *ret_next = next;
    *ret = GATE_WAITS;
    for (unsigned number = next; number-- > 0 && *ret == GATE_WAITS;) {
        int r = take_look(planner, looks, number, error);
        if (r < 0)
            return r;
        if (planner->step->endpoint.passed && ends_big_enough(planner, &planner->step->endpoint)) {
            struct ends ends = ends_at(planner, looks->trials[number]);
            bool vanished, exceeded;

            r = noise_exceeded(planner->problem, ends.good, ends.bad, planner->step->endpoint.level,
                               &exceeded, error);
            if (r < 0)
                return r;
            if (!exceeded)
                continue;
            r = has_vanished(planner, looks, number, next - 1, &vanished, error);
            if (r < 0 || vanished)
                return r;
            *ret = GATE_OPEN;
        }
    }
    return 0;
}

/* Whether what the job asks for, and whatever else may be there, is smaller than what the last look
 * can show. Only a calibration knows that beforehand. */
static int is_beneath(const struct planner *planner, const struct looks *looks,
                      const struct ends *ends, double level, bool *ret, struct culprit_error *error)
{
    const struct bisect_problem *problem = planner->problem;
    double detectable = noise_known(problem) ? noise_detectable(problem, problem->noise.spread,
                                                                looks->trials[looks->count - 1])
                                             : 0;

    *ret = false;
    if (!(detectable > ends_least_effect(planner, &planner->step->endpoint)))
        return 0;
    return ruled_out(planner, ends, detectable, level, ret, error);
}

/* The last look that was taken settles the ends, though it did not pass. */
static int settle_ends(struct planner *planner, const struct looks *looks, unsigned next,
                       enum gate *ret, struct culprit_error *error)
{
    struct ends ends = ends_at(planner, looks->trials[next - 1]);
    double level = check_level(planner->problem) * first_share;
    bool over = next == looks->count, excluded = false, beneath = false;
    int r = take_look(planner, looks, next - 1, error);

    if (r == 0)
        r = ruled_out(planner, &ends, ends_least_effect(planner, &planner->step->endpoint), level,
                      &excluded, error);
    if (r == 0 && !excluded)
        r = is_beneath(planner, looks, &ends, level, &beneath, error);
    if (r < 0)
        return r;
    if (beneath || over || excluded)
        *ret = GATE_CLOSED;
    if (beneath)
        return ends_close_beneath(planner, &ends, looks->trials[looks->count - 1], error);
    return over || excluded ? ends_close(planner, &ends, excluded, error) : 0;
}

/* None passed, or what did has vanished: the last look counts, and whether another is worth while.
 */
static int look_on(struct planner *planner, const struct looks *looks, unsigned next,
                   enum gate *ret, struct culprit_error *error)
{
    struct ends ends;

    if (next > 0) {
        int r = settle_ends(planner, looks, next, ret, error);
        if (r < 0 || *ret == GATE_CLOSED)
            return r;
    }
    ends = ends_at(planner, looks->trials[next]);
    return want_endpoint_trials(planner, looks->trials[next] - ends.good.count,
                                looks->trials[next] - ends.bad.count, ret);
}

int gate_endpoints(struct planner *planner, enum gate *ret, struct culprit_error *error)
{
    unsigned last = planner->problem->count - 1, next;
    struct looks looks = plan_looks(planner);
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
    r = look_back(planner, &looks, &next, ret, error);
    return r < 0 || *ret == GATE_OPEN ? r : look_on(planner, &looks, next, ret, error);
}
