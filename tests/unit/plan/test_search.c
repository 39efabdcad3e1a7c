/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the search wants and finds, step by step. */
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

static bool is_wanted(const struct bisect_step *step, const struct bisect_want *want)
{
    for (size_t i = 0; i < step->want_count; i++)
        if (memcmp(&step->wants[i], want, sizeof *want) == 0)
            return true;
    return false;
}

/* A batch comes in one by one, in any order: what is left of it stays wanted. */
static void test_batch_that_began_is_finished(void **state)
{
    const struct world_options options = {
        .commits = 9, .noise = NOISE_NORMAL, .effect = 1.2, .culprit_always = true};
    static struct world world;
    struct bisect_step step, next;

    (void)state;
    for (unsigned seed = 1; seed <= 10; seed++) {
        struct bisect_want first;

        world_draw(&world, &options, seed);
        advance(&world, &step, is_trial_inside);
        assert_true(step.want_count > 1);
        first = step.wants[step.want_count - 1]; /* the last one comes in first */
        world_do(&world, &first);
        plan(&world, &next);
        for (size_t i = 0; i + 1 < step.want_count; i++)
            if (!is_wanted(&next, &step.wants[i]))
                fail_msg("seed %u: trial %u of #%u ceased to be wanted; first is #%u", seed,
                         step.wants[i].index, step.wants[i].commit, next.wants[0].commit);
        bisect_step_clear(&next);
        bisect_step_clear(&step);
    }
}

/* Trials that run side by side take no longer: where one would do for a start, both are wanted. */
static void test_batch_fills_what_runs_side_by_side(void **state)
{
    const struct world_options options = {
        .commits = 9, .noise = NOISE_NORMAL, .effect = 6, .culprit_always = true};
    static struct world world;
    struct bisect_step step;

    (void)state;
    for (unsigned abreast = 1; abreast <= 4; abreast++) {
        world_draw(&world, &options, 3);
        world.problem.build_seconds = 16;
        world.problem.trial_seconds = 32;
        world.problem.trials_abreast = abreast;
        advance(&world, &step, is_trial_inside);
        if (step.want_count != abreast)
            fail_msg("%u side by side: %zu trials are wanted, the first of #%u", abreast,
                     step.want_count, step.wants[0].commit);
        bisect_step_clear(&step);
    }
}

/* Invariant 4 of the planner: without noise, n commits take at most ⌈log₂ n⌉ + 2 builds. */
static void test_builds_on_a_chain(void **state)
{
    static const unsigned sizes[] = {2, 3, 4, 5, 9, 17, 33, 34, 100};
    static struct world world;
    struct bisect_step step;

    (void)state;
    for (size_t s = 0; s < COUNT(sizes); s++)
        for (unsigned culprit = 1; culprit < sizes[s]; culprit++) {
            chain(&world, sizes[s], culprit);
            advance(&world, &step, NULL);
            if (step.verdict != VERDICT_CULPRIT || step.culprit != culprit)
                fail_msg("%u commits, culprit %u: verdict %d on %u: %s", sizes[s], culprit,
                         step.verdict, step.culprit, step.reason);
            if (world.build_count > ceil(log2(sizes[s] - 1)) + 2)
                fail_msg("%u commits, culprit %u: %u builds", sizes[s], culprit, world.build_count);
            assert_int_equal(step.check_count, 1);
            assert_int_equal(step.checks[0].base, culprit - 1);
            assert_true(step.checks[0].passed && step.checks[0].p <= 0.01);
            if (step.posterior < 0.99)
                fail_msg("%u commits, culprit %u: posterior %g", sizes[s], culprit, step.posterior);
            assert_false(step.more_changes);
            bisect_step_clear(&step);
        }
}

/* Commits that share an image with a tested one get its label for the price of a build. */
static void test_label_by_image(void **state)
{
    static struct world world;
    struct bisect_step step;
    enum bisect_label labels[9];
    bool inferred[9];

    (void)state;
    chain(&world, 9, 7);
    for (unsigned c = 1; c < 7; c++)
        world.image[c] = world.image[0];
    world.image[8] = world.image[7];
    advance(&world, &step, NULL);
    expect_verdict(&step, VERDICT_CULPRIT, "");
    assert_int_equal(step.culprit, 7);
    assert_int_equal(world.trial_count[PURPOSE_SEARCH], 10); /* none but of the ends */
    bisect_step_clear(&step);
    assert_int_equal(bisect_labels(&world.problem, &world.facts, labels, inferred, NULL), 0);
    assert_int_equal(labels[0], LABEL_GOOD);
    assert_int_equal(labels[8], LABEL_BAD);
    assert_false(inferred[0] || inferred[8]);
    assert_int_equal(labels[7], LABEL_BAD);
    assert_true(inferred[7]);
    for (unsigned c = 1; c < 7; c++)
        if (labels[c] != LABEL_UNTESTED && (labels[c] != LABEL_GOOD || !inferred[c]))
            fail_msg("commit %u: label %d, inferred %d", c, labels[c], inferred[c]);
}

