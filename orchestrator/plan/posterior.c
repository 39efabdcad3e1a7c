/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/posterior.h"

#include <math.h>
#include <stdlib.h>

#include "plan/pairs.h"
#include "stats/summary.h"

static const double outlier_deviations = 2.5;
/* No side is believed to be sharper than this part of the distance between the ends: five good
 * trials that agree do not make a sixth that does not a bad one. */
static const double deviation_floor = 0.1;
static const double least_floor = 0.005; /* nor than this part of the values' width */

void posterior_clear(struct posterior *posterior)
{
    cells_clear(&posterior->cells);
    free(posterior->by_cell);
    free(posterior->by_commit);
    free(posterior->sums);
    *posterior = (struct posterior){0};
}

/* Images of one side need not lie at quite the same place, but hardly two of them, one pair in two
 * hundred, are apart by as much as counts: that is four deviations of one's own offset, and 2.8 of
 * the difference of two. */
static const double image_deviations = 4;

/* Where an end's trials may lie. The scale of a few trials is itself uncertain, hence 1 + 4/n. */
static int reach_of(struct evidence_values values, struct cells_values *limits, double *ret_median,
                    struct culprit_error *error)
{
    double scale, reach;
    int r = samples_median(values.values, values.count, ret_median, error);

    if (r == 0)
        r = samples_robust_scale(values.values, values.count, &scale, error);
    if (r < 0)
        return r;
    reach = outlier_deviations * scale * (1 + 4 / (double)values.count);
    limits->low = fmin(limits->low, *ret_median - reach);
    limits->high = fmax(limits->high, *ret_median + reach);
    return 0;
}

/* Limits and widths from the ends, so that they are the same for all hypotheses. */
static int measure_ends(const struct bisect_problem *problem, const struct evidence *evidence,
                        struct cells_values *limits, struct widths *widths,
                        struct culprit_error *error)
{
    double good, bad;
    int r;

    if (problem->measure == MEASURE_EVENT) {
        *limits = (struct cells_values){.low = 0, .high = 1};
        *widths = (struct widths){.events = true, .mean = 1, .floor = 0.05};
        return 0;
    }
    limits->low = HUGE_VAL;
    limits->high = -HUGE_VAL;
    r = reach_of(evidence_search(evidence, 0), limits, &good, error);
    if (r == 0)
        r = reach_of(evidence_search(evidence, problem->count - 1), limits, &bad, error);
    if (r < 0)
        return r;
    widths->mean = limits->high > limits->low ? 1.5 * (limits->high - limits->low) : 1;
    widths->floor = fmax(deviation_floor * fabs(bad - good), least_floor * widths->mean);
    widths->log_scale = log(widths->mean / widths->floor);
    limits->floor = widths->floor;
    limits->offset = problem->min_effect * (problem->min_effect_relative ? fabs(good) : 1) /
                     image_deviations;
    return 0;
}

/* What is needed while the hypotheses are weighed. */
struct weighing {
    const struct bisect_problem *problem;
    struct posterior *posterior;
    struct cells_values limits;
    struct widths widths;
    struct sides_fit *fits; /* [cells.count] */
    struct pairs pairs;
};

static void weighing_clear(struct weighing *weighing)
{
    free(weighing->fits);
    pairs_clear(&weighing->pairs);
}

static inline void weighing_clear_cleanup(struct weighing *weighing)
{
    weighing_clear(weighing);
}

static struct sides_fit fit_single(const struct weighing *weighing, const struct cell *cell)
{
    const struct cells *cells = &weighing->posterior->cells;
    struct moments good = {0}, bad = {0};
    struct sides_fit fit = {.log_likelihood = -HUGE_VAL};

    for (size_t i = 0; i < cells->image_count; i++)
        moments_join(cell_is_bad(cell, i) ? &bad : &good, &cells->images[i].moments);
    if (good.n > 0 && bad.n > 0)
        likelihood_sides(&weighing->widths, &good, &bad, &fit);
    return fit;
}

static double log_nothing(const struct weighing *weighing)
{
    const struct cells *cells = &weighing->posterior->cells;
    struct moments all = {0};

    for (size_t i = 0; i < cells->image_count; i++)
        moments_join(&all, &cells->images[i].moments);
    return likelihood_tied(&weighing->widths, &all, 1);
}

