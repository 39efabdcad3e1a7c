/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/choose.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "plan/dag.h"

/* Sizes of a batch; none is more than a step can want. */
static const unsigned batches[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16};

/* A batch that has begun is finished unless another test tells that much more. */
static const double loyalty = 1.5;

/* A build costs more than its time: the compilers' jobs have a budget of their own, and nothing can
 * be tried before it ends, while trials run side by side. */
static const double build_weight = 2;

/* Entropy of a label, in nats. */
static double entropy(double p)
{
    return p > 0 && p < 1 ? -p * log(p) - (1 - p) * log1p(-p) : 0;
}

/* What m trials tell of a label, in nats: as much as they would of a normal variable of the same
 * variance while that is little, and in the end the label. `effect` is the squared distance of bad
 * from good over the variance of a trial. */
static double label_information(double p, double effect, double m)
{
    double most = entropy(p), between = p * (1 - p) * effect;

    return most > 0 ? most * -expm1(-0.5 * log1p(m * between) / most) : 0;
}

/* The size of a batch that tells most for its cost, build included, when a commit is as likely
 * good as bad. It depends on the effect alone, so that a batch stays one while it comes in. */
static unsigned batch_size(const struct planner *planner)
{
    double effect = planner->posterior.deviations * planner->posterior.deviations, most = 0;
    unsigned best = 1;

    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
        double cost = build_weight * planner_build_seconds(planner) +
                      planner_batch_seconds(planner, batches[i]);
        double worth = moments_worth(batches[i], planner->posterior.cells.image_ratio);
        double rate = label_information(0.5, effect, worth) / cost;

        if (rate > most) {
            most = rate;
            best = batches[i];
        }
    }
    return best;
}

/* What trials of one commit would show. */
struct prediction {
    double bad;    /* probability of its being bad */
    double effect; /* squared distance between its means as a bad and as a good one, over… */
    double noise;  /* …the variance of a trial */
    double within; /* variance of the mean for the hypotheses' not agreeing on the levels */
};

static struct prediction predict(const struct posterior *posterior, unsigned commit)
{
    const double *sums = posterior->sums[commit].of, *all = posterior->good.of;
    double known = all[BAD_WEIGHT], bad, good, bad_mean = 0, good_mean = 0;
    struct prediction ret = {0};

    bad = fmin(fmax(sums[BAD_WEIGHT] / known, 0), 1);
    good = 1 - bad;
    if (bad > 0) {
        bad_mean = sums[BAD_MEAN] / known / bad;
        ret.within += bad * fmax(sums[BAD_SQUARE] / known / bad - bad_mean * bad_mean, 0);
        ret.noise += sums[BAD_VARIANCE] / known;
    }
    if (good > 1e-12) {
        good_mean = (all[GOOD_MEAN] - sums[GOOD_MEAN]) / known / good;
        ret.within += good * fmax((all[GOOD_SQUARE] - sums[GOOD_SQUARE]) / known / good -
                                      good_mean * good_mean,
                                  0);
        ret.noise += fmax(all[GOOD_VARIANCE] - sums[GOOD_VARIANCE], 0) / known;
        ret.effect = bad > 0 ? (bad_mean - good_mean) * (bad_mean - good_mean) / ret.noise : 0;
    }
    ret.bad = bad;
    return ret;
}

static size_t tried(const struct planner *planner, unsigned commit)
{
    return evidence_search(planner->evidence, commit).count;
}

/* One of weight 0 has its parents' image: testing them tells as much, and may cost no build. */
static bool may_be_built(const struct planner *planner, unsigned commit, bool may_build)
{
    return may_build && cells_prior_of(planner->problem, commit) > 0;
}

static bool testable(const struct planner *planner, unsigned commit, bool may_build)
{
    return !evidence_broken(planner->evidence, commit) &&
           (evidence_built(planner->evidence, commit) ||
            may_be_built(planner, commit, may_build)) &&
           tried(planner, commit) < BISECT_SEARCH_TRIALS_MAXIMUM;
}

