/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Good and bad, before any search: are they apart? */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "steps.h"

#define COUNT(array_) (sizeof(array_) / sizeof *(array_))

static void test_ends_first(void **state)
{
    static struct world world;
    struct bisect_step step;

    (void)state;
    chain(&world, 9, 5);
    plan(&world, &step);
    assert_int_equal(step.want_count, 2);
    assert_int_equal(step.wants[0].kind, WANT_BUILD);
    assert_int_equal(step.wants[0].commit, 0);
    assert_int_equal(step.wants[1].kind, WANT_BUILD);
    assert_int_equal(step.wants[1].commit, 8);
    assert_true(isnan(step.threshold));
    assert_true(step.expected_builds >= 4 && step.expected_trials >= 10);
    world_do(&world, &step.wants[0]);
    bisect_step_clear(&step);
    plan(&world, &step);
    assert_int_equal(step.want_count, 1); /* bad may yet fail to build: no trials before */
    world_do(&world, &step.wants[0]);
    bisect_step_clear(&step);
    plan(&world, &step);
    assert_int_equal(step.want_count, 10);
    for (unsigned i = 0; i < 10; i++) { /* in turn, so that a drift hits both */
        assert_int_equal(step.wants[i].kind, WANT_TRIAL);
        assert_int_equal(step.wants[i].commit, i % 2 ? 8 : 0);
        assert_int_equal(step.wants[i].index, i / 2);
    }
    bisect_step_clear(&step);
}

static void test_equal_images(void **state)
{
    static struct world world;
    struct bisect_step step;

    (void)state;
    chain(&world, 9, 0);
    world.image[8] = world.image[0];
    advance(&world, &step, NULL);
    expect_verdict(&step, VERDICT_NO_REGRESSION, "same kernel image");
    assert_int_equal(world.facts.trial_count, 0);
    bisect_step_clear(&step);
}

static void test_ends_that_do_not_build(void **state)
{
    static const unsigned ends[] = {0, 8};
    static struct world world;
    struct bisect_step step;

    (void)state;
    for (size_t i = 0; i < COUNT(ends); i++) {
        chain(&world, 9, 5);
        world.broken[ends[i]] = true;
        advance(&world, &step, NULL);
        expect_verdict(&step, VERDICT_INCONCLUSIVE, "does not build");
        bisect_step_clear(&step);
    }
}

static void test_merge_base_as_bad(void **state)
{
    static struct world world;
    struct bisect_step step;

    (void)state;
    chain(&world, 9, 0);
    world.problem.good_is_merge_base = true;
    advance(&world, &step, NULL);
    expect_verdict(&step, VERDICT_MERGE_BASE_BAD, "merge base #0");
    bisect_step_clear(&step);
}

static void test_effect_below_what_counts(void **state)
{
    static struct world world;
    struct bisect_step step;

    (void)state;
    chain(&world, 9, 5);
    world.problem.min_effect = 1.5; /* it is 1.0 of good's median */
    advance(&world, &step, NULL);
    expect_verdict(&step, VERDICT_NO_REGRESSION, "less than the job's min_effect");
    bisect_step_clear(&step);
    chain(&world, 9, 5);
    world.problem.min_effect = 101;
    world.problem.min_effect_relative = false;
    advance(&world, &step, NULL);
    expect_verdict(&step, VERDICT_NO_REGRESSION, "less than the job's min_effect");
    bisect_step_clear(&step);
}

static void test_improvement_is_no_regression(void **state)
{
    static struct world world;
    struct bisect_step step;

    (void)state;
    chain(&world, 9, 5);
    world.problem.lower_is_better = false;
    advance(&world, &step, NULL);
    expect_verdict(&step, VERDICT_NO_REGRESSION, "regression of the job's min_effect is ruled out");
    assert_int_equal(world.facts.trial_count, 10); /* no second look at what is not there */
    bisect_step_clear(&step);
}

/* Of three commits the one in the middle. */
static bool is_trial_inside_three(const struct bisect_want *want)
{
    return want->kind == WANT_BUILD ? want->commit == 1
                                    : want->commit == 1 || want->purpose == PURPOSE_VERIFY;
}

/* Seven tenths of a deviation: five trials a side say nothing, and more are taken until they do. */
static void test_small_difference_takes_more_looks(void **state)
{
    const struct world_options options = {
        .commits = 3, .noise = NOISE_NORMAL, .effect = 0.7, .culprit_always = true};
    static struct world world;
    unsigned found = 0, later = 0, rounds = 30;

    (void)state;
    for (unsigned seed = 1; seed <= rounds; seed++) {
        struct bisect_step step;

        world_draw(&world, &options, seed);
        advance(&world, &step, is_trial_inside_three);
        found += step.verdict == VERDICT_NONE && step.endpoint.passed;
        later += step.endpoint.worse_count > 5;
        bisect_step_clear(&step);
    }
    if (found < rounds - 2 || later < rounds / 2)
        fail_msg("ends told apart in %u of %u rounds, after the first look in %u", found, rounds,
                 later);
}

/* Looking again and again at what does not differ: all looks together err no more often than the
 * level says. At 0.9 fifty rounds of five hundred are allowed, and three deviations more. */
static void test_looks_share_the_level(void **state)
{
    const struct world_options options = {.commits = 3, .noise = NOISE_NORMAL, .confidence = 0.9};
    static struct world world;
    unsigned opened = 0, rounds = 500;

    (void)state;
    for (unsigned seed = 1; seed <= rounds; seed++) {
        struct bisect_step step;

        world_draw(&world, &options, seed);
        world.problem.min_effect = 0;
        advance(&world, &step, is_trial_inside_three);
        opened += step.verdict == VERDICT_NONE;
        bisect_step_clear(&step);
    }
    print_message("ends of one kernel told apart in %u of %u rounds\n", opened, rounds);
    if (opened > 70)
        fail_msg("ends of one kernel told apart in %u of %u rounds", opened, rounds);
}

/* Nothing differs, and the noise is as large as what counts: the budget for the ends is spent, and
 * the reason says what they could have shown and what would be needed. */
static void test_what_was_not_seen_is_said(void **state)
{
    const struct world_options options = {.commits = 9, .noise = NOISE_NORMAL, .max_trials = 60};
    static struct world world;
    struct bisect_step step;
    unsigned said = 0;

    (void)state;
    for (unsigned seed = 1; seed <= 10; seed++) {
        world_draw(&world, &options, seed);
        world.problem.min_effect = 0.01;
        advance(&world, &step, NULL);
        assert_true(step.verdict == VERDICT_NO_REGRESSION || step.verdict == VERDICT_INCONCLUSIVE);
        said += strstr(step.reason, "trials a side show a difference of") &&
                strstr(step.reason, "would be needed");
        if (world.facts.trial_count > 60)
            fail_msg("%zu trials where 60 are allowed", world.facts.trial_count);
        bisect_step_clear(&step);
    }
    assert_int_equal(said, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends_first),
        cmocka_unit_test(test_equal_images),
        cmocka_unit_test(test_ends_that_do_not_build),
        cmocka_unit_test(test_merge_base_as_bad),
        cmocka_unit_test(test_effect_below_what_counts),
        cmocka_unit_test(test_improvement_is_no_regression),
        cmocka_unit_test(test_small_difference_takes_more_looks),
        cmocka_unit_test(test_looks_share_the_level),
        cmocka_unit_test(test_what_was_not_seen_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
