/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/calibration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/random.h"
#include "stats/distribution.h"
#include "stats/sorted.h"

const size_t calibration_sizes[CALIBRATION_SIZES] = {3, 5, 10, 20};

/* What all deals of one size gave. */
struct deals {
    double *pool; /* the trials, the first of them dealt out */
    double *shifts, *lower, *upper;
    double *work; /* two values a deal */
    double level; /* that the test attains, without ties; 0: it cannot decide */
    size_t significant;
};

static void deals_clear(struct deals *deals)
{
    free(deals->pool);
    free(deals->shifts);
    free(deals->lower);
    free(deals->upper);
    free(deals->work);
}

static void deals_clear_cleanup(struct deals *deals)
{
    deals_clear(deals);
}

static int deals_new(const double *values, size_t count, size_t comparisons, struct deals *ret,
                     struct culprit_error *error)
{
    ret->pool = malloc(count * sizeof *ret->pool);
    ret->shifts = calloc(comparisons, sizeof *ret->shifts);
    ret->lower = calloc(comparisons, sizeof *ret->lower);
    ret->upper = calloc(comparisons, sizeof *ret->upper);
    ret->work = calloc(2 * comparisons, sizeof *ret->work);
    if (!ret->pool || !ret->shifts || !ret->lower || !ret->upper || !ret->work)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot compare %zu times: no memory",
                            comparisons);
    memcpy(ret->pool, values, count * sizeof *values);
    return 0;
}

static int check_options(const struct calibration_options *options, struct culprit_error *error)
{
    if (options->comparisons < CALIBRATION_COMPARISONS_MINIMUM ||
        options->comparisons > CALIBRATION_COMPARISONS_MAXIMUM)
        return culprit_fail(error, CULPRIT_INVALID, "%zu comparisons are not from %d to %d",
                            options->comparisons, CALIBRATION_COMPARISONS_MINIMUM,
                            CALIBRATION_COMPARISONS_MAXIMUM);
    return 0;
}

/* The first `dealt` of the pool become a random choice of all, in random order (Fisher and Yates,
 * 1938). */
static void deal(double *pool, size_t count, size_t dealt, struct random *random)
{
    for (size_t i = 0; i < dealt; i++) {
        size_t other = i + random_below(random, count - i);
        double value = pool[other];

        pool[other] = pool[i];
        pool[i] = value;
    }
}

static int compare_deals(size_t count, size_t trials, const struct calibration_options *options,
                         struct deals *deals, struct culprit_error *error)
{
    const struct comparison_options comparing = {.alpha = options->alpha,
                                                 .threshold = options->threshold};
    struct random random;

    /* A seed of its own for each size, so that none depends on which others there are. */
    random_seed(&random, options->seed + trials);
    for (size_t i = 0; i < options->comparisons; i++) {
        struct comparison comparison;
        int r;

        deal(deals->pool, count, 2 * trials, &random);
        r = comparison_make(deals->pool, trials, deals->pool + trials, trials, &comparing,
                            &comparison, error);
        if (r < 0)
            return r;
        deals->shifts[i] = comparison.shift.shift;
        deals->lower[i] = comparison.shift.lower;
        deals->upper[i] = comparison.shift.upper;
        deals->significant += comparison.significant;
        /* The interval inverts the test. */
        deals->level = comparison.shift.bounded ? 1 - comparison.shift.achieved : 0;
    }
    return 0;
}

/* P(X <= k) of `trials` draws with the chance p. */
static double binomial_cdf(size_t k, size_t trials, double p)
{
    return k >= trials ? 1 : beta_incomplete((double)(trials - k), (double)k + 1, 1 - p);
}

/* The smallest k with P(X <= k) above the tail. */
static size_t binomial_quantile(double tail, size_t trials, double p)
{
    size_t k = 0;

    while (k < trials && binomial_cdf(k, trials, p) <= tail)
        k++;
    return k;
}

static double quantile_of(double *values, size_t count, double fraction)
{
    sort_values(values, count);
    return sorted_quantile(values, count, fraction);
}

/* A shift of d on top of a deal is significant once it lifts the interval of the deal over zero,
 * and beyond what identical builds differ by once it lifts the estimate over that: the larger of
 * the two, upwards and downwards, is what this deal would have needed. */