static int log_more(const struct weighing *weighing, double *ret, struct culprit_error *error)
{
    const struct cells *cells = &weighing->posterior->cells;
    _cleanup_free_ struct moments *all = calloc(cells->image_count + 1, sizeof *all);

    if (!all)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot weigh images: no memory");
    for (size_t i = 0; i < cells->image_count; i++)
        all[i] = cells->images[i].moments;
    /* Three images have three levels at most, which two changes explain. */
    *ret = cells->image_count < 4 ? -HUGE_VAL
                                  : likelihood_tied(&weighing->widths, all, cells->image_count);
    return 0;
}

/* Turns logarithms into probabilities that sum to 1. */
static int normalise(struct weighing *weighing, double nothing, double more,
                     struct culprit_error *error)
{
    struct posterior *posterior = weighing->posterior;
    struct pairs *pairs = &weighing->pairs;
    double sum = log_add(log_add(nothing, more), pairs->log_sum);

    for (unsigned k = 0; k < posterior->cells.count; k++)
        sum = log_add(sum, posterior->by_cell[k]);
    if (!isfinite(sum))
        return culprit_fail(error, CULPRIT_INTERNAL, "no hypothesis explains what was measured");
    for (unsigned k = 0; k < posterior->cells.count; k++) {
        posterior->by_cell[k] = exp(posterior->by_cell[k] - sum);
        posterior->single += posterior->by_cell[k];
    }
    posterior->nothing = exp(nothing - sum);
    posterior->more = exp(more - sum);
    for (unsigned i = 0; i < pairs->count; i++)
        for (unsigned j = i + 1; j < pairs->count; j++) {
            double *p = &pairs->logs[i * pairs->count + j];
            *p = exp(*p - sum);
            posterior->two += *p;
        }
    return 0;
}

/* A hypothesis' part in the predictions: what its (first) change brings with it, and what good is
 * without it. */
static void predict_change(struct posterior *posterior, struct dag_weight *of_cell, double weight,
                           const struct sides_fit *fit)
{
    double good[DAG_WEIGHTS] = {
        [GOOD_MEAN] = weight * fit->good,
        [GOOD_SQUARE] = weight * fit->good * fit->good,
        [GOOD_VARIANCE] = weight * fit->good_variance,
    };

    posterior->good.of[BAD_WEIGHT] += weight;
    of_cell->of[BAD_WEIGHT] += weight;
    of_cell->of[BAD_MEAN] += weight * fit->bad;
    of_cell->of[BAD_SQUARE] += weight * fit->bad * fit->bad;
    of_cell->of[BAD_VARIANCE] += weight * fit->bad_variance;
    for (int w = GOOD_MEAN; w <= GOOD_VARIANCE; w++) {
        of_cell->of[w] += good[w];
        posterior->good.of[w] += good[w];
    }
}

/* In units of the width, around the middle, so that squares lose no digits. */
static double to_unit(const struct weighing *weighing, double value)
{
    return (value - (weighing->limits.low + weighing->limits.high) / 2) / weighing->widths.mean;
}

static struct sides_fit unit_fit(const struct weighing *weighing, const struct sides_fit *fit)
{
    double square = weighing->widths.mean * weighing->widths.mean;

    return (struct sides_fit){
        .good = to_unit(weighing, fit->good),
        .bad = to_unit(weighing, fit->bad),
        .good_variance = fit->good_variance / square,
        .bad_variance = fit->bad_variance / square,
        .error = fit->error,
    };
}

static void predict_pair(struct weighing *weighing, struct dag_weight *of_cells, unsigned first,
                         unsigned second, double weight)
{
    struct pair_fit fit;
    struct sides_fit one, other;

    pairs_fit(&weighing->posterior->cells, &weighing->widths, first, second, &fit);
    one = unit_fit(weighing, &(struct sides_fit){.good = fit.mean[LEVEL_GOOD],
                                                 .bad = fit.mean[LEVEL_FIRST],
                                                 .good_variance = fit.variance[LEVEL_GOOD],
                                                 .bad_variance = fit.variance[LEVEL_FIRST]});
    other = unit_fit(weighing, &(struct sides_fit){.bad = fit.mean[LEVEL_BAD],
                                                   .bad_variance = fit.variance[LEVEL_BAD]});
    predict_change(weighing->posterior, &of_cells[first], weight, &one);
    of_cells[second].of[BAD_MEAN] += weight * (other.bad - one.bad);
    of_cells[second].of[BAD_SQUARE] += weight * (other.bad * other.bad - one.bad * one.bad);
    of_cells[second].of[BAD_VARIANCE] += weight * (other.bad_variance - one.bad_variance);
}