static void test_side_branch(void **state)
{
    static struct world world;
    struct bisect_step step;

    (void)state;
    for (unsigned culprit = 1; culprit < 6; culprit++) {
        diamond(&world, culprit);
        advance(&world, &step, NULL);
        expect_verdict(&step, VERDICT_CULPRIT, "");
        assert_int_equal(step.culprit, culprit);
        bisect_step_clear(&step);
    }
}

static void test_broken_commits_are_never_asked_again(void **state)
{
    static struct world world;
    struct bisect_step step;

    (void)state;
    chain(&world, 17, 11);
    world.broken[8] = true;
    advance(&world, &step, NULL);
    expect_verdict(&step, VERDICT_CULPRIT, "");
    assert_int_equal(step.culprit, 11);
    for (size_t i = 0; i < world.facts.trial_count; i++)
        assert_int_not_equal(world.trials[i].commit, 8);
    bisect_step_clear(&step);
}

/* A failed trial costs its index; two of them, and the commit counts as broken. */
static void test_commit_whose_trials_fail(void **state)
{
    static struct world world;
    struct bisect_step step;
    unsigned middle;

    (void)state;
    chain(&world, 9, 5);
    advance(&world, &step, is_trial_inside);
    middle = step.wants[0].commit;
    bisect_step_clear(&step);
    add_trial(&world, middle, PURPOSE_SEARCH, 0, OUTCOME_BOOT_FAILED, 0);
    plan(&world, &step);
    assert_int_equal(step.wants[0].commit, middle);
    assert_int_equal(step.wants[0].index, 1);
    bisect_step_clear(&step);
    add_trial(&world, middle, PURPOSE_SEARCH, 1, OUTCOME_KERNEL_CRASHED, 0);
    plan(&world, &step);
    assert_int_not_equal(step.wants[0].commit, middle);
    bisect_step_clear(&step);
    advance(&world, &step, NULL);
    assert_int_equal(step.verdict, middle == 4 ? VERDICT_INCONCLUSIVE : VERDICT_CULPRIT);
    assert_true(world_is_suspect(&step, 5));
    bisect_step_clear(&step);
}

static void test_infrastructure_failures_decide_nothing(void **state)
{
    static struct world world;
    struct bisect_step step;

    (void)state;
    chain(&world, 9, 5);
    advance(&world, &step, is_trial_inside);
    for (int attempt = 0; attempt < 2; attempt++) {
        unsigned commit = step.wants[0].commit;

        add_trial(&world, commit, PURPOSE_SEARCH, 0, OUTCOME_INFRA_FAILED, 0);
        add_trial(&world, commit, PURPOSE_SEARCH, 0, OUTCOME_CANCELLED, 0);
        bisect_step_clear(&step);
        plan(&world, &step);
        assert_int_equal(step.wants[0].commit, commit);
        assert_int_equal(step.wants[0].index, 0); /* the same again */
    }
    add_trial(&world, step.wants[0].commit, PURPOSE_SEARCH, 0, OUTCOME_INFRA_FAILED, 0);
    bisect_step_clear(&step);
    plan(&world, &step);
    expect_verdict(&step, VERDICT_INCONCLUSIVE, "failed three times");
    bisect_step_clear(&step);
}

