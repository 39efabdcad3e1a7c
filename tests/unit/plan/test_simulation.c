/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The planner against histories that are known: how often it is right, and what it costs. Every
 * world has its own seed, so that a failure can be had again.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/label.h"
#include "stats/summary.h"
#include "world.h"

struct tally {
    unsigned rounds, right, wrong, inconclusive, none, in_set, flagged;
    unsigned most_builds, most_trials, within; /* within 8 builds and 40 trials */
    unsigned asked_again; /* something was wanted of a commit known not to build */
    double builds, trials;
};

static void count(struct tally *tally, const struct world *world, const struct bisect_step *step)
{
    unsigned trials = world->trial_count[PURPOSE_SEARCH] + world->trial_count[PURPOSE_VERIFY];

    tally->rounds++;
    tally->builds += world->build_count;
    tally->trials += trials;
    tally->within += world->build_count <= 8 && trials <= 40;
    tally->most_builds = world->build_count > tally->most_builds ? world->build_count
                                                                 : tally->most_builds;
    tally->most_trials = trials > tally->most_trials ? trials : tally->most_trials;
    tally->flagged += step->more_changes;
    tally->asked_again += world->asked_again;
    if (step->verdict == VERDICT_CULPRIT && step->posterior < world->problem.confidence)
        fail_msg("culprit #%u with a posterior of %.6g where %g is asked for", step->culprit,
                 step->posterior, world->problem.confidence);
    if (step->verdict == VERDICT_CULPRIT && step->culprit == world->culprit)
        tally->right++;
    else if (step->verdict == VERDICT_CULPRIT)
        tally->wrong++;
    else if (step->verdict == VERDICT_INCONCLUSIVE)
        tally->inconclusive++;
    else
        tally->none++;
    tally->in_set += (step->verdict == VERDICT_CULPRIT && step->culprit == world->culprit) ||
                     (step->verdict == VERDICT_INCONCLUSIVE &&
                      world_is_suspect(step, world->culprit));
}

static struct tally simulate(const char *name, const struct world_options *options, unsigned rounds)
{
    static struct world world;
    struct tally tally = {0};

    for (unsigned seed = 1; seed <= rounds; seed++) {
        struct bisect_step step;
        struct culprit_error error = {0};

        world_draw(&world, options, seed * UINT64_C(7919));
        if (world_bisect(&world, &step, &error) < 0)
            fail_msg("%s, seed %u: %s", name, seed, error.message);
        count(&tally, &world, &step);
        bisect_step_clear(&step);
    }
    print_message("%s: right %u, wrong %u, inconclusive %u, none %u, in set %u of %u; builds %.1f "
                  "(most %u), trials %.1f (most %u)\n",
                  name, tally.right, tally.wrong, tally.inconclusive, tally.none, tally.in_set,
                  tally.rounds, tally.builds / rounds, tally.most_builds, tally.trials / rounds,
                  tally.most_trials);
    return tally;
}

/* The demonstration's budget on a tail latency: two fifths of the commits change nothing. */
static void test_tail_latency_within_the_budget(void **state)
{
    const struct world_options options = {.commits = 33,
                                          .noise = NOISE_TAIL,
                                          .no_changes = 0.4,
                                          .culprit_always = true,
                                          .max_builds = 8,
                                          .max_trials = 40};
    struct tally tally = simulate("tail, chain, budget", &options, 200);

    (void)state;
    assert_true(tally.wrong <= 0.01 * tally.rounds);
    assert_true(tally.right >= 0.93 * tally.rounds); /* 0.96 in a thousand rounds */
    assert_int_equal(tally.within, tally.rounds);
}

static void test_tail_latency_without_a_budget(void **state)
{
    const struct world_options options = {.commits = 33,
                                          .noise = NOISE_TAIL,
                                          .no_changes = 0.4,
                                          .merges = 0.08,
                                          .culprit_always = true};
    struct tally tally = simulate("tail, merges", &options, 200);

    (void)state;
    assert_true(tally.wrong <= 0.01 * tally.rounds);
    assert_true(tally.right >= 0.99 * tally.rounds);
    assert_true(tally.builds <= 8 * tally.rounds && tally.trials <= 40 * tally.rounds);
}

/* Invariant: where nothing regressed, "culprit found" at most at the level. */
static void test_nothing_regressed(void **state)
{
    static const enum world_noise noises[] = {NOISE_TAIL, NOISE_NORMAL, NOISE_BIMODAL};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const struct world_options options = {.commits = 65, .noise = noises[i]};
        struct tally tally = simulate("nothing regressed", &options, 60);

        if (tally.right + tally.wrong > 1)
            fail_msg("noise %d: %u culprits of %u where there is none", noises[i],
                     tally.right + tally.wrong, tally.rounds);
        assert_true(tally.none >= 0.9 * tally.rounds);
    }
}

/* Invariant: with skips the truth is in the reported set, and none is asked for twice. */
static void test_skips(void **state)
{
    static const double broken[] = {0.1, 0.3};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const struct world_options options = {.commits = 65,
                                              .noise = NOISE_TAIL,
                                              .no_changes = 0.2,
                                              .merges = 0.1,
                                              .broken = broken[i],
                                              .culprit_always = true};
        struct tally tally = simulate("skips", &options, 80);

        assert_true(tally.wrong <= 0.01 * tally.rounds);
        assert_true(tally.in_set >= 0.99 * tally.rounds);
        assert_int_equal(tally.asked_again, 0);
    }
}