/* Pairs below this probability move no prediction; nor do all together, as long as they are far
 * from keeping a single change from the job's confidence. */
static const double least_pair = 1e-6;

static bool pairs_matter(const struct weighing *weighing)
{
    return weighing->posterior->two > (1 - weighing->problem->confidence) / 4;
}

static void predict(struct weighing *weighing, struct dag_weight *of_cells)
{
    struct posterior *posterior = weighing->posterior;
    const struct pairs *pairs = &weighing->pairs;
    double distance = 0, variance = 0, error_of = 0;

    for (unsigned k = 0; k < posterior->cells.count; k++) {
        struct sides_fit fit = unit_fit(weighing, &weighing->fits[k]);

        if (!(posterior->by_cell[k] > 0))
            continue;
        predict_change(posterior, &of_cells[k], posterior->by_cell[k], &fit);
        posterior->good_level += posterior->by_cell[k] / posterior->single * weighing->fits[k].good;
        posterior->bad_level += posterior->by_cell[k] / posterior->single * weighing->fits[k].bad;
        distance += posterior->by_cell[k] * (fit.bad - fit.good);
        variance += posterior->by_cell[k] * (fit.bad_variance + fit.good_variance) / 2;
        error_of += posterior->by_cell[k] * fit.error;
    }
    if (variance > 0) {
        posterior->deviations = distance / sqrt(variance * posterior->single);
        posterior->deviations_error = error_of / posterior->single;
    }
    for (unsigned i = 0; i < pairs->count && pairs_matter(weighing); i++)
        for (unsigned j = i + 1; j < pairs->count; j++)
            if (pairs->logs[i * pairs->count + j] > least_pair)
                predict_pair(weighing, of_cells, pairs->cells[i], pairs->cells[j],
                             pairs->logs[i * pairs->count + j]);
}

/* The member of a cell with the greatest prior, and what part of the cell it is. */
static unsigned likeliest_member(const struct weighing *weighing, unsigned cell, double *ret_part)
{
    const struct cells *cells = &weighing->posterior->cells;
    unsigned best = cells->items[cell].first;

    for (unsigned c = best; c < weighing->problem->count; c++)
        if (cells->of_commit[c] == cell &&
            cells_prior_of(weighing->problem, c) > cells_prior_of(weighing->problem, best))
            best = c;
    *ret_part = cells_prior_of(weighing->problem, best) / cells->items[cell].weight;
    return best;
}

static void find_best_pair(struct weighing *weighing)
{
    struct posterior *posterior = weighing->posterior;
    const struct pairs *pairs = &weighing->pairs;
    unsigned best[2] = {0};
    double most = 0, parts[2], part;

    for (unsigned i = 0; i < pairs->count; i++)
        for (unsigned j = i + 1; j < pairs->count; j++)
            if (pairs->logs[i * pairs->count + j] > most) {
                most = pairs->logs[i * pairs->count + j];
                best[0] = pairs->cells[i];
                best[1] = pairs->cells[j];
            }
    if (!(most > 0))
        return;
    for (int i = 0; i < 2; i++) {
        posterior->pair[i] = likeliest_member(weighing, best[i], &part);
        parts[i] = part;
    }
    posterior->pair_probability = most * parts[0] * parts[1];
}

/* From cells to their members. */
static int spread(struct weighing *weighing, struct culprit_error *error)
{
    struct posterior *posterior = weighing->posterior;
    const struct bisect_problem *problem = weighing->problem;
    const struct cells *cells = &posterior->cells;
    _cleanup_free_ struct dag_weight *of_cells = calloc(cells->count + 1, sizeof *of_cells);
    _cleanup_free_ struct dag_weight *changes = calloc(problem->count, sizeof *changes);

    posterior->by_commit = calloc(problem->count, sizeof *posterior->by_commit);
    posterior->sums = calloc(problem->count, sizeof *posterior->sums);
    if (!of_cells || !changes || !posterior->by_commit || !posterior->sums)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot weigh %u commits: no memory",
                            problem->count);
    predict(weighing, of_cells);
    for (unsigned c = 0; c < problem->count; c++) {
        uint32_t cell = cells->of_commit[c];
        double part;

        if (cell == CELL_NONE)
            continue;
        part = cells_prior_of(problem, c) / cells->items[cell].weight;
        posterior->by_commit[c] = posterior->by_cell[cell] * part;
        for (int w = 0; w < DAG_WEIGHTS; w++)
            changes[c].of[w] = of_cells[cell].of[w] * part;
    }
    find_best_pair(weighing);
    return dag_weigh(problem, changes, posterior->sums, error);
}

