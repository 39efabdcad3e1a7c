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

struct definition {
    const struct world *world;
    double low, high, width, floor_, ratio;
};

/* Values of one level, and which commit each is of. */
struct group {
    double values[64];
    unsigned commits[64], count;
};

/* What of them matters: the mean of an image lies around the level with the variance of n values'
 * mean and that of the images' own offsets, ratio times a value's; hence its weight. */
struct level {
    double n, weight, mean, rss;
};

static struct level image_of(const struct definition *definition, const struct group *group,
                             unsigned commit)
{
    struct level image = {0};

    for (unsigned i = 0; i < group->count; i++)
        if (group->commits[i] == commit) {
            image.n++;
            image.mean += group->values[i];
        }
    if (!(image.n > 0))
        return image;
    image.mean /= image.n;
    image.weight = 1 / (1 / image.n + definition->ratio);
    for (unsigned i = 0; i < group->count; i++)
        if (group->commits[i] == commit)
            image.rss += pow(group->values[i] - image.mean, 2);
    return image;
}

static struct level level_of(const struct definition *definition, const struct group *group)
{
    struct level images[16], level = {0};

    for (unsigned c = 0; c < 16; c++) {
        images[c] = image_of(definition, group, c);
        level.n += images[c].n;
        level.weight += images[c].weight;
        level.mean += images[c].weight * images[c].mean;
    }
    if (!(level.n > 0))
        return level;
    level.mean /= level.weight;
    for (unsigned c = 0; c < 16; c++)
        level.rss += images[c].rss + images[c].weight * pow(images[c].mean - level.mean, 2);
    return level;
}

static double floored(const struct definition *definition, double rss, double n)
{
    return hypot(rss, n * definition->floor_ * definition->floor_);
}

/* One variance for all groups, by the definition: integrals over each mean and over log σ. */
static double log_tied(const struct definition *definition, const struct group *groups,
                       unsigned group_count)
{
    double rss = 0, logs = 0, n = 0, means = 0, width = definition->width;

    for (unsigned g = 0; g < group_count; g++) {
        struct level level = level_of(definition, &groups[g]);

        if (!(level.n > 0))
            continue;
        rss += level.rss;
        logs -= log(level.weight) / 2 + log(width);
        n += level.n;
        means++;
    }
    if (n - means < 1)
        return -means * log(width);
    return logs + lgamma((n - means) / 2) -
           (n - means) / 2 * log(M_PI * floored(definition, rss, n)) -
           log(2 * log(width / definition->floor_));
}

static void add_value(const struct definition *definition, struct group *group,
                      const struct bisect_trial *trial)
{
    group->commits[group->count] = trial->commit;
    group->values[group->count++] = fmin(fmax(trial->value, definition->low), definition->high);
}

/* The values, cut off, by which of two commits they descend from; second 0: only of the first. */
static void sort_values(const struct definition *definition, unsigned first, unsigned second,
                        struct group groups[4])
{
    const struct world *world = definition->world;

    memset(groups, 0, 4 * sizeof *groups);
    for (size_t i = 0; i < world->facts.trial_count; i++) {
        const struct bisect_trial *trial = &world->trials[i];

        add_value(definition,
                  &groups[is_ancestor(world, first, trial->commit) +
                          2U * (second > 0 && is_ancestor(world, second, trial->commit))],
                  trial);
    }
}

static double by_single(const struct definition *definition, unsigned hypothesis)
{
    struct group groups[4];
    struct level good, bad;
    double distance, common, of_good, of_bad, degrees, alike, apart;

    sort_values(definition, hypothesis, 0, groups);
    if (groups[0].count == 0 || groups[1].count == 0)
        return -HUGE_VAL;
    good = level_of(definition, &groups[0]);
    bad = level_of(definition, &groups[1]);
    distance = bad.mean - good.mean;
    degrees = good.n + bad.n - 2;
    common = floored(definition, good.rss + bad.rss, good.n + bad.n) / degrees;
    alike = log_tied(definition, groups, 2) +
            log(2 *
                student_cdf(distance / sqrt(common / good.weight + common / bad.weight), degrees));
    of_good = floored(definition, good.rss, good.n) / fmax(good.n - 1, 1) / good.weight;
    of_bad = floored(definition, bad.rss, bad.n) / fmax(bad.n - 1, 1) / bad.weight;
    degrees = pow(of_good + of_bad, 2) /
              (of_good * of_good / fmax(good.n - 1, 1) + of_bad * of_bad / fmax(bad.n - 1, 1));
    apart = log_tied(definition, groups, 1) + log_tied(definition, groups + 1, 1) +
            log(2 * student_cdf(distance / sqrt(of_good + of_bad), degrees));
    return log(exp(alike) / 2 + exp(apart) / 2);
}

static double by_pair(const struct definition *definition, unsigned first, unsigned second)
{
    struct group groups[4], low[4] = {0}, high[4] = {0};
    double good, bad;
    unsigned levels = 0;

    sort_values(definition, first, second, groups);
    for (int g = 0; g < 4; g++)
        levels += groups[g].count > 0;
    good = level_of(definition, &groups[0]).mean;
    bad = level_of(definition, &groups[3]).mean;
    if (levels < 3 || bad <= good)
        return -HUGE_VAL;
    for (int g = 0; g < 4; g++)
        *(level_of(definition, &groups[g]).mean > (good + bad) / 2 ? &high[g]
                                                                   : &low[g]) = groups[g];
    return log(exp(log_tied(definition, groups, 4)) / 2 +
               exp(log_tied(definition, low, 4) + log_tied(definition, high, 4)) / 2);
}

static double by_none(const struct definition *definition)
{
    struct group groups[4];

    sort_values(definition, definition->world->problem.count, 0, groups);
    return log_tied(definition, groups, 1);
}

static double by_each(const struct definition *definition)
{
    const struct world *world = definition->world;
    struct group groups[16] = {0};
    unsigned images = 0;

    for (size_t i = 0; i < world->facts.trial_count; i++)
        add_value(definition, &groups[world->trials[i].commit], &world->trials[i]);
    for (unsigned c = 0; c < 16; c++)
        images += groups[c].count > 0;
    return images < 4 ? -HUGE_VAL : log_tied(definition, groups, 16);
}

/* 2.5 robust deviations beyond the ends' medians. */
static struct definition define(const struct world *world)
{
    struct definition ret = {.world = world, .low = HUGE_VAL, .high = -HUGE_VAL};
    double medians[2], variance, rss = 0, degrees = 0;

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
    /* Four deviations of an image's offset are the difference that counts. */
    for (unsigned c = 0; c < world->problem.count; c++) {
        struct level image;
        struct group group = {0};

        for (size_t i = 0; i < world->facts.trial_count; i++)
            if (world->trials[i].commit == c)
                add_value(&ret, &group, &world->trials[i]);
        image = image_of(&ret, &group, c);
        rss += image.rss;
        degrees += fmax(image.n - 1, 0);
    }
    variance = rss / degrees + ret.floor_ * ret.floor_;
    ret.ratio = pow(world->problem.min_effect * fabs(medians[0]) / 4, 2) / variance;
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
