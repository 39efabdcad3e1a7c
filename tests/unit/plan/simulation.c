/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The planner against histories that are known: how often it is right, what it costs, and whether
 * what it claims to know is so. Every world has its own seed, so that a failure can be had again.
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
#include "plan/planner.h"
#include "plan/posterior.h"
#include "stats/summary.h"
#include "world.h"

struct tally {
    unsigned rounds, right, wrong, inconclusive, none, in_set, flagged;
    unsigned most_builds, most_trials, within; /* within 8 builds and 40 trials */
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
    struct tally tally = simulate("tail, chain, budget", &options, 400);

    (void)state;
    assert_int_equal(tally.wrong, 0);
    assert_true(tally.right >= 0.97 * tally.rounds);
    assert_int_equal(tally.within, tally.rounds);
}

static void test_tail_latency_without_a_budget(void **state)
{
    const struct world_options options = {.commits = 33,
                                          .noise = NOISE_TAIL,
                                          .no_changes = 0.4,
                                          .merges = 0.08,
                                          .culprit_always = true};
    struct tally tally = simulate("tail, merges", &options, 400);

    (void)state;
    assert_int_equal(tally.wrong, 0);
    assert_true(tally.right >= 0.99 * tally.rounds);
    assert_true(tally.within >= 0.95 * tally.rounds);
}

/* Invariant: where nothing regressed, "culprit found" at most at the level. */
static void test_nothing_regressed(void **state)
{
    static const enum world_noise noises[] = {NOISE_TAIL, NOISE_NORMAL, NOISE_BIMODAL};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const struct world_options options = {.commits = 65, .noise = noises[i]};
        struct tally tally = simulate("nothing regressed", &options, 400);

        if (tally.right + tally.wrong > 4)
            fail_msg("noise %d: %u culprits of %u where there is none", noises[i],
                     tally.right + tally.wrong, tally.rounds);
        assert_true(tally.none >= 0.9 * tally.rounds);
    }
}

/* Invariant: with skips the truth is in the reported set. */
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
        struct tally tally = simulate("skips", &options, 300);

        assert_int_equal(tally.wrong, 0);
        assert_true(tally.in_set >= 0.99 * tally.rounds);
    }
}

static void test_other_noise(void **state)
{
    static const struct {
        const char *name;
        struct world_options options;
        double right, wrong;
    } cases[] = {
        {"normal, 5 sigma", {.commits = 65, .noise = NOISE_NORMAL, .effect = 5}, 0.98, 0.005},
        {"normal, 3 sigma", {.commits = 65, .noise = NOISE_NORMAL, .effect = 3}, 0.95, 0.01},
        {"bimodal", {.commits = 65, .noise = NOISE_BIMODAL}, 0.97, 0.01},
        {"outliers", {.commits = 65, .noise = NOISE_OUTLIERS, .effect = 5}, 0.90, 0.01},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct world_options options = cases[i].options;
        struct tally tally;

        options.culprit_always = true;
        tally = simulate(cases[i].name, &options, 300);
        assert_true(tally.right >= cases[i].right * tally.rounds);
        assert_true(tally.wrong <= cases[i].wrong * tally.rounds);
    }
}

