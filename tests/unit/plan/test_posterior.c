/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The posterior from its definition, without cells, sums or sharing, against the planner's.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/posterior.h"
#include "stats/distribution.h"
#include "stats/summary.h"
#include "world.h"

static bool is_ancestor(const struct world *world, unsigned ancestor, unsigned commit)
{
    if (ancestor == commit)
        return true;
    for (unsigned p = 0; p < world->commits[commit].parent_count; p++)
        if (is_ancestor(world, ancestor, world->parents[commit][p]))
            return true;
    return false;
}

/* One variance for all groups, by the definition: integrals over each mean and over log σ. */
static double log_tied(const double groups[][64], const unsigned *counts, unsigned group_count,
                       double width, double floor_)
{
    double rss = 0, logs = 0, n = 0, means = 0;

    for (unsigned g = 0; g < group_count; g++) {
        double mean = 0;

        if (counts[g] == 0)
            continue;
        for (unsigned i = 0; i < counts[g]; i++)
            mean += groups[g][i] / counts[g];
        for (unsigned i = 0; i < counts[g]; i++)
            rss += pow(groups[g][i] - mean, 2);
        logs -= log(counts[g]) / 2 + log(width);
        n += counts[g];
        means++;
    }
    if (n - means < 1)
        return -means * log(width);
    return logs + lgamma((n - means) / 2) -
           (n - means) / 2 * log(M_PI * hypot(rss, n * floor_ * floor_)) -
           log(2 * log(width / floor_));
}

struct definition {
    const struct world *world;
    double low, high, width, floor_;
};

/* The values, cut off, by which of two commits they descend from; second 0: only of the first. */
static void sort_values(const struct definition *definition, unsigned first, unsigned second,
                        double groups[4][64], unsigned counts[4])
{
    const struct world *world = definition->world;

    memset(counts, 0, 4 * sizeof *counts);
    for (size_t i = 0; i < world->facts.trial_count; i++) {
        const struct bisect_trial *trial = &world->trials[i];
        unsigned group = is_ancestor(world, first, trial->commit) +
                         2U * (second > 0 && is_ancestor(world, second, trial->commit));

        groups[group][counts[group]++] = fmin(fmax(trial->value, definition->low),
                                              definition->high);
    }
}

static double mean_of(const double *values, unsigned count)
{
    double sum = 0;

    for (unsigned i = 0; i < count; i++)
        sum += values[i];
    return sum / count;
}

/* Σ (x − mean)². */
static double scatter_of(const double *values, unsigned count)
{
    double mean = mean_of(values, count), rss = 0;

    for (unsigned i = 0; i < count; i++)
        rss += pow(values[i] - mean, 2);
    return rss;
}

static double floored(double rss, double n, double floor_)
{
    return hypot(rss, n * floor_ * floor_);
}

static double by_single(const struct definition *definition, unsigned hypothesis)
{
    double groups[4][64], width = definition->width, floor_ = definition->floor_;
    unsigned counts[4];
    double distance, common, good, bad, degrees, alike, apart;

    sort_values(definition, hypothesis, 0, groups, counts);
    if (counts[0] == 0 || counts[1] == 0)
        return -HUGE_VAL;
    distance = mean_of(groups[1], counts[1]) - mean_of(groups[0], counts[0]);
    degrees = counts[0] + counts[1] - 2.0;
    common = floored(scatter_of(groups[0], counts[0]) + scatter_of(groups[1], counts[1]),
                     counts[0] + counts[1], floor_) /
             degrees;
    alike = log_tied(groups, counts, 2, width, floor_) +
            log(2 * student_cdf(distance / sqrt(common / counts[0] + common / counts[1]), degrees));
    good = floored(scatter_of(groups[0], counts[0]), counts[0], floor_) / fmax(counts[0] - 1.0, 1) /
           counts[0];
    bad = floored(scatter_of(groups[1], counts[1]), counts[1], floor_) / fmax(counts[1] - 1.0, 1) /
          counts[1];
    degrees = pow(good + bad, 2) /
              (good * good / fmax(counts[0] - 1.0, 1) + bad * bad / fmax(counts[1] - 1.0, 1));
    apart = log_tied(groups, counts, 1, width, floor_) +
            log_tied(groups + 1, counts + 1, 1, width, floor_) +
            log(2 * student_cdf(distance / sqrt(good + bad), degrees));
    return log(exp(alike) / 2 + exp(apart) / 2);
}

