/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/verify.h"

#include <stdlib.h>

#include "plan/check.h"
#include "plan/label.h"
#include "stats/rank.h"

/* Two kernels at the same place differ by chance at this level, two-sided. */
static const double same_level = 0.01;

/* Who is tested against whom. */
struct sides {
    unsigned worse;
    unsigned bases[BISECT_MAX_CHECKS];
    unsigned base_count;
};

static unsigned only_suspect(const struct planner *planner)
{
    unsigned c = 0;

    while (!planner->suspects[c])
        c++;
    return c;
}

/* The suspect itself where it was tested; else the first commit known to be bad. */
static unsigned worse_side(const struct planner *planner)
{
    unsigned c = only_suspect(planner);

    if (planner->suspect_count == 1 && planner->labels[c] == LABEL_BAD)
        return c;
    for (c = 0; planner->labels[c] != LABEL_BAD; c++)
        ;
    return c;
}

static void add_base(const struct planner *planner, struct sides *sides, unsigned commit)
{
    for (unsigned b = 0; b < sides->base_count; b++)
        if (evidence_class(planner->evidence, sides->bases[b]) ==
            evidence_class(planner->evidence, commit))
            return;
    if (sides->base_count < BISECT_MAX_CHECKS)
        sides->bases[sides->base_count++] = commit;
}

/* The suspects' parents that are none themselves; behind a broken one, its own parents. */
static int find_sides(const struct planner *planner, struct sides *ret, struct culprit_error *error)
{
    const struct bisect_problem *problem = planner->problem;
    _cleanup_free_ bool *wanted = calloc(problem->count, sizeof *wanted);

    if (!wanted)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot find parents: no memory");
    *ret = (struct sides){.worse = worse_side(planner)};
    for (unsigned c = problem->count; c-- > 0;) {
        bool pass_on = planner->suspects[c];

        if (!pass_on && wanted[c]) {
            pass_on = c > 0 && evidence_broken(planner->evidence, c);
            if (!pass_on)
                add_base(planner, ret, c);
        }
        for (unsigned p = 0; pass_on && p < problem->commits[c].parent_count; p++)
            wanted[problem->commits[c].parents[p]] = true;
    }
    return 0;
}

/* Verification trials of the commit that the search has not used. The endpoints' labels are fixed:
 * theirs are all fresh. */
static struct evidence_values fresh_values(const struct planner *planner, unsigned commit)
{
    struct evidence_values values = evidence_verify(planner->evidence, commit);
    size_t used = 0;

    if (label_by_search(planner, commit) != LABEL_UNTESTED &&
        label_by_all(planner, commit, &used) == planner->labels[commit]) {
        values.values += used;
        values.count -= used;
    }
    return values;
}

/* Trials a side at a look, and the level of it. */
struct look {
    unsigned worse_trials, base_trials;
    double level;
    bool last;
};

static size_t fresh_trials_there(const struct planner *planner, const struct sides *sides)
{
    size_t most = 2 * (size_t)check_trials(planner->problem), there = 0;

    for (unsigned i = 0; i <= sides->base_count; i++) {
        unsigned commit = i == 0 ? sides->worse : sides->bases[i - 1];
        size_t count = fresh_values(planner, commit).count;
        there += count < most ? count : most;
    }
    return there;
}

/* What the budget permits. What is there already counts as affordable, so that the plan does not
 * change while its own trials come in. */
static bool plan_looks(const struct planner *planner, const struct sides *sides,
                       struct look looks[2], unsigned *ret_count)
{
    unsigned full = check_trials(planner->problem), parties = sides->base_count + 1, share, extra;
    size_t affordable = planner_trials_left(planner) + fresh_trials_there(planner, sides);
    double level = 1 - planner->problem->confidence, least;

    *ret_count = 1;
    if (affordable >= 2 * (size_t)full * parties) {
        looks[0] = (struct look){full, full, level / 2, false};
        looks[1] = (struct look){2 * full, 2 * full, level / 2, true};
        *ret_count = 2;
        return true;
    }
    share = affordable / parties < full ? (unsigned)(affordable / parties) : full;
    if (share < VERIFY_LEAST_TRIALS)
        return false;
    extra = (unsigned)(affordable - (size_t)share * parties);
    looks[0] = (struct look){share + extra < full ? share + extra : full, share, level, true};
    least = mann_whitney_smallest_p(looks[0].worse_trials, share);
    if (least > level)
        looks[0].level = least;
    return true;
}

static void want_missing(struct planner *planner, unsigned commit, unsigned trials)
{
    size_t there = fresh_values(planner, commit).count;

    if (there < trials)
        evidence_want_trials(planner->evidence, commit, PURPOSE_VERIFY, trials - there,
                             planner->step);
}