/* Trials of the images that two cells put on different sides. */
static double trials_between(const struct cells *cells, const struct cell *a, const struct cell *b)
{
    double trials = 0;

    for (size_t i = 0; i < cells->image_count; i++)
        if (cell_is_bad(a, i) != cell_is_bad(b, i))
            trials += cells->images[i].moments.n;
    return trials;
}

/* No trial counts for more than POSTERIOR_TRIAL_ODDS: what sets the likeliest cell apart from
 * another are the trials that lie on the other side there, and now and then a boot of a good kernel
 * goes as badly as one of a bad. */
static struct pairs_rival bound_evidence(struct weighing *weighing)
{
    const struct cells *cells = &weighing->posterior->cells;
    unsigned best = 0;

    for (unsigned k = 1; k < cells->count; k++)
        if (weighing->fits[k].log_likelihood > weighing->fits[best].log_likelihood)
            best = k;
    for (unsigned k = 0; k < cells->count; k++) {
        double least = weighing->fits[best].log_likelihood -
                       trials_between(cells, &cells->items[k], &cells->items[best]) *
                           log(POSTERIOR_TRIAL_ODDS);

        if (weighing->fits[k].log_likelihood >= least)
            continue;
        weighing->fits[k] = weighing->fits[best]; /* the levels are believed, some boots are not */
        weighing->fits[k].log_likelihood = least;
    }
    return (struct pairs_rival){
        &cells->items[best],
        weighing->fits[best].log_likelihood,
        log(POSTERIOR_TRIAL_ODDS),
    };
}

static int weigh(struct weighing *weighing, struct culprit_error *error)
{
    struct pairs_rival rival;
    struct posterior *posterior = weighing->posterior;
    const struct cells *cells = &posterior->cells;
    bool events = weighing->problem->measure == MEASURE_EVENT;
    double prior_two = events ? POSTERIOR_PRIOR_TWO_EVENTS : POSTERIOR_PRIOR_TWO;
    double prior_more = events ? POSTERIOR_PRIOR_MORE_EVENTS : POSTERIOR_PRIOR_MORE;
    double more = -HUGE_VAL, alternatives = POSTERIOR_PRIOR_NOTHING + prior_two + prior_more;
    int r;

    posterior->by_cell = calloc(cells->count + 1, sizeof *posterior->by_cell);
    weighing->fits = calloc(cells->count + 1, sizeof *weighing->fits);
    if (!posterior->by_cell || !weighing->fits)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot weigh hypotheses: no memory");
    for (unsigned k = 0; k < cells->count; k++)
        weighing->fits[k] = fit_single(weighing, &cells->items[k]);
    rival = bound_evidence(weighing);
    for (unsigned k = 0; k < cells->count; k++)
        posterior->by_cell[k] = log((1 - alternatives) * cells->items[k].prior) +
                                weighing->fits[k].log_likelihood;
    r = pairs_weigh(cells, &weighing->widths, posterior->by_cell, prior_two, &rival,
                    &weighing->pairs, error);
    if (r == 0)
        r = log_more(weighing, &more, error);
    if (r < 0)
        return r;
    r = normalise(weighing, log(POSTERIOR_PRIOR_NOTHING) + log_nothing(weighing),
                  log(prior_more) + more, error);
    return r < 0 ? r : spread(weighing, error);
}

int posterior_compute(const struct bisect_problem *problem, const struct evidence *evidence,
                      bool with_verification, struct posterior *ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(weighing_clear)
    struct weighing weighing = {.problem = problem, .posterior = ret};
    int r;

    *ret = (struct posterior){0};
    r = measure_ends(problem, evidence, &weighing.limits, &weighing.widths, error);
    if (r < 0)
        return r;
    weighing.limits.with_verification = with_verification;
    r = cells_divide(problem, evidence, &weighing.limits, &ret->cells, error);
    if (r == 0)
        r = weigh(&weighing, error);
    if (r < 0)
        posterior_clear(ret);
    return r;
}
