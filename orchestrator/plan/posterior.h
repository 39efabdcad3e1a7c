/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How sure: the probability of each commit to be the culprit, given the trials of the search.
 *
 * Hypothesis h: the single commit h made all that descends from it worse. It divides the measured
 * images into a good and a bad side, whose likelihood is in plan/likelihood.h. Against the single
 * changes stand "nothing differs" (one distribution), "two changes" (three levels or four, by which
 * of the two a commit descends from), and "more than two" (every image a mean of its own).
 *
 * Images of one side need not lie at quite the same place (struct moments in plan/likelihood.h), as
 * long as they are apart by less than the job's min_effect.
 *
 * Values are cut off where neither end's trials would lie but as outliers: 2.5 robust deviations
 * beyond the outer median. The cut does not depend on the hypothesis, so that each of them explains
 * the same data. And no trial counts for more than POSTERIOR_TRIAL_ODDS: a kernel of which one boot
 * in ten goes as badly as those of the bad one is not rare among tail latencies, and no formula for
 * a shape that was seen five times knows of it.
 */
#ifndef CULPRIT_PLAN_POSTERIOR_H
#define CULPRIT_PLAN_POSTERIOR_H

#include "plan/cells.h"
#include "plan/dag.h"

/* What the alternatives to a single change weigh before anything was measured. */
#define POSTERIOR_PRIOR_NOTHING 0.02
#define POSTERIOR_PRIOR_TWO     0.02
#define POSTERIOR_PRIOR_MORE    0.01
/* Many commits move a latency a little; one and the same failure has seldom more than one reason.
 */
#define POSTERIOR_PRIOR_TWO_EVENTS  0.005
#define POSTERIOR_PRIOR_MORE_EVENTS 0.0025

/* One trial changes the odds between two places for the culprit by this much at most: about one
 * boot in so many goes as if the kernel were of the other side, whatever the distributions look
 * like. */
#define POSTERIOR_TRIAL_ODDS 9.0

/* What a further trial of a commit would show, as sums over the hypotheses that make it bad: their
 * probability; and of the bad side's predicted value, as of the good side's under the same
 * hypotheses, mean, its square and the variance, each times the probability. */
enum { BAD_WEIGHT, BAD_MEAN, BAD_SQUARE, BAD_VARIANCE, GOOD_MEAN, GOOD_SQUARE, GOOD_VARIANCE };

struct posterior {
    struct cells cells;
    double *by_cell;   /* [cells.count]: that the single change is one of the cell's commits */
    double *by_commit; /* [problem->count]: that it is this one */
    double single;     /* the sum of either */
    double nothing, two, more; /* with `single`, 1 */
    unsigned pair[2];          /* the most probable two changes, the lower number first; 0: none */
    double pair_probability;
    struct dag_weight *sums; /* [problem->count]: see above, for the commit's ancestors and it */
    struct dag_weight good;  /* GOOD_*: sums over all hypotheses */
    double good_level, bad_level; /* what values of either side are on average */
    double deviations;            /* by how many of a trial's deviations bad is worse, on average */
    double deviations_error;      /* and its standard error */
};

/* The endpoints must have been measured. with_verification: by all trials, not the search's. */
int posterior_compute(const struct bisect_problem *problem, const struct evidence *evidence,
                      bool with_verification, struct posterior *ret, struct culprit_error *error);
void posterior_clear(struct posterior *posterior);
static inline void posterior_clear_cleanup(struct posterior *posterior)
{
    posterior_clear(posterior);
}

#endif
