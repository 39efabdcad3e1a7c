/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/check.h"

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

int check_compare(const struct planner *planner, unsigned worse,
                  struct evidence_values worse_values, unsigned base,
                  struct evidence_values base_values, double level, struct bisect_check *ret,
                  struct culprit_error *error)
{
    struct mann_whitney test;
    double worse_median, base_median;
    int r = mann_whitney(worse_values.values, worse_values.count, base_values.values,
                         base_values.count, &test, error);

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
