/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/check.h"
#include "plan/dag.h"
#include "plan/label.h"
#include "stats/inference.h"
#include "stats/rank.h"

/* Who is tested against whom. */
struct sides {
    unsigned worse;
    unsigned bases[BISECT_MAX_CHECKS];
    unsigned base_count;
};

/* Whether the commit is, or descends from, every suspect. */
static bool is_below_all(const struct planner *planner, unsigned commit, bool *reach)
{
    unsigned reached = 0;

    memset(reach, 0, planner->problem->count * sizeof *reach);
    dag_add_ancestors(planner->problem, commit, reach);
    for (unsigned c = 0; c <= commit; c++)
        reached += planner->suspects[c] && reach[c];
    return reached == planner->suspect_count;
}

/* The suspect itself; where there are several, or it does not run, the first commit that was
 * measured bad and has the change whichever of them it is. */
static unsigned worse_side(const struct planner *planner, bool *reach)
{
    unsigned last = planner->problem->count - 1, first = 0;

    while (!planner->suspects[first])
        first++;
    if (planner->suspect_count == 1 && !evidence_broken(planner->evidence, first))
        return first;
    for (unsigned c = first; c < last; c++)
        if (label_of(planner, c) == LABEL_BAD && is_below_all(planner, c, reach))
            return c;
    return last;
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

/* Has its parents' image, as far as can be inferred, and there is no build left to prove it: they
 * can stand for it. */
static bool is_inferred(const struct planner *planner, unsigned commit)
{
    return commit > 0 && !(cells_prior_of(planner->problem, commit) > 0) &&
           !evidence_built(planner->evidence, commit) && !planner_may_build(planner);
}

/* The suspects' parents that are none themselves; behind one that does not run, or cannot be built,
 * its own parents. */
static int find_sides(const struct planner *planner, struct sides *ret, struct culprit_error *error)
{
    const struct bisect_problem *problem = planner->problem;
    _cleanup_free_ bool *wanted = calloc(problem->count, sizeof *wanted);
    _cleanup_free_ bool *reach = calloc(problem->count, sizeof *reach);

    if (!wanted || !reach)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot find parents: no memory");
    *ret = (struct sides){.worse = worse_side(planner, reach)};
    for (unsigned c = problem->count; c-- > 0;) {
        bool pass_on = planner->suspects[c];

        if (!pass_on && wanted[c]) {
            pass_on = (c > 0 && evidence_broken(planner->evidence, c)) || is_inferred(planner, c);
            if (!pass_on)
                add_base(planner, ret, c);
        }
        for (unsigned p = 0; pass_on && p < problem->commits[c].parent_count; p++)
            wanted[problem->commits[c].parents[p]] = true;
    }
    return 0;
}

static struct evidence_values fresh_values(const struct planner *planner, unsigned commit)
{
    return evidence_verify(planner->evidence, commit);
}

/* Trials a side that show what the search saw, less its standard error: of all commits the one was
 * picked that looked worst. */
static int trials_to_show(const struct planner *planner, size_t *ret)
{
    const struct posterior *posterior = &planner->posterior;
    double level = 1 - planner->problem->confidence, power = 0.9;
    double sure = fmax(1 - posterior->deviations_error / posterior->deviations, 0.5);
    double gap = posterior->bad_level - posterior->good_level;
    int r;

    if (planner->problem->measure == MEASURE_EVENT)
        return proportion_trials_needed(posterior->good_level, posterior->good_level + sure * gap,
                                        level, power, ret, NULL);
    r = trials_needed(sure * posterior->deviations, level, power, ret, NULL);
    if (r == 0)
        *ret += *ret / 20; /* ranks need a little more than means do */
    return r;
}

/* Trials a side at the first look: at least the job's. */
static unsigned full_look(const struct planner *planner)
{
    unsigned least = check_trials(planner->problem);
    size_t needed;

    if (!(planner->posterior.deviations > 0) || trials_to_show(planner, &needed) < 0)
        return least;
    if (needed > BISECT_VERIFY_TRIALS_MAXIMUM / 2)
        needed = BISECT_VERIFY_TRIALS_MAXIMUM / 2;
    return needed > least ? (unsigned)needed : least;
}

/* Trials a side at a look, and the level of it. */
struct look {
    unsigned worse_trials, base_trials;
    double level;
};

enum { LOOKS_MAXIMUM = 3 };

struct looks {
    struct look items[LOOKS_MAXIMUM];
    unsigned count; /* 0: the budget does not do */
};

static size_t fresh_trials_there(const struct planner *planner, const struct sides *sides,
                                 size_t most)
{
    size_t there = 0;

    for (unsigned i = 0; i <= sides->base_count; i++) {
        unsigned commit = i == 0 ? sides->worse : sides->bases[i - 1];
        size_t count = fresh_values(planner, commit).count;
        there += count < most ? count : most;
    }
    return there;
}

/* The budget does not do for two looks: one, as good as can be had. */
static void plan_short(const struct planner *planner, size_t affordable, unsigned full,
                       unsigned parties, struct looks *ret)
{
    unsigned share = affordable / parties < full ? (unsigned)(affordable / parties) : full;
    unsigned extra = (unsigned)(affordable - (size_t)share * parties);
    struct look *look = &ret->items[0];

    if (share < VERIFY_LEAST_TRIALS)
        return;
    look->worse_trials = share + extra < full ? share + extra : full;
    look->base_trials = share;
    look->level = fmax(1 - planner->problem->confidence,
                       mann_whitney_smallest_p(look->worse_trials, share));
    ret->count = 1;
}

/* Each look has twice the trials of the one before, as long as the budget permits. What is there
 * already counts as affordable, so that the plan does not change while its own trials come in. */
static struct looks plan_looks(const struct planner *planner, const struct sides *sides)
{
    static const double shares[] = {0.4, 0.2};
    double level = 1 - planner->problem->confidence;
    unsigned full = full_look(planner), parties = sides->base_count + 1;
    size_t affordable = planner_trials_left(planner) +
                        fresh_trials_there(planner, sides, (size_t)full << (LOOKS_MAXIMUM - 1));
    struct looks ret = {0};

    for (unsigned trials = full; ret.count < LOOKS_MAXIMUM; trials *= 2) {
        if (affordable < (size_t)trials * parties || trials > BISECT_VERIFY_TRIALS_MAXIMUM)
            break;
        ret.items[ret.count++] = (struct look){trials, trials, level};
    }
    for (unsigned i = 0; i + 1 < ret.count; i++) { /* the last one gets what is left */
        ret.items[i].level = shares[i] * level;
        ret.items[ret.count - 1].level -= ret.items[i].level;
    }
    if (ret.count < 2)
        plan_short(planner, affordable, full, parties, &ret);
    return ret;
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
                     size_t first_check, bool *ret_passed, struct culprit_error *error)
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
    step->check_count = first_check;
    for (unsigned b = 0; b < sides->base_count && step->check_count < BISECT_MAX_CHECKS; b++) {
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
    for (unsigned i = 0; i <= sides->base_count; i++) {
        unsigned commit = i == 0 ? sides->worse : sides->bases[i - 1];

        if (evidence_built(planner->evidence, commit))
            continue;
        if (!planner_may_build(planner)) {
            planner_say(planner->step,
                        "The budget has no build left for #%u, so that #%u was not verified.",
                        commit, sides->worse);
            *ret = VERIFY_NO_BUDGET;
            return true;
        }
        planner_want_build(planner->step, commit);
    }
    *ret = VERIFY_WAITS;
    return planner->step->want_count > 0;
}

static void say_rejection(struct planner *planner)
{
    for (size_t i = 0; i < planner->step->check_count; i++) {
        const struct bisect_check *check = &planner->step->checks[i];
        char text[CHECK_TEXT_SIZE];

        if (!check->passed)
            planner_say(planner->step,
                        "On fresh seeds #%u was not found worse than #%u: %s where %.2g is asked "
                        "for.",
                        check->worse, check->base, check_text(planner, check, text), check->level);
    }
}

int verify_suspects(struct planner *planner, enum verification *ret, struct culprit_error *error)
{
    struct sides sides = {0};
    struct looks looks;
    size_t first_check = planner->step->check_count;
    bool passed = false;
    int r = find_sides(planner, &sides, error);

    if (r < 0 || want_builds(planner, &sides, ret))
        return r;
    looks = plan_looks(planner, &sides);
    if (looks.count == 0) {
        planner_say(planner->step,
                    "The budget has %u trials left, too few to verify #%u on fresh seeds.",
                    planner_trials_left(planner), sides.worse);
        *ret = VERIFY_NO_BUDGET;
        return 0;
    }
    for (unsigned i = 0; i < looks.count && !passed; i++) {
        *ret = VERIFY_WAITS;
        r = take_look(planner, &sides, &looks.items[i], first_check, &passed, error);
        if (r < 0 || planner->step->want_count > 0)
            return r;
    }
    *ret = passed ? VERIFY_CONFIRMED : VERIFY_REJECTED;
    if (!passed)
        say_rejection(planner);
    else if (looks.items[0].level > 1 - planner->problem->confidence)
        planner_say(planner->step,
                    "The budget left only %u against %u trials for the verification; they are "
                    "completely apart, which by chance happens with p = %.2g.",
                    looks.items[0].worse_trials, looks.items[0].base_trials, looks.items[0].level);
    return 0;
}

int verify_doubt(struct planner *planner, bool *ret, struct culprit_error *error)
{
    struct sides sides = {0};
    unsigned batch = check_trials(planner->problem), left = planner_trials_left(planner);
    int r = find_sides(planner, &sides, error);

    *ret = false;
    for (unsigned i = 0; r == 0 && i <= sides.base_count; i++) {
        unsigned commit = i == 0 ? sides.worse : sides.bases[i - 1];
        size_t there = evidence_search(planner->evidence, commit).count;

        if (there >= BISECT_SEARCH_TRIALS_MAXIMUM || left < 2 * VERIFY_LEAST_TRIALS + batch)
            continue;
        evidence_want_trials(planner->evidence, commit, PURPOSE_SEARCH, batch - there % batch,
                             planner->step);
        *ret = true;
    }
    return r;
}

void verify_estimate(struct planner *planner)
{
    planner->step->expected_trials += 2.0 * full_look(planner);
}