static void test_budgets(void **state)
{
    static const struct {
        unsigned builds, trials;
        enum bisect_verdict_kind verdict;
        const char *word;
    } cases[] = {
        {1, 0, VERDICT_NONE, ""}, /* both ends are wanted at once; see below */
        {4, 0, VERDICT_INCONCLUSIVE, "budget for builds is spent"},
        {0, 9, VERDICT_INCONCLUSIVE, "10 more of good and bad are needed"},
        {0, 15, VERDICT_INCONCLUSIVE, "budget for trials is spent"},
        {0, 28, VERDICT_CULPRIT, "left only"},
        {0, 30, VERDICT_CULPRIT, ""},
    };
    static struct world world;
    struct bisect_step step;

    (void)state;
    for (size_t i = 1; i < COUNT(cases); i++) {
        chain(&world, 17, 9);
        world.problem.max_builds = cases[i].builds;
        world.problem.max_trials = cases[i].trials;
        advance(&world, &step, NULL);
        expect_verdict(&step, cases[i].verdict, cases[i].word);
        if (cases[i].trials > 0 && world.facts.trial_count > cases[i].trials)
            fail_msg("%zu trials where %u are allowed", world.facts.trial_count, cases[i].trials);
        if (cases[i].builds > 0 && world.build_count > cases[i].builds)
            fail_msg("%u builds where %u are allowed", world.build_count, cases[i].builds);
        assert_true(cases[i].trials == 9 || world_is_suspect(&step, 9));
        bisect_step_clear(&step);
    }
}

static void test_reused_builds_are_free(void **state)
{
    static struct world world;
    struct bisect_step step;

    (void)state;
    chain(&world, 17, 9);
    world.problem.max_builds = 1;
    for (unsigned c = 0; c < 17; c++)
        world.builds[c] = (struct bisect_build){.state = BUILD_OK, .image = c, .reused = true};
    advance(&world, &step, NULL);
    expect_verdict(&step, VERDICT_CULPRIT, "");
    assert_int_equal(step.culprit, 9);
    bisect_step_clear(&step);
}

/* Commits that cannot change the image are no suspects, wherever the culprit is, and none is built
 * but the culprit's own parent, against which it is verified. */
static void test_pruned_commits_are_never_reported(void **state)
{
    static struct world world;
    static double weights[17];

    (void)state;
    for (unsigned culprit = 2; culprit < 17; culprit += 2) {
        struct bisect_step step;

        chain(&world, 17, culprit);
        for (unsigned c = 0; c < 17; c++) {
            weights[c] = c % 2 == 0; /* the odd ones have their parent's image */
            world.image[c] = c - c % 2;
        }
        world.problem.prior_weights = weights;
        advance(&world, &step, NULL);
        expect_verdict(&step, VERDICT_CULPRIT, "");
        assert_int_equal(step.culprit, culprit);
        assert_int_equal(step.checks[0].base, culprit - 1);
        for (unsigned c = 1; c < 17; c += 2)
            if (c + 1 != culprit && world.builds[c].state != BUILD_UNKNOWN)
                fail_msg("culprit %u: #%u was built, which changes nothing", culprit, c);
        bisect_step_clear(&step);
    }
}

/* All are said to change nothing, and yet the ends differ. */
static void test_no_commit_that_could_be_it(void **state)
{
    static const double weights[9] = {0};
    static struct world world;
    struct bisect_step step;

    (void)state;
    chain(&world, 9, 5);
    world.problem.prior_weights = weights;
    advance(&world, &step, NULL);
    expect_verdict(&step, VERDICT_INCONCLUSIVE, "none of them changes the kernel image");
    assert_int_equal(world.build_count, 2);
    bisect_step_clear(&step);
}

/* Half of what is thought beforehand lies on one commit: it is among the first to be tested. */
static void test_prior_weights_draw_the_search(void **state)
{
    static struct world world;
    static double weights[65];
    struct bisect_step step;

    (void)state;
    chain(&world, 65, 50);
    for (unsigned c = 0; c < 65; c++)
        weights[c] = c == 50 ? 63 : 1;
    world.problem.prior_weights = weights;
    advance(&world, &step, NULL);
    expect_verdict(&step, VERDICT_CULPRIT, "");
    assert_int_equal(step.culprit, 50);
    if (world.build_count > 5)
        fail_msg("%u builds for a commit that was thought guilty", world.build_count);
    bisect_step_clear(&step);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batch_that_began_is_finished),
        cmocka_unit_test(test_batch_fills_what_runs_side_by_side),
        cmocka_unit_test(test_builds_on_a_chain),
        cmocka_unit_test(test_label_by_image),
        cmocka_unit_test(test_side_branch),
        cmocka_unit_test(test_broken_commits_are_never_asked_again),
        cmocka_unit_test(test_commit_whose_trials_fail),
        cmocka_unit_test(test_infrastructure_failures_decide_nothing),
        cmocka_unit_test(test_budgets),
        cmocka_unit_test(test_reused_builds_are_free),
        cmocka_unit_test(test_pruned_commits_are_never_reported),
        cmocka_unit_test(test_no_commit_that_could_be_it),
        cmocka_unit_test(test_prior_weights_draw_the_search),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