static double detectable_shift(const struct deals *deals, size_t comparisons, double interval)
{
    for (size_t i = 0; i < comparisons; i++) {
        deals->work[2 * i] = fmax(-deals->lower[i], interval - deals->shifts[i]);
        deals->work[2 * i + 1] = fmax(deals->upper[i], interval + deals->shifts[i]);
    }
    return fmax(0, quantile_of(deals->work, 2 * comparisons, COMPARISON_POWER));
}

static void sum_up(const struct calibration *calibration, struct deals *deals,
                   struct calibration_size *ret)
{
    const struct calibration_options *options = &calibration->options;
    double tail = (1 - CALIBRATION_BAND) / 2;

    for (size_t i = 0; i < options->comparisons; i++)
        deals->work[i] = fabs(deals->shifts[i]);
    ret->interval = quantile_of(deals->work, options->comparisons, 1 - options->alpha);
    ret->can_decide = deals->level > 0;
    if (!ret->can_decide)
        return;
    ret->false_positives = deals->significant;
    ret->band_lower = binomial_quantile(tail, options->comparisons, deals->level);
    ret->band_upper = binomial_quantile(1 - tail, options->comparisons, options->alpha);
    ret->detectable = fmax(detectable_shift(deals, options->comparisons, ret->interval),
                           options->threshold * fabs(calibration->summary.median));
}

static int calibrate_size(const double *values, size_t count, size_t trials,
                          struct calibration *calibration, struct culprit_error *error)
{
    CULPRIT_CLEANUP(deals_clear) struct deals deals = {0};
    struct calibration_size size = {.trials = trials};
    int r = deals_new(values, count, calibration->options.comparisons, &deals, error);

    if (r == 0)
        r = compare_deals(count, trials, &calibration->options, &deals, error);
    if (r < 0)
        return r;
    sum_up(calibration, &deals, &size);
    if (!isfinite(size.interval) || !isfinite(size.detectable))
        return culprit_fail(error, CULPRIT_INVALID, "the trials lie too far apart for a spread");
    calibration->sizes[calibration->size_count++] = size;
    return 0;
}

int calibration_begin(const double *values, size_t count, const struct calibration_options *options,
                      struct calibration *ret, struct culprit_error *error)
{
    struct calibration calibration = {.options = *options};
    struct mann_whitney halves;
    int r = check_options(options, error);

    if (r == 0)
        r = samples_check(values, count, CALIBRATION_TRIALS_MINIMUM, "A/A trials", error);
    if (r == 0)
        r = samples_summarise(values, count, &calibration.summary, error);
    if (r == 0)
        r = mann_whitney(values, count / 2, values + count / 2, count - count / 2, &halves, error);
    if (r < 0)
        return r;
    calibration.drift_p = halves.p_two_sided;
    *ret = calibration;
    return 0;
}

int calibration_make(const double *values, size_t count, const struct calibration_options *options,
                     struct calibration *ret, struct culprit_error *error)
{
    struct calibration calibration;
    int r = calibration_begin(values, count, options, &calibration, error);

    if (r < 0)
        return r;
    for (size_t i = 0; i < CALIBRATION_SIZES && 2 * calibration_sizes[i] <= count; i++) {
        r = calibrate_size(values, count, calibration_sizes[i], &calibration, error);
        if (r < 0)
            return r;
    }
    *ret = calibration;
    return 0;
}

enum calibration_standing calibration_standing(const struct calibration_size *size)
{
    return size->false_positives > size->band_upper   ? CALIBRATION_ABOVE
           : size->false_positives < size->band_lower ? CALIBRATION_BELOW
                                                      : CALIBRATION_WITHIN;
}

bool calibration_drifts(const struct calibration *calibration)
{
    return calibration->drift_p <= calibration->options.alpha * (1 + 1e-9);
}

const struct calibration_size *calibration_at(const struct calibration *calibration, size_t trials)
{
    size_t found = 0;

    for (size_t i = 1; i < calibration->size_count; i++)
        if (calibration->sizes[i].trials <= trials)
            found = i;
    return &calibration->sizes[found];
}

double calibration_interval(const struct calibration *calibration, size_t base_count,
                            size_t other_count)
{
    double a = (double)base_count, b = (double)other_count;
    double trials = 2 * a * b / (a + b); /* a side, of two equal ones that tell as much */
    const struct calibration_size *size = calibration_at(calibration, (size_t)trials);

    return size->interval * sqrt((double)size->trials / trials);
}
