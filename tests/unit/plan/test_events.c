/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bisections by failures: what trials say of their probabilities, and how often whole bisections
 * end right where good never fails or now and then, and bad always or now and then.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/event.h"
#include "steps.h"

static struct moments failures(double failed, double count)
{
    return (struct moments){.n = count, .mean = failed / count};
}

/* P(k failures | p), without the binomial coefficient. */
static double bernoulli(const struct moments *side, double p)
{
    double failed = side->n * side->mean;

    return pow(p, failed) * pow(1 - p, side->n - failed);
}

/* The likelihood of two sides by its definition, summed up on a grid: good never fails or has the
 * density of Beta(1/2, 2), which is 3/4 p^-1/2 (1 - p); bad is uniform; pairs where bad fails no
 * more often are left out, and what is left is made 1. With p = u^2 the density has no pole. */
static double by_grid(const struct moments *good, const struct moments *bad)
{
    enum { STEPS = 1500 };
    double sum = 0, whole = 0, never = 0;

    for (int j = 0; j < STEPS; j++) {
        double b = (j + 0.5) / STEPS, of_bad = bernoulli(bad, b) / STEPS;

        never += of_bad;
        for (int i = 0; i < STEPS; i++) {
            double u = (i + 0.5) / STEPS, g = u * u;
            double density = 0.75 / u * (1 - g) * 2 * u / STEPS;

            if (b <= g)
                continue;
            whole += density / STEPS;
            sum += density * bernoulli(good, g) * of_bad;
        }
    }
    return log(0.5 * sum + (good->mean > 0 ? 0 : 0.5 * never)) - log(0.5 * whole + 0.5);
}

static void test_likelihood_by_its_definition(void **state)
{
    static const double cases[][4] = {
        {0, 5, 5, 5},  {0, 12, 3, 10}, {1, 12, 3, 10}, {3, 10, 3, 10},
        {4, 10, 1, 9}, {0, 1, 1, 1},   {0, 40, 1, 40},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct moments good = failures(cases[i][0], cases[i][1]);
        struct moments bad = failures(cases[i][2], cases[i][3]);
        struct sides_fit fit;
        double expected = by_grid(&good, &bad);

        event_sides(&good, &bad, &fit);
        if (fabs(fit.log_likelihood - expected) > 2e-3)
            fail_msg("%g of %g against %g of %g: %.6f, by the grid %.6f", cases[i][2], cases[i][3],
                     cases[i][0], cases[i][1], fit.log_likelihood, expected);
    }
}

/* P(Y > X) is one half where both are alike, and 1 less itself with the sides changed. */
static void test_greater(void **state)
{
    (void)state;
    assert_true(fabs(event_greater(3, 7, 3, 7) - 0.5) < 1e-12);
    assert_true(fabs(event_greater(2, 9, 5, 4) + event_greater(5, 4, 2, 9) - 1) < 1e-12);
    assert_true(fabs(event_greater(1, 1, 2, 1) - 2.0 / 3) < 1e-12);
    assert_true(event_greater(0.5, 400.5, 300, 100) > 1 - 1e-9);
    assert_true(event_greater(300.5, 100.5, 1, 400) < 1e-9);
}

struct tally {
    unsigned rounds, right, wrong, inconclusive, none, claims, right_claims;
    double builds, search, proof;
};

/* The first time that a proof is wanted, the search has made its claim. */
static void note_claim(const struct world *world, const struct bisect_step *step, bool *claimed,
                       struct tally *tally)
{
    if (*claimed || step->verdict != VERDICT_NONE || step->suspect_count != 1 ||
        step->want_count == 0 || step->wants[0].purpose != PURPOSE_VERIFY)
        return;
    *claimed = true;
    tally->claims++;
    tally->right_claims += step->suspects[0] == world->culprit;
}

static void count(struct tally *tally, const struct world *world, const struct bisect_step *step)
{
    bool found = step->verdict == VERDICT_CULPRIT;

    tally->right += found && step->culprit == world->culprit;
    tally->wrong += found && step->culprit != world->culprit;
    tally->inconclusive += step->verdict == VERDICT_INCONCLUSIVE;
    tally->none += step->verdict == VERDICT_NO_REGRESSION;
    tally->builds += world->build_count;
    tally->search += world->trial_count[PURPOSE_SEARCH];
    tally->proof += world->trial_count[PURPOSE_VERIFY];
}