/* Invariant: boots that differ, drift, outliers, two modes: right, or said to be in doubt. */
static void test_other_noise(void **state)
{
    static const struct {
        const char *name;
        struct world_options options;
        double right, wrong;
    } cases[] = {
        {"normal, 5 sigma", {.commits = 65, .noise = NOISE_NORMAL, .effect = 5}, 0.98, 0.01},
        {"normal, 2 sigma", {.commits = 65, .noise = NOISE_NORMAL, .effect = 2}, 0.97, 0.01},
        {"merges, 1 sigma",
         {.commits = 65, .noise = NOISE_NORMAL, .effect = 1, .merges = 0.1},
         0.96,
         0.015},
        {"bimodal", {.commits = 65, .noise = NOISE_BIMODAL}, 0.97, 0.01},
        {"outliers", {.commits = 65, .noise = NOISE_OUTLIERS, .effect = 1.5}, 0.96, 0.015},
        {"boots differ",
         {.commits = 65, .noise = NOISE_NORMAL, .effect = 1.5, .boot_effect = 0.5},
         0.96,
         0.015},
        {"drift", {.commits = 65, .noise = NOISE_NORMAL, .effect = 2, .drift = 0.004}, 0.90, 0.03},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct world_options options = cases[i].options;
        struct tally tally;

        options.culprit_always = true;
        tally = simulate(cases[i].name, &options, 40);
        assert_true(tally.right >= cases[i].right * tally.rounds);
        assert_true(tally.wrong <= cases[i].wrong * tally.rounds);
    }
}

/* Each image lies a little off its side's level, by less than what counts: that is neither taken
 * for the change that is looked for, nor for a second one, nor does it leave the search in doubt.
 */
static void test_images_differ_a_little(void **state)
{
    const struct world_options options = {.commits = 257,
                                          .noise = NOISE_NORMAL,
                                          .effect = 2,
                                          .image_effect = 0.3,
                                          .min_effect = 0.12,
                                          .culprit_always = true};
    struct tally tally = simulate("images differ a little", &options, 40);

    (void)state;
    assert_true(tally.right >= 0.9 * tally.rounds);
    assert_true(tally.wrong <= 0.025 * tally.rounds);
    assert_true(tally.flagged <= 0.1 * tally.rounds);
}

/* Invariant: on real trials of case A, drawn again, right or said to be in doubt. */
static void test_recorded_trials(void **state)
{
    static struct recorded recorded;
    struct world_options options = {.commits = 65,
                                    .noise = NOISE_RECORDED,
                                    .recorded = &recorded,
                                    .no_changes = 0.3,
                                    .merges = 0.05,
                                    .confidence = 0.95,
                                    .culprit_always = true};
    struct culprit_error error = {0};
    struct tally tally;

    (void)state;
    if (recorded_read(WORLD_RECORDED, &recorded, &error) < 0)
        fail_msg("%s", error.message);
    tally = simulate("recorded", &options, 100);
    assert_true(tally.right >= 0.97 * tally.rounds);
    assert_true(tally.wrong <= 0.02 * tally.rounds);
    options.culprit_always = false;
    tally = simulate("recorded, nothing regressed", &options, 60);
    assert_true(tally.right + tally.wrong <= 3); /* 0.95 */
}

/* How often the median of five of one side falls on the wrong side of a line. */
static double median_error(const struct world *world, unsigned commit, double line,
                           unsigned medians)
{
    unsigned wrong = 0;

    for (unsigned m = 0; m < medians; m++) {
        unsigned above = 0;

        for (unsigned i = 0; i < 5; i++)
            above += world_value(world, commit, PURPOSE_SEARCH, 100 + 5 * m + i) > line;
        wrong += (above >= 3) != (commit != 0);
    }
    return (double)wrong / medians;
}

/* With sides of such different spread, the line of equal likelihood errs far less than the middle.
 */
static void test_line_between_unlike_sides(void **state)
{
    const struct world_options options = {
        .commits = 3, .noise = NOISE_TAIL, .culprit_always = true};
    static struct world world;
    double good_error = 0, bad_error = 0, middle_error = 0;
    const unsigned rounds = 300;

    (void)state;
    for (unsigned seed = 1; seed <= rounds; seed++) {
        double good[5], bad[5], line, middle[2];

        world_draw(&world, &options, seed);
        for (unsigned i = 0; i < 5; i++) {
            good[i] = world_value(&world, 0, PURPOSE_SEARCH, i);
            bad[i] = world_value(&world, 2, PURPOSE_SEARCH, i);
        }
        assert_int_equal(label_threshold((struct evidence_values){good, 5},
                                         (struct evidence_values){bad, 5}, &line, NULL),
                         0);
        samples_median(good, 5, &middle[0], NULL);
        samples_median(bad, 5, &middle[1], NULL);
        good_error += median_error(&world, 0, line, 100) / rounds;
        bad_error += median_error(&world, 2, line, 100) / rounds;
        middle_error += median_error(&world, 0, (middle[0] + middle[1]) / 2, 100) / rounds;
    }
    print_message("wrong labels: good %.2f%%, bad %.2f%%; good by the middle %.2f%%\n",
                  100 * good_error, 100 * bad_error, 100 * middle_error);
    assert_true(good_error < 0.0034 && bad_error < 0.0034);
    assert_true(middle_error > 0.04);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line_between_unlike_sides),
        cmocka_unit_test(test_tail_latency_within_the_budget),
        cmocka_unit_test(test_tail_latency_without_a_budget),
        cmocka_unit_test(test_nothing_regressed),
        cmocka_unit_test(test_skips),
        cmocka_unit_test(test_other_noise),
        cmocka_unit_test(test_images_differ_a_little),
        cmocka_unit_test(test_recorded_trials),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