static double by_pair(const struct definition *definition, unsigned first, unsigned second)
{
    double groups[4][64], width = definition->width, floor_ = definition->floor_;
    unsigned counts[4], low_counts[4], high_counts[4], levels = 0;
    double middle;

    sort_values(definition, first, second, groups, counts);
    for (int g = 0; g < 4; g++)
        levels += counts[g] > 0;
    if (levels < 3 || mean_of(groups[3], counts[3]) <= mean_of(groups[0], counts[0]))
        return -HUGE_VAL;
    middle = (mean_of(groups[0], counts[0]) + mean_of(groups[3], counts[3])) / 2;
    for (int g = 0; g < 4; g++) {
        bool high = counts[g] > 0 && mean_of(groups[g], counts[g]) > middle;

        high_counts[g] = high ? counts[g] : 0;
        low_counts[g] = high ? 0 : counts[g];
    }
    return log(exp(log_tied(groups, counts, 4, width, floor_)) / 2 +
               exp(log_tied(groups, low_counts, 4, width, floor_) +
                   log_tied(groups, high_counts, 4, width, floor_)) /
                   2);
}

static double by_none(const struct definition *definition)
{
    double groups[4][64];
    unsigned counts[4];

    sort_values(definition, definition->world->problem.count, 0, groups, counts);
    return log_tied(groups, counts, 1, definition->width, definition->floor_);
}

static double by_each(const struct definition *definition)
{
    const struct world *world = definition->world;
    static double groups[16][64];
    unsigned counts[16] = {0}, images = 0;

    for (size_t i = 0; i < world->facts.trial_count; i++) {
        const struct bisect_trial *trial = &world->trials[i];
        groups[trial->commit][counts[trial->commit]++] = fmin(fmax(trial->value, definition->low),
                                                              definition->high);
    }
    for (unsigned c = 0; c < 16; c++)
        images += counts[c] > 0;
    return images < 4 ? -HUGE_VAL
                      : log_tied(groups, counts, 16, definition->width, definition->floor_);
}

/* 2.5 robust deviations beyond the ends' medians. */
static struct definition define(const struct world *world)
{
    struct definition ret = {.world = world, .low = HUGE_VAL, .high = -HUGE_VAL};
    double medians[2];

    for (int end = 0; end < 2; end++) {
        unsigned commit = end ? world->problem.count - 1 : 0, count = 0;
        double values[64], scale, reach;

        for (size_t i = 0; i < world->facts.trial_count; i++)
            if (world->trials[i].commit == commit)
                values[count++] = world->trials[i].value;
        assert_int_equal(samples_median(values, count, &medians[end], NULL), 0);
        assert_int_equal(samples_robust_scale(values, count, &scale, NULL), 0);
        reach = 2.5 * scale * (1 + 4.0 / count);
        ret.low = fmin(ret.low, medians[end] - reach);
        ret.high = fmax(ret.high, medians[end] + reach);
    }
    ret.width = 1.5 * (ret.high - ret.low);
    ret.floor_ = fmax(0.1 * fabs(medians[1] - medians[0]), 0.005 * ret.width);
    return ret;
}

/* Trials that are bad under one hypothesis and good under the other. */
static unsigned trials_that_differ(const struct world *world, unsigned a, unsigned b)
{
    unsigned count = 0;

    for (size_t i = 0; i < world->facts.trial_count; i++)
        count += is_ancestor(world, a, world->trials[i].commit) !=
                 is_ancestor(world, b, world->trials[i].commit);
    return count;
}

/* Trials that a pair places between good and bad, or otherwise than a single change does. */
static unsigned trials_placed_otherwise(const struct world *world, unsigned first, unsigned second,
                                        unsigned single)
{
    unsigned count = 0;

    for (size_t i = 0; i < world->facts.trial_count; i++) {
        unsigned commit = world->trials[i].commit;
        bool bad = is_ancestor(world, first, commit);

        count += bad != is_ancestor(world, second, commit) ||
                 bad != is_ancestor(world, single, commit);
    }
    return count;
}

/* None counts for more than the odds that are allowed. */
static unsigned bound(const struct world *world, double *logs)
{
    unsigned best = 1;

    for (unsigned h = 1; h < world->problem.count; h++)
        best = logs[h] > logs[best] ? h : best;
    for (unsigned h = 1; h < world->problem.count; h++)
        logs[h] = fmax(logs[h],
                       logs[best] - trials_that_differ(world, h, best) * log(POSTERIOR_TRIAL_ODDS));
    return best;
}

/* All hypotheses' logarithms, one after the other; ret[h] becomes the probability of each single.
 */