/* Bisects one world, all that is wanted at a time. */
static void bisect(struct world *world, struct tally *tally)
{
    bool claimed = false, over = false;

    while (!over) {
        struct bisect_step step;

        plan(world, &step);
        note_claim(world, &step, &claimed, tally);
        over = step.verdict != VERDICT_NONE;
        if (over)
            count(tally, world, &step);
        else if (step.want_count == 0 || world->facts.trial_count + step.want_count > WORLD_TRIALS)
            fail_msg("seed %lu does not come to an end", (unsigned long)world->seed);
        for (size_t i = 0; i < step.want_count; i++)
            world_do(world, &step.wants[i]);
        bisect_step_clear(&step);
    }
}

static struct tally simulate(const struct world_options *options, unsigned rounds)
{
    static struct world world;
    struct tally tally = {.rounds = rounds};

    for (unsigned seed = 1; seed <= rounds; seed++) {
        world_draw(&world, options, seed * UINT64_C(7919));
        bisect(&world, &tally);
    }
    print_message("fails %g against %g: right %u, wrong %u, inconclusive %u, none %u of %u; "
                  "builds %.1f, trials %.1f and %.1f for the proof\n",
                  options->bad_fails, options->good_fails, tally.right, tally.wrong,
                  tally.inconclusive, tally.none, rounds, tally.builds / rounds,
                  tally.search / rounds, tally.proof / rounds);
    return tally;
}

/* From a failure that always comes to one that comes in one boot of ten, where good never fails and
 * where it fails in one boot of fifty: right, or said to be in doubt. */
static void test_flaky(void **state)
{
    static const struct {
        double bad, good;
        unsigned rounds;
        double right, trials; /* least share, most of search and proof together */
    } cases[] = {
        {1, 0, 200, 0.99, 50},       {1, 0.02, 200, 0.98, 55}, {0.3, 0, 100, 0.97, 280},
        {0.3, 0.02, 100, 0.97, 400}, {0.1, 0, 40, 0.97, 850},  {0.1, 0.02, 40, 0.75, 1600},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct world_options options = {.commits = 33,
                                              .noise = NOISE_EVENT,
                                              .good_fails = cases[i].good,
                                              .bad_fails = cases[i].bad,
                                              .no_changes = 0.3,
                                              .merges = 0.08,
                                              .culprit_always = true};
        struct tally tally = simulate(&options, cases[i].rounds);

        assert_true(tally.wrong <= 0.01 * tally.rounds);
        assert_true(tally.right >= cases[i].right * tally.rounds);
        assert_int_equal(tally.right + tally.inconclusive, tally.rounds);
        assert_true(tally.search + tally.proof <= cases[i].trials * tally.rounds);
    }
}

/* Both fail alike, never, now and then or always: no culprit, and an end that is in sight. */
static void test_nothing_regressed(void **state)
{
    static const double fails[] = {0, 0.1, 1};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const struct world_options options = {.commits = 33,
                                              .noise = NOISE_EVENT,
                                              .good_fails = fails[i],
                                              .bad_fails = fails[i],
                                              .max_trials = 1500};
        struct tally tally = simulate(&options, 60);

        assert_int_equal(tally.right + tally.wrong, 0);
        assert_true(tally.none >= 0.9 * tally.rounds);
        assert_true(tally.search <= 500 * tally.rounds);
    }
}

/* Invariant: what the search claims with probability p is so as often, within a binomial band. */
static void test_calibration(void **state)
{
    static const double confidences[] = {0.8, 0.95};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const struct world_options options = {.commits = 33,
                                              .noise = NOISE_EVENT,
                                              .good_fails = 0.1,
                                              .bad_fails = 0.6,
                                              .confidence = confidences[i],
                                              .culprit_always = true};
        struct tally tally = simulate(&options, 150);
        double expected = confidences[i] * tally.claims;
        double band = 2.6 * sqrt(expected * (1 - confidences[i]));

        print_message("claims at %g: %u of %u right\n", confidences[i], tally.right_claims,
                      tally.claims);
        assert_true(tally.claims >= 0.8 * tally.rounds);
        assert_true(tally.right_claims >= expected - band);
        assert_true(tally.wrong <= (1 - confidences[i]) * tally.rounds + band);
    }
}

