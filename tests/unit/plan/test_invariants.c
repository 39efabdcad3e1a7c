/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What must hold of the planner whatever the history: order, unit and direction are nothing, costs
 * are weighed, claims are as good as they say, and nothing is asked for without end.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "world.h"

static bool same_step(const struct bisect_step *a, const struct bisect_step *b)
{
    return a->verdict == b->verdict && a->want_count == b->want_count &&
           memcmp(a->wants, b->wants, a->want_count * sizeof *a->wants) == 0 &&
           a->culprit == b->culprit && fabs(a->posterior - b->posterior) < 1e-9 &&
           a->suspect_count == b->suspect_count &&
           (a->suspect_count == 0 ||
            memcmp(a->suspects, b->suspects, a->suspect_count * sizeof *a->suspects) == 0) &&
           strcmp(a->reason, b->reason) == 0;
}

/* Invariant: the answer depends on the facts, not on the order in which they came, and there is no
 * memory: every step is asked twice, the second time with the facts shuffled. */
static void test_order_of_facts_is_nothing(void **state)
{
    const struct world_options options = {.commits = 33,
                                          .noise = NOISE_NORMAL,
                                          .effect = 2.5,
                                          .no_changes = 0.3,
                                          .merges = 0.1,
                                          .broken = 0.05,
                                          .culprit_always = true};
    static struct world world;
    struct random random;

    (void)state;
    random_seed(&random, 4);
    for (unsigned seed = 1; seed <= 8; seed++) {
        struct bisect_step step, again;

        world_draw(&world, &options, seed);
        do {
            assert_int_equal(bisect_plan(&world.problem, &world.facts, &step, NULL), 0);
            for (size_t i = world.facts.trial_count; i > 1; i--) {
                size_t other = random_below(&random, i);
                struct bisect_trial swap = world.trials[i - 1];
                world.trials[i - 1] = world.trials[other];
                world.trials[other] = swap;
            }
            assert_int_equal(bisect_plan(&world.problem, &world.facts, &again, NULL), 0);
            if (!same_step(&step, &again))
                fail_msg("seed %u, %zu trials: another answer in another order: %s / %s", seed,
                         world.facts.trial_count, step.reason, again.reason);
            if (step.verdict == VERDICT_NONE)
                world_do(&world, &step.wants[random_below(&random, step.want_count)]);
            bisect_step_clear(&again);
            bisect_step_clear(&step);
        } while (step.verdict == VERDICT_NONE);
    }
}

/* Invariant: neither the unit, nor the zero, nor the sign with the direction turned matters. */
static void test_unit_and_direction_are_nothing(void **state)
{
    static const struct world_options turned[] = {
        {.scale = 1e-3},
        {.scale = 4096},
        {.higher_is_better = true},
        {.higher_is_better = true, .scale = 1e6},
        {.offset = -3e5},
        {.higher_is_better = true, .scale = 0.5, .offset = 1e5},
    };
    static struct world plain, other;

    (void)state;
    for (unsigned seed = 1; seed <= 8; seed++)
        for (size_t i = 0; i < sizeof turned / sizeof *turned; i++) {
            struct world_options options = turned[i];
            struct bisect_step a, b;

            options.commits = 33;
            options.noise = NOISE_TAIL;
            options.no_changes = 0.3;
            options.culprit_always = true;
            world_draw(&other, &options, seed);
            other.problem.min_effect = 1500 * (options.scale > 0 ? options.scale : 1);
            other.problem.min_effect_relative = false;
            options.scale = 1;
            options.offset = 0;
            options.higher_is_better = false;
            world_draw(&plain, &options, seed);
            plain.problem.min_effect = 1500;
            plain.problem.min_effect_relative = false;
            assert_int_equal(world_bisect(&plain, &a, NULL), 0);
            assert_int_equal(world_bisect(&other, &b, NULL), 0);
            if (a.verdict != b.verdict || a.culprit != b.culprit ||
                fabs(a.posterior - b.posterior) > 1e-6 ||
                plain.facts.trial_count != other.facts.trial_count)
                fail_msg("seed %u, variant %zu: %d %u %.9g %zu, plain %d %u %.9g %zu", seed, i,
                         b.verdict, b.culprit, b.posterior, other.facts.trial_count, a.verdict,
                         a.culprit, a.posterior, plain.facts.trial_count);
            bisect_step_clear(&a);
            bisect_step_clear(&b);
        }
}

/* Invariant: a graph that is a chain in all but name gives the chain's trace. Every third commit
 * has its grandparent as a second parent. */
