/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/noise.h"

#include <math.h>

#include "plan/check.h"
#include "stats/distribution.h"
#include "stats/inference.h"
#include "stats/rank.h"
#include "stats/summary.h"

/* With which a difference that is there is to be shown. */
static const double power = 0.9;

bool noise_known(const struct bisect_problem *problem)
{
    return problem->noise.trials > 0 && problem->noise.spread > 0;
}

int noise_spread(const struct bisect_problem *problem, struct evidence_values good,
                 struct evidence_values bad, double *ret, struct culprit_error *error)
{
    double of_good, of_bad;
    int r;

    *ret = problem->noise.spread;
    if (noise_known(problem))
        return 0;
    r = samples_robust_scale(good.values, good.count, &of_good, error);
    if (r == 0)
        r = samples_robust_scale(bad.values, bad.count, &of_bad, error);
    if (r == 0)
        *ret = hypot(of_bad, of_good) / M_SQRT2;
    return r;
}

/* Two-sided, as the formulas have it. */
static double level_of(const struct bisect_problem *problem)
{
    return 2 * check_level(problem);
}

double noise_detectable(const struct bisect_problem *problem, double spread, size_t trials)
{
    double ret = 0;

    if (!(spread > 0) ||
        minimum_detectable_effect(spread, trials, level_of(problem), power, &ret, NULL) < 0)
        return 0;
    return ret;
}

size_t noise_trials(const struct bisect_problem *problem, double spread, double difference)
{
    size_t ret = 0;

    if (!(spread > 0) || !(difference > 0) ||
        trials_needed(difference / spread, level_of(problem), power, &ret, NULL) < 0)
        return 0;
    return ret;
}

int noise_exceeded(const struct bisect_problem *problem, struct evidence_values good,
                   struct evidence_values bad, double level, bool *ret, struct culprit_error *error)
{
    struct hodges_lehmann shift;
    double of_means = sqrt(1 / (double)good.count + 1 / (double)bad.count);
    int r;

    *ret = true;
    if (!noise_known(problem))
        return 0;
    r = hodges_lehmann(bad.values, bad.count, good.values, good.count, 1 - level, &shift, error);
    *ret = r == 0 && shift.shift > -normal_quantile(level) * problem->noise.spread * of_means;
    return r;
}
