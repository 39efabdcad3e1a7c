/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The proof of what the search found, and what is more than one change. */
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

/* A merge is guilty only if it is worse than each of its parents. */
static void test_merge_is_verified_against_each_parent(void **state)
{
    static struct world world;
    struct bisect_step step;
    unsigned wanted[6] = {0};

    (void)state;
    diamond(&world, 4);
    advance(&world, &step, is_verification);
    for (size_t i = 0; i < step.want_count; i++)
        wanted[step.wants[i].commit]++;
    assert_int_equal(step.want_count, 15);
    assert_true(wanted[4] == 5 && wanted[3] == 5 && wanted[2] == 5);
    bisect_step_clear(&step);
    advance(&world, &step, NULL);
    expect_verdict(&step, VERDICT_CULPRIT, "");
    assert_int_equal(step.check_count, 2);
    bisect_step_clear(&step);
}

static void test_suspects_behind_broken_commits(void **state)
{
    static struct world world;
    struct bisect_step step;

    (void)state;
    chain(&world, 17, 11);
    world.broken[9] = world.broken[10] = true;
    advance(&world, &step, NULL);
    expect_verdict(&step, VERDICT_INCONCLUSIVE, "one of 3 commits that cannot be told apart");
    assert_int_equal(step.suspect_count, 3);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(step.suspects[i], 9 + i);
    assert_int_equal(step.check_count, 1); /* and that was verified: 11 against 8 */
    assert_int_equal(step.checks[0].worse, 11);
    assert_int_equal(step.checks[0].base, 8);
    bisect_step_clear(&step);
}

/* The search was led to a good commit by a few trials that lay with bad: fresh seeds say otherwise,
 * and the search goes on to the true culprit. */
static void test_misled_search_goes_on(void **state)
{
    const struct world_options options = {
        .commits = 9, .noise = NOISE_NORMAL, .effect = 4, .culprit_always = true};
    static struct world world;
    unsigned right = 0, misled = 0;

    (void)state;
    for (unsigned seed = 1; seed <= 10; seed++) {
        struct bisect_step step;

        world_draw(&world, &options, seed);
        world_apply_again(&world, 7, 9, 9);
        world_do(&world, &(struct bisect_want){.kind = WANT_BUILD, .commit = 4});
        for (unsigned i = 0; i < 3; i++)
            add_trial(&world, 4, PURPOSE_SEARCH, i, OUTCOME_OK, 137 + 4 * i);
        advance(&world, &step, is_verification);
        misled += step.verdict == VERDICT_NONE && step.suspects[0] <= 4;
        bisect_step_clear(&step);
        advance(&world, &step, NULL);
        if (step.verdict == VERDICT_CULPRIT && step.culprit != 7)
            fail_msg("seed %u: culprit #%u", seed, step.culprit);
        right += step.verdict == VERDICT_CULPRIT;
        bisect_step_clear(&step);
    }
    if (misled < 8 || right < 9)
        fail_msg("misled in %u rounds of 10, right in %u", misled, right);
}

/* What came of bisections over two changes, the second as large as the first. */
struct two_changes {
    unsigned rounds, flagged, both;
};

static struct two_changes bisect_two_changes(double effect)
{
    const struct world_options options = {.commits = 33,
                                          .noise = NOISE_NORMAL,
                                          .effect = effect,
                                          .culprit_always = true,
                                          .second_change = 1};
    static struct world world;
    struct two_changes ret = {0};

    for (unsigned seed = 1; seed <= 40; seed++) {
        struct culprit_error error = {0};
        struct bisect_step step;

        world_draw(&world, &options, seed);
        if (world.second == 0)
            continue;
        if (world_bisect(&world, &step, &error) < 0)
            fail_msg("%g deviations, seed %u: %s", effect, seed, error.message);
        ret.rounds++;
        ret.flagged += step.more_changes;
        ret.both += step.suspect_count == 2 && world_is_suspect(&step, world.culprit) &&
                    world_is_suspect(&step, world.second);
        bisect_step_clear(&step);
    }
    print_message("two changes of %g deviations: both named %u times in %u, flagged %u times\n",
                  effect, ret.both, ret.rounds, ret.flagged);
    return ret;
}

/* Invariant: two changes are named, or it is said that there is more than one; where both are clear
 * never is one of them the culprit for all, and seldom where they are not. */
static void test_two_changes_are_flagged(void **state)
{
    static const struct {
        double effect, flagged, both;
    } cases[] = {{6, 1, 0.8}, {2, 0.9, 0.6}};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct two_changes result = bisect_two_changes(cases[i].effect);

        assert_true(result.rounds > 30);
        assert_true(result.flagged >= cases[i].flagged * result.rounds);
        assert_true(result.both >= cases[i].both * result.rounds);
    }
}

/* Invariant: applied, reverted and applied again, which no single change explains once a commit of
 * each stretch was measured. */
static void test_reverted_and_applied_again(void **state)
{
    const struct world_options options = {
        .commits = 33, .noise = NOISE_NORMAL, .effect = 4, .culprit_always = true};
    static struct world world;

    (void)state;
    for (unsigned seed = 1; seed <= 20; seed++) {
        struct bisect_step step;
        struct culprit_error error = {0};

        world_draw(&world, &options, seed);
        world_apply_again(&world, 8, 18, 24);
        for (unsigned c = 12; c <= 20; c += 8) {
            world_do(&world, &(struct bisect_want){.kind = WANT_BUILD, .commit = c});
            for (unsigned i = 0; i < 6; i++)
                world_do(&world,
                         &(struct bisect_want){.kind = WANT_TRIAL, .commit = c, .index = i});
        }
        if (world_bisect(&world, &step, &error) < 0)
            fail_msg("seed %u: %s", seed, error.message);
        if (step.verdict == VERDICT_CULPRIT || !step.more_changes)
            fail_msg("seed %u: verdict %d on #%u, %.3g, more changes %d: %s", seed, step.verdict,
                     step.culprit, step.posterior, step.more_changes, step.reason);
        bisect_step_clear(&step);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merge_is_verified_against_each_parent),
        cmocka_unit_test(test_suspects_behind_broken_commits),
        cmocka_unit_test(test_misled_search_goes_on),
        cmocka_unit_test(test_two_changes_are_flagged),
        cmocka_unit_test(test_reverted_and_applied_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