/* No commit is asked for more than its search and two looks at two verifications. */
static void test_trials_of_a_commit_are_capped(void **state)
{
    const struct world_options options = {
        .commits = 33, .noise = NOISE_NORMAL, .effect = 1.5, .merges = 0.1, .culprit_always = true};
    static struct world world;

    (void)state;
    for (unsigned seed = 1; seed <= 100; seed++) {
        struct bisect_step step;
        unsigned trials[33] = {0};

        world_draw(&world, &options, seed);
        assert_int_equal(world_bisect(&world, &step, NULL), 0);
        bisect_step_clear(&step);
        for (size_t i = 0; i < world.facts.trial_count; i++)
            trials[world.trials[i].commit]++;
        for (unsigned c = 1; c < 32; c++)
            if (trials[c] > 5 + 30)
                fail_msg("seed %u: %u trials of commit %u", seed, trials[c], c);
    }
}

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
    for (unsigned seed = 1; seed <= 25; seed++) {
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
    };
    static struct world plain, other;

    (void)state;
    for (unsigned seed = 1; seed <= 30; seed++)
        for (size_t i = 0; i < sizeof turned / sizeof *turned; i++) {
            struct world_options options = turned[i];
            struct bisect_step a, b;

            options.commits = 33;
            options.noise = NOISE_TAIL;
            options.no_changes = 0.3;
            options.culprit_always = true;
            world_draw(&other, &options, seed);
            options.scale = 1;
            options.higher_is_better = false;
            world_draw(&plain, &options, seed);
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

struct bucket {
    double from, to, claimed;
    unsigned count, right;
};

/* The suspect that the search ends on, before it is verified. */
static void take_claim(const struct world_options *options, unsigned seed, struct bucket *buckets,
                       size_t bucket_count)
{
    static struct world world;
    struct random random;

    random_seed(&random, seed + 7);
    world_draw(&world, options, seed * UINT64_C(7919));
    for (;;) {
        struct bisect_step step;
        bool ended;

        assert_int_equal(bisect_plan(&world.problem, &world.facts, &step, NULL), 0);
        ended = step.verdict != VERDICT_NONE ||
                (step.wants[0].kind == WANT_TRIAL && step.wants[0].purpose == PURPOSE_VERIFY);
        for (size_t b = 0; ended && step.suspect_count == 1 && b < bucket_count; b++) {
            if (step.posterior < buckets[b].from || step.posterior >= buckets[b].to)
                continue;
            buckets[b].count++;
            buckets[b].claimed += step.posterior;
            buckets[b].right += step.suspects[0] == world.culprit;
        }
        if (!ended)
            world_do(&world, &step.wants[random_below(&random, step.want_count)]);
        bisect_step_clear(&step);
        if (ended)
            return;
    }
}

/* Invariant: of the verdicts that claim p, no fewer than p are right, by more than chance explains.
 * (More are: the alternatives to a single change get a share here that they never need.) */
static void test_posterior_is_calibrated(void **state)
{
    static const struct world_options cases[] = {
        {.commits = 33, .noise = NOISE_NORMAL, .effect = 2, .culprit_always = true},
        {.commits = 33, .noise = NOISE_NORMAL, .effect = 3, .merges = 0.1, .culprit_always = true},
        {.commits = 33, .noise = NOISE_TAIL, .culprit_always = true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bucket buckets[] = {{.from = 0.75, .to = 0.85},
                                   {.from = 0.85, .to = 0.93},
                                   {.from = 0.93, .to = 0.97},
                                   {.from = 0.97, .to = 1.01}};

        for (unsigned seed = 1; seed <= 700; seed++)
            take_claim(&cases[i], seed, buckets, 4);
        for (size_t b = 0; b < 4; b++) {
            double n = buckets[b].count, claimed = buckets[b].claimed / fmax(n, 1);
            double band = 3 * sqrt(n * claimed * (1 - claimed)) + 1;

            if (buckets[b].right < n * claimed - band)
                fail_msg("case %zu: %u of %u right where %.3f was claimed", i, buckets[b].right,
                         buckets[b].count, claimed);
        }
    }
}

/* --- the posterior from its definition, without sets, sums or sharing */

static bool is_ancestor(const struct world *world, unsigned ancestor, unsigned commit)
{
    if (ancestor == commit)
        return true;
    for (unsigned p = 0; p < world->commits[commit].parent_count; p++)
        if (is_ancestor(world, ancestor, world->parents[commit][p]))
            return true;
    return false;
}

static double log_side(const double *values, unsigned n, double width, double floor_)
{
    double mean = 0, rss = 0;

    for (unsigned i = 0; i < n; i++)
        mean += values[i] / n;
    for (unsigned i = 0; i < n; i++)
        rss += pow(values[i] - mean, 2);
    rss += n * floor_ * floor_;
    if (n < 2)
        return n < 1 ? 0 : -log(width);
    return lgamma((n - 1) / 2.0) - log(n) / 2 - (n - 1) / 2.0 * log(M_PI * rss) -
           log(2 * width * log(width / floor_));
}

static double brute_single(const struct world *world, unsigned hypothesis, double width,
                           double floor_)
{
    double good[WORLD_TRIALS], bad[WORLD_TRIALS], means[2] = {0};
    unsigned good_count = 0, bad_count = 0;

    for (size_t i = 0; i < world->facts.trial_count; i++) {
        const struct bisect_trial *trial = &world->trials[i];
        if (is_ancestor(world, hypothesis, trial->commit))
            bad[bad_count++] = trial->value;
        else
            good[good_count++] = trial->value;
    }
    for (unsigned i = 0; i < good_count; i++)
        means[0] += good[i] / good_count;
    for (unsigned i = 0; i < bad_count; i++)
        means[1] += bad[i] / bad_count;
    if (good_count == 0 || bad_count == 0 || means[1] <= means[0])
        return -HUGE_VAL;
    return log_side(good, good_count, width, floor_) + log_side(bad, bad_count, width, floor_);
}

static double brute_all_alike(const struct world *world, double width, double floor_)
{
    double all[WORLD_TRIALS];

    for (size_t i = 0; i < world->facts.trial_count; i++)
        all[i] = world->trials[i].value;
    return log_side(all, (unsigned)world->facts.trial_count, width, floor_);
}

static double brute_all_differ(const struct world *world, double width, double floor_)
{
    double logs = 0, rss = 0, n = (double)world->facts.trial_count, images = 0;

    for (unsigned c = 0; c < world->problem.count; c++) {
        double mean = 0, own = 0;

        for (size_t i = 0; i < world->facts.trial_count; i++)
            own += world->trials[i].commit == c;
        for (size_t i = 0; i < world->facts.trial_count; i++)
            mean += world->trials[i].commit == c ? world->trials[i].value / own : 0;
        for (size_t i = 0; i < world->facts.trial_count; i++)
            rss += world->trials[i].commit == c ? pow(world->trials[i].value - mean, 2) : 0;
        if (own > 0) {
            logs -= log(own) / 2 + log(width);
            images++;
        }
    }
    if (images < 3 || n - images < 1)
        return -HUGE_VAL;
    rss += n * floor_ * floor_;
    return logs + lgamma((n - images) / 2) - (n - images) / 2 * log(M_PI * rss) -
           log(2 * log(width / floor_));
}

static void brute_force(const struct world *world, double *ret)
{
    unsigned count = world->problem.count;
    double least = HUGE_VAL, most = -HUGE_VAL, width, floor_, sum = 0, logs[16], top = -HUGE_VAL;

    for (size_t i = 0; i < world->facts.trial_count; i++) {
        least = fmin(least, world->trials[i].value);
        most = fmax(most, world->trials[i].value);
    }
    width = 1.5 * (most - least);
    floor_ = 0.01 * width;
    for (unsigned h = 1; h < count; h++)
        logs[h] = log(0.95 / (count - 1)) + brute_single(world, h, width, floor_);
    logs[count] = log(0.025) + brute_all_alike(world, width, floor_);
    logs[count + 1] = log(0.025) + brute_all_differ(world, width, floor_);
    for (unsigned h = 1; h <= count + 1; h++)
        top = fmax(top, logs[h]);
    for (unsigned h = 1; h <= count + 1; h++)
        sum += exp(logs[h] - top);
    ret[0] = 0;
    for (unsigned h = 1; h < count; h++)
        ret[h] = exp(logs[h] - top) / sum;
}

/* Invariant: on random graphs of up to twelve commits the posterior is the definition's. */
static void test_posterior_against_brute_force(void **state)
{
    static struct world world;
    struct random random;

    (void)state;
    random_seed(&random, 12);
    for (unsigned round = 0; round < 200; round++) {
        struct world_options options = {.commits = 3 + (unsigned)random_below(&random, 10),
                                        .noise = NOISE_NORMAL,
                                        .effect = 2,
                                        .merges = 0.4,
                                        .culprit_always = true};
        CULPRIT_CLEANUP(evidence_free) struct evidence *evidence = NULL;
        struct planner planner = {.problem = &world.problem};
        double want[16], got[16], no_single;

        world_draw(&world, &options, round);
        for (unsigned c = 0; c < options.commits; c++) {
            unsigned trials = c == 0 || c + 1 == options.commits
                                  ? 5
                                  : (unsigned)random_below(&random, 5);
            world_do(&world, &(struct bisect_want){.kind = WANT_BUILD, .commit = c});
            for (unsigned i = 0; i < trials; i++)
                world_do(&world,
                         &(struct bisect_want){.kind = WANT_TRIAL, .commit = c, .index = i});
        }
        assert_int_equal(evidence_new(&world.problem, &world.facts, &evidence, NULL), 0);
        planner.evidence = evidence;
        assert_int_equal(posterior_compute(&planner, got, &no_single, NULL), 0);
        brute_force(&world, want);
        for (unsigned h = 0; h < options.commits; h++)
            if (fabs(got[h] - want[h]) > 1e-9)
                fail_msg("round %u, commit %u of %u: %.12g, by definition %.12g", round, h,
                         options.commits, got[h], want[h]);
    }
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
        cmocka_unit_test(test_trials_of_a_commit_are_capped),
        cmocka_unit_test(test_order_of_facts_is_nothing),
        cmocka_unit_test(test_unit_and_direction_are_nothing),
        cmocka_unit_test(test_posterior_is_calibrated),
        cmocka_unit_test(test_posterior_against_brute_force),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
