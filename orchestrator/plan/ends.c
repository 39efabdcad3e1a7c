/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/ends.h"

#include <math.h>

#include "plan/gate.h"
#include "plan/noise.h"

double ends_effect(const struct planner *planner, const struct bisect_check *check)
{
    double shift = check->worse_median - check->base_median;

    return planner->problem->lower_is_better ? shift : -shift;
}

double ends_least_effect(const struct planner *planner, const struct bisect_check *check)
{
    const struct bisect_problem *problem = planner->problem;

    return problem->min_effect * (problem->min_effect_relative ? fabs(check->base_median) : 1);
}

bool ends_big_enough(const struct planner *planner, const struct bisect_check *check)
{
    double effect = ends_effect(planner, check);

    return effect > 0 && effect >= ends_least_effect(planner, check);
}

/* What so many trials can show, and how many would show what the job asks for. */
static int say_detectable(struct planner *planner, const struct ends *ends, size_t trials,
                          struct culprit_error *error)
{
    const struct bisect_problem *problem = planner->problem;
    double spread, detectable, least = ends_least_effect(planner, &planner->step->endpoint);
    size_t needed;
    int r = noise_spread(problem, ends->good, ends->bad, &spread, error);

    detectable = r == 0 ? noise_detectable(problem, spread, trials) : 0;
    if (!(detectable > 0))
        return r;
    planner_say(planner->step, "%zu trials a side show a difference of %.4g or more%s.", trials,
                detectable,
                noise_known(problem) ? ", by what identical builds differ by (A/A)" : "");
    needed = least < detectable ? noise_trials(problem, spread, least) : 0;
    if (needed > 0)
        planner_say(planner->step, "For the job's min_effect of %.4g about %zu would be needed.",
                    least, needed);
    return 0;
}

int ends_close_beneath(struct planner *planner, const struct ends *ends, unsigned most,
                       struct culprit_error *error)
{
    const struct bisect_check *check = &planner->step->endpoint;
    double seen = ends_effect(planner, check);
    size_t needed = noise_trials(planner->problem, planner->problem->noise.spread, seen);

    planner_say(planner->step,
                "The difference between good and bad is smaller than what %u trials a side can "
                "show: median of bad %.6g against %.6g of good, %u and %u trials, p = %.2g.",
                most, check->worse_median, check->base_median, check->worse_count,
                check->base_count, check->p);
    if (needed > most)
        planner_say(planner->step, "For a difference of %.4g about %zu would be needed.", seen,
                    needed);
    planner_decide(planner->step, VERDICT_INCONCLUSIVE);
    return say_detectable(planner, ends, most, error);
}

int ends_close(struct planner *planner, const struct ends *ends, bool excluded,
               struct culprit_error *error)
{
    const struct bisect_check *check = &planner->step->endpoint;

    if (planner->problem->measure == MEASURE_EVENT)
        return ends_close_on_events(planner, ends, excluded);
    planner_say(
        planner->step, "Median of bad %.6g against %.6g of good, %u and %u trials, p = %.2g.",
        check->worse_median, check->base_median, check->worse_count, check->base_count, check->p);
    if (check->passed && ends_big_enough(planner, check)) {
        planner_say(planner->step,
                    "Bad is worse, but by no more than identical builds differ by (A/A).");
        planner_decide(planner->step, VERDICT_INCONCLUSIVE);
        return say_detectable(planner, ends, ends->good.count, error);
    }
    if (check->passed) {
        planner_say(planner->step, "Bad is worse, but by less than the job's min_effect of %.6g.",
                    ends_least_effect(planner, check));
        gate_no_regression(planner);
        return 0;
    }
    if (excluded || check->p > ENDS_NOTHING_SEEN) {
        planner_say(planner->step, excluded ? "A regression of the job's min_effect is ruled out."
                                            : "That is no sign of a regression.");
        gate_no_regression(planner);
    } else {
        planner_say(planner->step,
                    "That is not enough to bisect on: a p of at most %.2g is needed.",
                    check->level);
        planner_decide(planner->step, VERDICT_INCONCLUSIVE);
    }
    return say_detectable(planner, ends, ends->good.count, error);
}