/* For each commit how far, in numbers, the nearest broken one is. */
static int find_breakage(const struct planner *planner, unsigned **ret, struct culprit_error *error)
{
    unsigned count = planner->problem->count, last = UINT_MAX;
    unsigned *distance = calloc(count, sizeof *distance);

    if (!distance)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot look at %u commits: no memory",
                            count);
    for (unsigned c = 0; c < count; c++) {
        if (evidence_broken(planner->evidence, c))
            last = c;
        distance[c] = last == UINT_MAX ? UINT_MAX : c - last;
    }
    last = UINT_MAX;
    for (unsigned c = count; c-- > 0;) {
        if (evidence_broken(planner->evidence, c))
            last = c;
        if (last != UINT_MAX && last - c < distance[c])
            distance[c] = last - c;
    }
    *ret = distance;
    return 0;
}

/* Breakage comes in stretches: beside a broken commit two thirds of the builds go well, two steps
 * on three quarters, and so on. */
static double chance_of_building(unsigned distance)
{
    return distance == UINT_MAX ? 1 : 1 - 1 / ((double)distance + 2);
}

/* What m more trials of a commit are worth: the more of its image there were, the more of what
 * they would show is the image's own offset. */
static double further_worth(const struct planner *planner, unsigned commit, unsigned m)
{
    double ratio = planner->posterior.cells.image_ratio, there = (double)tried(planner, commit);

    return moments_worth(there + m, ratio) - moments_worth(there, ratio);
}

static double rate_of(const struct planner *planner, unsigned commit, unsigned batch,
                      unsigned distance, double *ret_bits)
{
    struct prediction prediction = predict(&planner->posterior, commit);
    double cost = planner_batch_seconds(planner, batch), chance = 1, nats;
    double worth = further_worth(planner, commit, batch);

    if (!evidence_built(planner->evidence, commit) && !(prediction.effect > 0))
        return *ret_bits = 0;
    nats = label_information(prediction.bad, prediction.effect, worth) +
           0.5 * log1p(worth * prediction.within / prediction.noise);
    if (!evidence_built(planner->evidence, commit)) {
        chance = chance_of_building(distance);
        cost = build_weight * planner_build_seconds(planner) + chance * cost;
    } else if (tried(planner, commit) % batch != 0) {
        chance = loyalty;
    }
    *ret_bits = nats / M_LN2;
    return chance * nats / cost;
}

int choose_next(const struct planner *planner, bool may_build, struct choice *ret,
                struct culprit_error *error)
{
    _cleanup_free_ unsigned *distance = NULL;
    unsigned batch = batch_size(planner);
    double most = 0;
    int r = find_breakage(planner, &distance, error);

    *ret = (struct choice){0};
    if (r < 0)
        return r;
    for (unsigned c = 0; c < planner->problem->count; c++) {
        double bits, rate;

        if (!testable(planner, c, may_build))
            continue;
        rate = rate_of(planner, c, batch, distance[c], &bits);
        if (rate > most * (1 + 1e-9)) {
            most = rate;
            *ret = (struct choice){true, c, batch - (unsigned)(tried(planner, c) % batch), bits};
        }
    }
    return 0;
}

int choose_divides(const struct planner *planner, const bool *set, bool may_build, bool *ret,
                   struct culprit_error *error)
{
    unsigned count = planner->problem->count;
    _cleanup_free_ struct dag_weight *weights = calloc(count, sizeof *weights);
    _cleanup_free_ struct dag_weight *sums = calloc(count, sizeof *sums);
    double all = 0;
    int r;

    if (!weights || !sums)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot weigh %u commits: no memory", count);
    for (unsigned c = 0; c < count; c++) {
        weights[c].of[0] = set[c];
        all += set[c];
    }
    r = dag_weigh(planner->problem, weights, sums, error);
    if (r < 0)
        return r;
    *ret = false;
    for (unsigned c = 0; c < count && !*ret; c++)
        *ret = testable(planner, c, may_build) && sums[c].of[0] > 0.5 && sums[c].of[0] < all - 0.5;
    return 0;
}

void choose_estimate(const struct planner *planner, double bits, double deviations)
{
    double each = 0.5 * log2(1 + deviations * deviations / 4);

    planner->step->expected_builds += bits;
    planner->step->expected_trials += bits * (each > 0 ? fmax(1 / each, 2) : 0);
}