static void brute_force(const struct world *world, double *ret, double *ret_two)
{
    struct definition definition = define(world);
    unsigned count = world->problem.count, best;
    double logs[16], two = 0, sum = 0, shift = by_none(&definition);

    for (unsigned h = 1; h < count; h++)
        logs[h] = by_single(&definition, h) - shift;
    best = bound(world, logs);
    for (unsigned h = 1; h < count; h++)
        sum += ret[h] = 0.95 / (count - 1) * exp(logs[h]);
    for (unsigned a = 1; a < count; a++)
        for (unsigned b = a + 1; b < count; b++)
            two += 0.02 * 2 / pow(count - 1, 2) *
                   exp(fmin(by_pair(&definition, a, b) - shift,
                            logs[best] + trials_placed_otherwise(world, a, b, best) *
                                             log(POSTERIOR_TRIAL_ODDS)));
    sum += two + 0.02 + 0.01 * exp(by_each(&definition) - shift);
    for (unsigned h = 1; h < count; h++)
        ret[h] /= sum;
    ret[0] = 0;
    *ret_two = two / sum;
}

static void measure_at_random(struct world *world, struct random *random)
{
    for (unsigned c = 0; c < world->problem.count; c++) {
        bool end = c == 0 || c + 1 == world->problem.count;
        unsigned trials = end ? 5 : (unsigned)random_below(random, 5);

        world_do(world, &(struct bisect_want){.kind = WANT_BUILD, .commit = c});
        for (unsigned i = 0; i < trials; i++)
            world_do(world, &(struct bisect_want){.kind = WANT_TRIAL, .commit = c, .index = i});
    }
}

/* Invariant: on random graphs of up to twelve commits the posterior is the definition's. */
static void test_posterior_against_brute_force(void **state)
{
    static struct world world;
    struct random random;

    (void)state;
    random_seed(&random, 12);
    for (unsigned round = 0; round < 150; round++) {
        struct world_options options = {.commits = 3 + (unsigned)random_below(&random, 10),
                                        .noise = NOISE_NORMAL,
                                        .effect = 2,
                                        .merges = 0.4,
                                        .culprit_always = true};
        CULPRIT_CLEANUP(evidence_free) struct evidence *evidence = NULL;
        CULPRIT_CLEANUP(posterior_clear) struct posterior posterior = {0};
        double want[16], two;

        world_draw(&world, &options, round);
        measure_at_random(&world, &random);
        assert_int_equal(evidence_new(&world.problem, &world.facts, &evidence, NULL), 0);
        assert_int_equal(posterior_compute(&world.problem, evidence, false, &posterior, NULL), 0);
        brute_force(&world, want, &two);
        if (fabs(posterior.two - two) > 1e-9)
            fail_msg("round %u: two changes %.12g, by definition %.12g", round, posterior.two, two);
        for (unsigned h = 0; h < options.commits; h++)
            if (fabs(posterior.by_commit[h] - want[h]) > 1e-9)
                fail_msg("round %u, commit %u of %u: %.12g, by definition %.12g", round, h,
                         options.commits, posterior.by_commit[h], want[h]);
    }
}

/* Sums over ancestors, against their definition. */
static void test_sums_over_ancestors(void **state)
{
    const struct world_options options = {.commits = 40, .merges = 0.5, .culprit_always = true};
    static struct world world;

    (void)state;
    for (unsigned round = 0; round < 60; round++) {
        struct dag_weight weights[40] = {0}, sums[40];
        struct random random;

        world_draw(&world, &options, round);
        random_seed(&random, round);
        for (unsigned c = 3; c < 40; c++) /* merges of anything with anything, criss-cross */
            if (random_below(&random, 4) == 0) {
                world.parents[c][1] = (unsigned)random_below(&random, c);
                world.commits[c].parent_count = 2;
            }
        for (unsigned c = 0; c < 40; c++)
            weights[c].of[round % DAG_WEIGHTS] = random_unit(&random);
        assert_int_equal(dag_weigh(&world.problem, weights, sums, NULL), 0);
        for (unsigned c = 0; c < 40; c++) {
            double sum = 0;

            for (unsigned a = 0; a <= c; a++)
                sum += is_ancestor(&world, a, c) ? weights[a].of[round % DAG_WEIGHTS] : 0;
            if (fabs(sums[c].of[round % DAG_WEIGHTS] - sum) > 1e-9)
                fail_msg("round %u, commit %u: %.12g, by definition %.12g", round, c,
                         sums[c].of[round % DAG_WEIGHTS], sum);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_over_ancestors),
        cmocka_unit_test(test_posterior_against_brute_force),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
