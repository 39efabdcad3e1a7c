/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/check.h"

#include <stdio.h>

#include "stats/rank.h"
#include "stats/summary.h"

double check_level(const struct bisect_problem *problem)
{
    return 1 - problem->confidence;
}

unsigned check_trials(const struct bisect_problem *problem)
{
    unsigned trials = problem->trials_per_commit;

    while (trials < MANN_WHITNEY_EXACT_MAXIMUM &&
           mann_whitney_smallest_p(trials, trials) > check_level(problem) * CHECK_FIRST_SHARE)
        trials++;
    return trials;
}

struct proportion check_failures(struct evidence_values values)
{
    struct proportion ret = {.count = values.count};

    for (size_t i = 0; i < values.count; i++)
        ret.failed += values.values[i] > 0.5;
    return ret;
}

static int compare_events(unsigned worse, struct evidence_values worse_values, unsigned base,
                          struct evidence_values base_values, double level,
                          struct bisect_check *ret, struct culprit_error *error)
{
    struct proportion of_worse = check_failures(worse_values);
    struct proportion of_base = check_failures(base_values);
    struct fisher test;
    int r = fisher_exact(&of_worse, &of_base, &test, error);

    if (r < 0)
        return r;
    *ret = (struct bisect_check){
        .worse = worse,
        .base = base,
        .worse_count = (unsigned)of_worse.count,
        .base_count = (unsigned)of_base.count,
        .worse_median = proportion_share(&of_worse),
        .base_median = proportion_share(&of_base),
        .worse_failed = (unsigned)of_worse.failed,
        .base_failed = (unsigned)of_base.failed,
        .p = test.p_greater,
        .level = level,
        .passed = test.p_greater <= level * (1 + 1e-9),
    };
    return 0;
}

int check_compare(const struct planner *planner, unsigned worse,
                  struct evidence_values worse_values, unsigned base,
                  struct evidence_values base_values, double level, struct bisect_check *ret,
                  struct culprit_error *error)
{
    struct mann_whitney test;
    double worse_median, base_median;
    int r;

    if (planner->problem->measure == MEASURE_EVENT)
        return compare_events(worse, worse_values, base, base_values, level, ret, error);
    r = mann_whitney(worse_values.values, worse_values.count, base_values.values, base_values.count,
                     &test, error);
    if (r == 0)
        r = samples_median(worse_values.values, worse_values.count, &worse_median, error);
    if (r == 0)
        r = samples_median(base_values.values, base_values.count, &base_median, error);
    if (r < 0)
        return r;
    *ret = (struct bisect_check){
        .worse = worse,
        .base = base,
        .worse_count = (unsigned)worse_values.count,
        .base_count = (unsigned)base_values.count,
        .worse_median = planner_value(planner, worse_median),
        .base_median = planner_value(planner, base_median),
        .p = test.p_greater,
        .level = level,
        .passed = test.p_greater <= level * (1 + 1e-9),
    };
    return 0;
}

int check_difference(const struct planner *planner, struct evidence_values one,
                     struct evidence_values other, double *ret, struct culprit_error *error)
{
    struct mann_whitney ranks;
    struct fisher events;
    int r;

    if (planner->problem->measure == MEASURE_EVENT) {
        struct proportion first = check_failures(one), second = check_failures(other);

        r = fisher_exact(&first, &second, &events, error);
        if (r == 0)
            *ret = events.p_two_sided;
        return r;
    }
    r = mann_whitney(one.values, one.count, other.values, other.count, &ranks, error);
    if (r == 0)
        *ret = ranks.p_two_sided;
    return r;
}

const char *check_text(const struct planner *planner, const struct bisect_check *check,
                       char text[CHECK_TEXT_SIZE])
{
    if (planner->problem->measure == MEASURE_EVENT)
        snprintf(text, CHECK_TEXT_SIZE, "%u of %u and %u of %u trials failed, p = %.2g",
                 check->worse_failed, check->worse_count, check->base_failed, check->base_count,
                 check->p);
    else
        snprintf(text, CHECK_TEXT_SIZE, "medians %.6g and %.6g, %u and %u trials, p = %.2g",
                 check->worse_median, check->base_median, check->worse_count, check->base_count,
                 check->p);
    return text;
}
