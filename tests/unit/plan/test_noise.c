/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Good and bad where it is known by how much identical builds differ. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "steps.h"

static const struct bisect_noise calibrated = {.spread = 10, .trials = 40};

/* To the verdict; how many trials it took. */
static size_t bisect(struct world *world, const struct bisect_noise *noise,
                     struct bisect_step *step)
{
    struct culprit_error error = {0};

    world->problem.noise = *noise;
    if (world_bisect(world, step, &error) < 0)
        fail_msg("no verdict: %s", error.message);
    return world->facts.trial_count;
}

/* A clear difference is bisected as it is without a calibration, fact by fact. */
static void test_clear_difference_is_bisected_as_before(void **state)
{
    const struct world_options options = {
        .commits = 33, .noise = NOISE_NORMAL, .effect = 3, .culprit_always = true};
    static struct world world;
    struct bisect_step step;

    (void)state;
    for (unsigned seed = 1; seed <= 5; seed++) {
        size_t trials[2];

        for (int i = 0; i < 2; i++) {
            const struct bisect_noise none = {0};

            world_draw(&world, &options, seed);
            trials[i] = bisect(&world, i ? &calibrated : &none, &step);
            assert_int_equal(step.verdict, VERDICT_CULPRIT);
            assert_int_equal(step.culprit, world.culprit);
            bisect_step_clear(&step);
        }
        if (trials[0] != trials[1])
            fail_msg("seed %u: %zu trials without and %zu with a calibration", seed, trials[0],
                     trials[1]);
    }
}

/* Nothing differs, and the job asks for less than its budget can show: that is said as soon as the
 * rest is ruled out, with the number that would do; never later than without a calibration. */
static void test_what_cannot_be_shown_is_not_bisected(void **state)
{
    const struct world_options options = {.commits = 9, .noise = NOISE_NORMAL, .max_trials = 120};
    static struct world world;
    struct bisect_step step;
    unsigned refused = 0, earlier = 0;

    (void)state;
    for (unsigned seed = 1; seed <= 20; seed++) {
        const struct bisect_noise none = {0};
        size_t without, with;

        world_draw(&world, &options, seed);
        world.problem.min_effect = 0.01;
        without = bisect(&world, &none, &step);
        bisect_step_clear(&step);
        world_draw(&world, &options, seed);
        world.problem.min_effect = 0.01;
        with = bisect(&world, &calibrated, &step);
        if (with > without)
            fail_msg("seed %u: %zu trials with a calibration, %zu without", seed, with, without);
        earlier += with < without;
        if (step.verdict == VERDICT_INCONCLUSIVE &&
            strstr(step.reason, "is smaller than what 53 trials a side can show"))
            refused++;
        if (!strstr(step.reason, "by what identical builds differ by (A/A).") ||
            !strstr(step.reason, "For the job's min_effect of") ||
            !strstr(step.reason, "would be needed"))
            fail_msg("seed %u says: %s", seed, step.reason);
        bisect_step_clear(&step);
    }
    if (refused < 15 || earlier < 10)
        fail_msg("of 20, %u were refused and %u took fewer trials", refused, earlier);
}

/* The ends happen to agree well among themselves, but identical builds differ by more than they
 * do: five against five that are all apart are no reason to search. */
static void test_inside_the_noise_is_no_difference(void **state)
{
    static struct world world;
    struct bisect_step step;

    (void)state;
    chain(&world, 9, 5); /* 100 and 200 */
    world.problem.noise = (struct bisect_noise){.spread = 1000, .trials = 40};
    advance(&world, &step, NULL);
    expect_verdict(&step, VERDICT_INCONCLUSIVE, "is smaller than what 250 trials a side can show");
    /* ((2.326 + 1.282) · 1000 / 100)² · 2, rounded. */
    if (!strstr(step.reason, "For a difference of 100 about 2603 would be needed."))
        fail_msg("it says: %s", step.reason);
    assert_int_equal(world.facts.trial_count, 10);
    bisect_step_clear(&step);
    /* With a deviation of 100 they are believed after some more trials, not after five. */
    chain(&world, 9, 5);
    world.problem.noise = (struct bisect_noise){.spread = 100, .trials = 40};
    advance(&world, &step, is_trial_inside);
    assert_int_equal(step.verdict, VERDICT_NONE);
    assert_true(step.endpoint.passed);
    if (step.endpoint.worse_count <= 5)
        fail_msg("believed after %u trials", step.endpoint.worse_count);
    bisect_step_clear(&step);
}

static void test_nothing_measured_changes_nothing(void **state)
{
    static struct world world;
    struct bisect_step step;

    (void)state;
    chain(&world, 9, 5);
    world.problem.noise = (struct bisect_noise){.spread = 1000, .trials = 0};
    advance(&world, &step, NULL);
    assert_int_equal(step.verdict, VERDICT_CULPRIT);
    bisect_step_clear(&step);
    /* All trials of the calibration were equal: any difference counts. */
    chain(&world, 9, 5);
    world.problem.noise = (struct bisect_noise){.spread = 0, .trials = 40};
    advance(&world, &step, NULL);
    assert_int_equal(step.verdict, VERDICT_CULPRIT);
    bisect_step_clear(&step);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clear_difference_is_bisected_as_before),
        cmocka_unit_test(test_what_cannot_be_shown_is_not_bisected),
        cmocka_unit_test(test_inside_the_noise_is_no_difference),
        cmocka_unit_test(test_nothing_measured_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