static void test_chain_with_needless_parents(void **state)
{
    const struct world_options options = {
        .commits = 65, .noise = NOISE_NORMAL, .effect = 2, .culprit_always = true};
    static struct world plain, other;

    (void)state;
    for (unsigned seed = 1; seed <= 10; seed++) {
        struct bisect_step a, b;

        world_draw(&plain, &options, seed);
        world_draw(&other, &options, seed);
        for (unsigned c = 3; c < options.commits; c += 3) {
            other.parents[c][1] = c - 2;
            other.commits[c].parent_count = 2;
        }
        for (bool over = false; !over;) {
            assert_int_equal(bisect_plan(&plain.problem, &plain.facts, &a, NULL), 0);
            assert_int_equal(bisect_plan(&other.problem, &other.facts, &b, NULL), 0);
            /* The proof of a merge takes more than that of a commit: the traces part there. */
            over = a.verdict != VERDICT_NONE || a.wants[0].purpose == PURPOSE_VERIFY;
            if (!over && (a.want_count != b.want_count ||
                          memcmp(a.wants, b.wants, a.want_count * sizeof *a.wants) != 0))
                fail_msg("seed %u, after %zu trials: %zu wants, first of #%u; chain: %zu, #%u",
                         seed, plain.facts.trial_count, b.want_count, b.wants[0].commit,
                         a.want_count, a.wants[0].commit);
            for (size_t i = 0; i < a.want_count && !over; i++) {
                world_do(&plain, &a.wants[i]);
                world_do(&other, &a.wants[i]);
            }
            bisect_step_clear(&a);
            bisect_step_clear(&b);
        }
    }
}

/* What a bisection took, and how many trials of a commit inside the range were wanted at once. */
struct cost {
    double builds, trials;
    unsigned right;
    size_t at_once;
};

static size_t trials_inside(const struct world *world, const struct bisect_step *step)
{
    unsigned commit = step->wants[0].commit;

    return step->wants[0].kind == WANT_TRIAL && step->wants[0].purpose == PURPOSE_SEARCH &&
                   commit > 0 && commit + 1 < world->problem.count
               ? step->want_count
               : 0;
}

static struct cost cost_of(const struct world_options *options, unsigned rounds)
{
    static struct world world;
    struct cost cost = {0};

    for (unsigned seed = 1; seed <= rounds; seed++) {
        struct bisect_step step;

        world_draw(&world, options, seed * UINT64_C(104729));
        for (bool over = false; !over;) {
            size_t at_once;

            assert_int_equal(bisect_plan(&world.problem, &world.facts, &step, NULL), 0);
            at_once = trials_inside(&world, &step);
            cost.at_once = at_once > cost.at_once ? at_once : cost.at_once;
            over = step.verdict != VERDICT_NONE || step.wants[0].purpose == PURPOSE_VERIFY;
            if (!over)
                world_do(&world, &step.wants[0]);
            else
                cost.right += step.suspect_count == 1 && step.suspects[0] == world.culprit;
            bisect_step_clear(&step);
        }
        cost.builds += (double)world.build_count / rounds;
        cost.trials += (double)world.trial_count[PURPOSE_SEARCH] / rounds;
    }
    return cost;
}

/* Invariant: where builds cost everything, there are hardly more than halving takes; where they
 * cost nothing, the search chooses anew after each trial, and takes fewer of them. */
static void test_costs_are_weighed(void **state)
{
    struct world_options options = {
        .commits = 129, .noise = NOISE_NORMAL, .effect = 1, .culprit_always = true};
    struct cost dear, usual, cheap;
    const unsigned rounds = 30;

    (void)state;
    usual = cost_of(&options, rounds);
    options.build_seconds = 1e6;
    dear = cost_of(&options, rounds);
    options.build_seconds = 1e-6;
    cheap = cost_of(&options, rounds);
    print_message(
        "builds and trials: %.1f and %.1f, dear builds %.1f and %.1f, cheap %.1f and %.1f\n",
        usual.builds, usual.trials, dear.builds, dear.trials, cheap.builds, cheap.trials);
    assert_true(dear.builds <= 7 + 2 + 1); /* 128 candidates, two ends */
    assert_true(usual.at_once > 1 && dear.at_once > usual.at_once);
    assert_int_equal(cheap.at_once, 1);
    assert_true(cheap.builds > usual.builds && cheap.trials < usual.trials);
    assert_true(usual.right >= 28 && dear.right >= 28 && cheap.right >= 28);
}

/* Of bisections whose confidence is p, as many are right as their posteriors say, within what
 * chance explains: the claim is what the search ends on, before it is verified. The alternatives to
 * a single change get a share that these worlds never need, so that a little more may be right. */