/* Without noise a bisection is a plain one: no more builds than halving takes, and two. */
static void test_always_against_never(void **state)
{
    static struct world world;

    (void)state;
    for (unsigned culprit = 1; culprit < 65; culprit += 7) {
        struct bisect_step step;

        world_draw(&world,
                   &(struct world_options){.commits = 65, .noise = NOISE_EVENT, .bad_fails = 1}, 1);
        world.culprit = culprit;
        for (unsigned c = culprit; c < 65; c++)
            world.bad[c] = true;
        advance(&world, &step, NULL);
        expect_verdict(&step, VERDICT_CULPRIT, "");
        assert_int_equal(step.culprit, culprit);
        assert_true(world.build_count <= 6 + 2 + 1);
        assert_true(step.check_count == 1 && step.checks[0].passed);
        assert_int_equal(step.checks[0].worse_failed, step.checks[0].worse_count);
        assert_int_equal(step.checks[0].base_failed, 0);
        assert_true(step.endpoint.worse_median >= 1 && step.endpoint.base_median <= 0);
        assert_true(step.threshold > 0.49 && step.threshold < 0.51);
        bisect_step_clear(&step);
    }
}

/* The answer does not depend on the order of the facts. */
static void test_order(void **state)
{
    const struct world_options options = {.commits = 33,
                                          .noise = NOISE_EVENT,
                                          .good_fails = 0.05,
                                          .bad_fails = 0.6,
                                          .merges = 0.1,
                                          .broken = 0.05,
                                          .culprit_always = true};
    static struct world world;
    struct random random;
    bool over = false;

    (void)state;
    random_seed(&random, 4);
    world_draw(&world, &options, 5);
    while (!over) {
        struct bisect_step step, again;

        plan(&world, &step);
        for (size_t i = world.facts.trial_count; i > 1; i--) {
            size_t other = random_below(&random, i);
            struct bisect_trial swap = world.trials[i - 1];
            world.trials[i - 1] = world.trials[other];
            world.trials[other] = swap;
        }
        plan(&world, &again);
        if (step.verdict != again.verdict || step.want_count != again.want_count ||
            memcmp(step.wants, again.wants, step.want_count * sizeof *step.wants) != 0 ||
            fabs(step.posterior - again.posterior) > 1e-9 || strcmp(step.reason, again.reason) != 0)
            fail_msg("%zu trials: another answer in another order: %s / %s",
                     world.facts.trial_count, step.reason, again.reason);
        over = step.verdict != VERDICT_NONE;
        if (!over)
            world_do(&world, &step.wants[random_below(&random, step.want_count)]);
        bisect_step_clear(&step);
        bisect_step_clear(&again);
    }
}

/* A failure that comes too seldom for the budget: what would be needed is said. */
static void test_too_few_trials(void **state)
{
    static struct world world;
    struct bisect_step step;

    (void)state;
    world_draw(&world,
               &(struct world_options){.commits = 9, .noise = NOISE_EVENT, .max_trials = 40}, 1);
    world.builds[0] = (struct bisect_build){.state = BUILD_OK, .image = 0};
    world.builds[8] = (struct bisect_build){.state = BUILD_OK, .image = 8};
    for (unsigned i = 0; i < 16; i++) {
        add_trial(&world, 0, PURPOSE_SEARCH, i, OUTCOME_OK, 0);
        add_trial(&world, 8, PURPOSE_SEARCH, i, OUTCOME_OK, i % 4 == 0);
    }
    plan(&world, &step);
    expect_verdict(&step, VERDICT_INCONCLUSIVE,
                   "4 of 13 trials of bad failed, and 0 of 13 of good");
    expect_verdict(&step, VERDICT_INCONCLUSIVE, "trials a side would show it");
    bisect_step_clear(&step);
}

static void test_values_are_zero_or_one(void **state)
{
    static struct world world;
    struct culprit_error error = {0};
    struct bisect_step step;

    (void)state;
    world_draw(&world, &(struct world_options){.commits = 9, .noise = NOISE_EVENT}, 1);
    add_trial(&world, 0, PURPOSE_SEARCH, 0, OUTCOME_OK, 0.5);
    assert_int_equal(bisect_plan(&world.problem, &world.facts, &step, &error), -CULPRIT_INVALID);
    assert_non_null(strstr(error.message, "neither failed nor went well"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_likelihood_by_its_definition),
        cmocka_unit_test(test_greater),
        cmocka_unit_test(test_always_against_never),
        cmocka_unit_test(test_flaky),
        cmocka_unit_test(test_nothing_regressed),
        cmocka_unit_test(test_calibration),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_too_few_trials),
        cmocka_unit_test(test_values_are_zero_or_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
