/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/repeats.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "stats/distribution.h"
#include "stats/sorted.h"
#include "stats/summary.h"

static unsigned clamp(unsigned count)
{
    return count < REPEATS_LEAST ? REPEATS_LEAST : count > REPEATS_MOST ? REPEATS_MOST : count;
}

static int check_goal(const struct repeats_goal *goal, struct culprit_error *error)
{
    if (goal->level != 95 && goal->level != 99)
        return culprit_fail(error, CULPRIT_INVALID, "a confidence of %u %% is neither 95 nor 99",
                            goal->level);
    if (!(goal->half_width > 0 && isfinite(goal->half_width)))
        return culprit_fail(error, CULPRIT_INVALID, "an interval of width %g is none",
                            goal->half_width);
    return 0;
}

/* The width as a share; false where there is none. */
static bool share_of_mean(const struct sample_summary *summary, unsigned level, double *ret)
{
    double n = (double)summary->count;

    if (summary->count < 2)
        return false;
    if (!(summary->deviation > 0)) {
        *ret = 0;
        return true;
    }
    *ret = student_quantile(0.5 + level / 200.0, n - 1) / sqrt(n) *
           (summary->deviation / fabs(summary->mean));
    return isfinite(*ret);
}

int repeats_next(const double *values, size_t count, const struct repeats_goal *goal,
                 struct repeats_state *ret, struct culprit_error *error)
{
    struct repeats_state state = {.step = REPEATS_GO_ON};
    struct sample_summary summary;
    unsigned maximum = clamp(goal->maximum), minimum = clamp(goal->minimum);
    int r = check_goal(goal, error);

    if (r == 0)
        r = samples_check(values, count, 0, "iterations", error);
    if (r < 0)
        return r;
    if (count > 0) {
        r = samples_summarise(values, count, &summary, error);
        if (r < 0)
            return r;
        state.mean = summary.mean;
        state.known = share_of_mean(&summary, goal->level, &state.half_width);
        state.half_width = state.known ? state.half_width : 0;
    }
    minimum = minimum < maximum ? minimum : maximum;
    if (count >= minimum && state.known && state.half_width <= goal->half_width)
        state.step = REPEATS_REACHED;
    else if (count >= maximum)
        state.step = REPEATS_NOT_REACHED;
    *ret = state;
    return 0;
}

static int check_design(const double *values, size_t count, const struct nested_design *design,
                        struct culprit_error *error)
{
    size_t product = 1;

    if (design->levels < 2 || design->levels > NESTED_LEVELS_MAXIMUM)
        return culprit_fail(error, CULPRIT_INVALID, "%zu levels are not from 2 to %d",
                            design->levels, NESTED_LEVELS_MAXIMUM);
    for (size_t i = 0; i < design->levels; i++) {
        if (design->repeats[i] < 2)
            return culprit_fail(error, CULPRIT_INVALID,
                                "level %zu was repeated %zu times; its variance needs 2", i + 1,
                                design->repeats[i]);
        if (!(design->costs[i] > 0 && isfinite(design->costs[i])))
            return culprit_fail(error, CULPRIT_INVALID, "level %zu costs %g, not above 0", i + 1,
                                design->costs[i]);
        if (__builtin_mul_overflow(product, design->repeats[i], &product) ||
            product > NESTED_SAMPLES_MAXIMUM)
            return culprit_fail(error, CULPRIT_LIMIT, "a design of more than %d samples",
                                NESTED_SAMPLES_MAXIMUM);
    }
    if (count != product)
        return culprit_fail(error, CULPRIT_INVALID, "the design has %zu samples, not %zu", product,
                            count);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return culprit_fail(error, CULPRIT_INVALID, "sample %zu of %zu is not finite", i + 1,
                                count);
    return 0;
}

/* Variance of the means of one level round the means of the level above; the groups' means take
 * the place of the first values. False when a square is no normal number. */
static bool fold(double *values, size_t groups, size_t repeats, double *ret)
{
    double sum = 0, largest = 0;

    for (size_t g = 0; g < groups; g++) {
        const double *group = values + g * repeats;
        double mean = mean_value(group, repeats);

        for (size_t i = 0; i < repeats; i++) {
            double distance = fabs(group[i] - mean);

            largest = fmax(largest, distance);
            sum += distance * distance;
        }
        values[g] = mean;
    }
    *ret = sum / (double)groups / (double)(repeats - 1);
    return isfinite(*ret) && (!(largest > 0) || largest * largest >= DBL_MIN);
}

/* Levels that are repeated together: the upper ones but once in each other. */
struct block {
    double variance, cost;
    size_t lowest;
};

/* The repeats of the lower block in the upper one, before they are whole; infinite where the upper
 * one does not vary. */
static double ideal(const struct block *lower, const struct block *upper)
{
    if (!(upper->variance > 0))
        return lower->variance > 0 ? HUGE_VAL : 1;
    return sqrt(lower->variance / upper->variance * (upper->cost / lower->cost));
}

static void choose_repeats(const struct nested_design *design, struct nested_plan *plan)
{
    struct block blocks[NESTED_LEVELS_MAXIMUM]; /* from the highest level down */
    size_t count = 0;

    for (size_t level = design->levels; level-- > 0;) {
        struct block block = {
            .variance = fmax(0, plan->own[level]), .cost = design->costs[level], .lowest = level};

        while (count > 0 && ideal(&block, &blocks[count - 1]) <= 1) {
            count--;
            block.variance += blocks[count].variance;
            block.cost += blocks[count].cost;
        }
        blocks[count++] = block;
    }
    for (size_t i = 0; i < design->levels; i++) {
        plan->repeats[i] = 1;
        plan->bounded[i] = true;
    }
    for (size_t b = 1; b < count; b++) {
        /* The highest level of a block is the one below the lowest of the block above it. */
        size_t level = blocks[b - 1].lowest - 1;
        double wanted = ceil(ideal(&blocks[b], &blocks[b - 1]) * (1 - 1e-12));

        plan->bounded[level] = wanted < NESTED_REPEATS_MAXIMUM;
        plan->repeats[level] = plan->bounded[level] ? (size_t)wanted : NESTED_REPEATS_MAXIMUM;
    }
}

int nested_plan(const double *values, size_t count, const struct nested_design *design,
                struct nested_plan *ret, struct culprit_error *error)
{
    struct nested_plan plan = {0};
    _cleanup_free_ double *means = NULL;
    size_t groups = count;
    int r = check_design(values, count, design, error);

    if (r < 0)
        return r;
    means = malloc(count * sizeof *means);
    if (!means)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot hold %zu samples: no memory", count);
    memcpy(means, values, count * sizeof *means);
    for (size_t i = 0; i < design->levels; i++) {
        groups /= design->repeats[i];
        if (!fold(means, groups, design->repeats[i], &plan.total[i]))
            return culprit_fail(error, CULPRIT_INVALID,
                                "the samples differ by too much or too little to be squared");
        plan.own[i] = plan.total[i] -
                      (i > 0 ? plan.total[i - 1] / (double)design->repeats[i - 1] : 0);
    }
    plan.mean = means[0];
    plan.standard_error = sqrt(plan.total[design->levels - 1] /
                               (double)design->repeats[design->levels - 1]);
    choose_repeats(design, &plan);
    *ret = plan;
    return 0;
}