static void expect_calibrated(const char *name, const struct world_options *options,
                              unsigned rounds)
{
    static struct world world;
    double claimed = 0, spread = 0;
    unsigned claims = 0, right = 0;

    for (unsigned seed = 1; seed <= rounds; seed++) {
        world_draw(&world, options, seed * UINT64_C(7919));
        for (bool ended = false; !ended;) {
            struct bisect_step step;

            assert_int_equal(bisect_plan(&world.problem, &world.facts, &step, NULL), 0);
            ended = step.verdict != VERDICT_NONE || step.wants[0].purpose == PURPOSE_VERIFY;
            if (ended && step.suspect_count == 1) {
                claims++;
                claimed += step.posterior;
                spread += step.posterior * (1 - step.posterior);
                right += step.suspects[0] == world.culprit;
            }
            if (!ended)
                world_do(&world, &step.wants[0]);
            bisect_step_clear(&step);
        }
    }
    print_message("%s, confidence %g: %u claims, %.1f right by their posteriors, %u in truth\n",
                  name, options->confidence, claims, claimed, right);
    if (right < claimed - 3 * sqrt(spread) - 1 ||
        right > claimed + 3 * sqrt(spread) + 0.06 * claims)
        fail_msg("%s, confidence %g: %u of %u right where %.1f were claimed", name,
                 options->confidence, right, claims, claimed);
    assert_true(claims > rounds / 2);
}

/* Invariant: calibrated at .8, .95 and .99, where the sides vary alike, where their variances
 * differ five hundredfold, where good has two modes, and on trials of real kernels. */
static void test_claims_are_calibrated(void **state)
{
    static struct recorded recorded;
    static const struct {
        const char *name;
        struct world_options options;
        unsigned rounds;
    } cases[] = {
        {"normal", {.commits = 33, .noise = NOISE_NORMAL, .effect = 1.5}, 90},
        {"merges", {.commits = 33, .noise = NOISE_NORMAL, .effect = 2, .merges = 0.1}, 60},
        {"tail", {.commits = 33, .noise = NOISE_TAIL}, 120},
        {"bimodal", {.commits = 33, .noise = NOISE_BIMODAL}, 120},
        {"recorded", {.commits = 33, .noise = NOISE_RECORDED, .recorded = &recorded}, 120},
    };
    static const double levels[] = {0.8, 0.95, 0.99};
    struct culprit_error error = {0};

    (void)state;
    if (recorded_read(WORLD_RECORDED, &recorded, &error) < 0)
        fail_msg("%s", error.message);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t l = 0; l < 3; l++) {
            struct world_options options = cases[i].options;

            options.culprit_always = true;
            options.confidence = levels[l];
            expect_calibrated(cases[i].name, &options, cases[i].rounds);
        }
}

/* Invariant: however small the effect, no commit is asked for more than the caps. */
static void test_trials_of_a_commit_are_capped(void **state)
{
    const struct world_options options = {
        .commits = 9, .noise = NOISE_NORMAL, .effect = 0.35, .culprit_always = true};
    static struct world world;

    (void)state;
    for (unsigned seed = 1; seed <= 2; seed++) {
        unsigned trials[9][PURPOSE_COUNT] = {0};
        struct bisect_step step;
        struct culprit_error error = {0};

        world_draw(&world, &options, seed);
        world.problem.min_effect = 0.001;
        if (world_bisect(&world, &step, &error) < 0)
            fail_msg("seed %u: %s", seed, error.message);
        bisect_step_clear(&step);
        for (size_t i = 0; i < world.facts.trial_count; i++)
            trials[world.trials[i].commit][world.trials[i].purpose]++;
        for (unsigned c = 0; c < 9; c++)
            if (trials[c][PURPOSE_SEARCH] > BISECT_SEARCH_TRIALS_MAXIMUM ||
                trials[c][PURPOSE_VERIFY] > BISECT_VERIFY_TRIALS_MAXIMUM)
                fail_msg("seed %u: %u and %u trials of commit %u", seed, trials[c][PURPOSE_SEARCH],
                         trials[c][PURPOSE_VERIFY], c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_of_facts_is_nothing),
        cmocka_unit_test(test_unit_and_direction_are_nothing),
        cmocka_unit_test(test_chain_with_needless_parents),
        cmocka_unit_test(test_costs_are_weighed),
        cmocka_unit_test(test_claims_are_calibrated),
        cmocka_unit_test(test_trials_of_a_commit_are_capped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
