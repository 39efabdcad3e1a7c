/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Good and bad where their trials fail or do not. */
#include "plan/check.h"
#include "plan/ends.h"
#include "plan/gate.h"

/* Failures that come in less than this part more of bad's trials are not looked for. */
static const double least_event = 0.1;
/* With which what is there is to be shown. */
static const double power = 0.9;

/* The rarest failure of bad that so many trials show beside good. */
static void say_visible(struct planner *planner, const struct ends *ends)
{
    static const double shares[] = {0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};
    struct proportion good = check_failures(ends->good);
    double share = proportion_share(&good);
    size_t needed;

    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        if (proportion_trials_needed(share, shares[i], check_level(planner->problem), power,
                                     &needed, NULL) < 0 ||
            needed > ends->bad.count)
            continue;
        planner_say(planner->step, "%zu trials a side show a failure in %.0f %% of them.",
                    ends->bad.count, 100 * shares[i]);
        return;
    }
}

/* What was seen may be so, and there were too few trials to show it. */
static void say_needed(struct planner *planner)
{
    const struct bisect_check *check = &planner->step->endpoint;
    size_t needed;

    if (proportion_trials_needed(check->base_median, check->worse_median,
                                 check_level(planner->problem), power, &needed, NULL) == 0)
        planner_say(planner->step,
                    "If they fail as often as it looks, about %zu trials a side would show it.",
                    needed);
}

int ends_close_on_events(struct planner *planner, const struct ends *ends, bool excluded)
{
    const struct bisect_check *check = &planner->step->endpoint;

    planner_say(planner->step, "%u of %u trials of bad failed, and %u of %u of good, p = %.2g.",
                check->worse_failed, check->worse_count, check->base_failed, check->base_count,
                check->p);
    if (excluded) {
        planner_say(planner->step, "That bad fails in %.0f %% more of the trials is ruled out.",
                    100 * least_event);
        gate_no_regression(planner);
    } else if (check->p > ENDS_NOTHING_SEEN) {
        planner_say(planner->step, "That is no sign of a regression.");
        say_visible(planner, ends);
        gate_no_regression(planner);
    } else {
        planner_say(planner->step,
                    "That is not enough to bisect on: a p of at most %.2g is needed.",
                    check->level);
        say_needed(planner);
        planner_decide(planner->step, VERDICT_INCONCLUSIVE);
    }
    return 0;
}

int ends_events_excluded(const struct ends *ends, double level, bool *ret,
                         struct culprit_error *error)
{
    struct proportion good = check_failures(ends->good), bad = check_failures(ends->bad);
    double most;
    int r = proportion_difference_most(&bad, &good, level, &most, error);

    *ret = r == 0 && most < least_event;
    return r;
}