/* One look: wants what it lacks, or tests. *ret_passed is valid when nothing is wanted. */
static int take_look(struct planner *planner, const struct sides *sides, const struct look *look,
                     bool *ret_passed, struct culprit_error *error)
{
    struct evidence_values worse, base;
    struct bisect_step *step = planner->step;

    want_missing(planner, sides->worse, look->worse_trials);
    for (unsigned b = 0; b < sides->base_count; b++)
        want_missing(planner, sides->bases[b], look->base_trials);
    if (step->want_count > 0)
        return 0;
    *ret_passed = true;
    worse = fresh_values(planner, sides->worse);
    worse.count = look->worse_trials;
    step->check_count = 0;
    for (unsigned b = 0; b < sides->base_count; b++) {
        struct bisect_check *check = &step->checks[step->check_count++];
        int r;

        base = fresh_values(planner, sides->bases[b]);
        base.count = look->base_trials;
        r = check_compare(planner, sides->worse, worse, sides->bases[b], base, look->level, check,
                          error);
        if (r < 0)
            return r;
        *ret_passed = *ret_passed && check->passed;
    }
    return 0;
}

static bool want_builds(struct planner *planner, const struct sides *sides, enum verification *ret)
{
    for (unsigned b = 0; b < sides->base_count; b++) {
        if (evidence_built(planner->evidence, sides->bases[b]))
            continue;
        if (!planner_may_build(planner)) {
            planner_say(planner->step,
                        "The budget has no build left for the parent #%u, so that #%u was not "
                        "verified.",
                        sides->bases[b], sides->worse);
            *ret = VERIFY_NO_BUDGET;
            return true;
        }
        planner_want_build(planner->step, sides->bases[b]);
    }
    *ret = VERIFY_WAITS;
    return planner->step->want_count > 0;
}

static void say_rejection(struct planner *planner)
{
    for (size_t i = 0; i < planner->step->check_count; i++) {
        const struct bisect_check *check = &planner->step->checks[i];
        if (!check->passed)
            planner_say(planner->step,
                        "On fresh seeds #%u was not found worse than #%u: medians %.6g and %.6g, "
                        "%u and %u trials, p = %.2g where %.2g is asked for.",
                        check->worse, check->base, check->worse_median, check->base_median,
                        check->worse_count, check->base_count, check->p, check->level);
    }
}

int verify_suspects(struct planner *planner, enum verification *ret, struct culprit_error *error)
{
    struct sides sides = {0};
    struct look looks[2];
    unsigned look_count = 0;
    bool passed = false;
    int r = find_sides(planner, &sides, error);

    if (r < 0 || want_builds(planner, &sides, ret))
        return r;
    if (!plan_looks(planner, &sides, looks, &look_count)) {
        planner_say(planner->step,
                    "The budget has %u trials left, too few to verify #%u on fresh seeds.",
                    planner_trials_left(planner), sides.worse);
        *ret = VERIFY_NO_BUDGET;
        return 0;
    }
    for (unsigned i = 0; i < look_count && !passed; i++) {
        *ret = VERIFY_WAITS;
        r = take_look(planner, &sides, &looks[i], &passed, error);
        if (r < 0 || planner->step->want_count > 0)
            return r;
    }
    *ret = passed ? VERIFY_CONFIRMED : VERIFY_REJECTED;
    if (!passed)
        say_rejection(planner);
    else if (looks[0].level > 1 - planner->problem->confidence)
        planner_say(planner->step,
                    "The budget left only %u against %u trials for the verification; they are "
                    "completely apart, which by chance happens with p = %.2g.",
                    looks[0].worse_trials, looks[0].base_trials, looks[0].level);
    return 0;
}

void verify_estimate(struct planner *planner)
{
    planner->step->expected_trials += 2.0 * check_trials(planner->problem);
}

/* Whether two images, if they are two, lie at the same place. */
static int alike(const struct planner *planner, unsigned commit, unsigned end, unsigned looked_at,
                 bool *ret, struct culprit_error *error)
{
    struct evidence_values mine, ends = evidence_search(planner->evidence, end);
    struct mann_whitney test;
    int r;

    *ret = true;
    if (evidence_class(planner->evidence, commit) == evidence_class(planner->evidence, end))
        return 0;
    mine = fresh_values(planner, commit);
    ends.count = ends.count < looked_at ? ends.count : looked_at;
    r = mann_whitney(mine.values, mine.count, ends.values, ends.count, &test, error);
    if (r == 0)
        *ret = test.p_two_sided > same_level;
    return r;
}

int verify_explains_all(const struct planner *planner, unsigned looked_at, bool *ret,
                        struct culprit_error *error)
{
    const struct bisect_step *step = planner->step;
    int r;

    *ret = true;
    for (size_t i = 0; i < step->check_count && *ret; i++) {
        r = alike(planner, step->checks[i].base, 0, looked_at, ret, error);
        if (r < 0)
            return r;
    }
    if (step->check_count == 0 || !*ret)
        return 0;
    return alike(planner, step->checks[0].worse, planner->problem->count - 1, looked_at, ret,
                 error);
}
