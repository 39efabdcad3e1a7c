/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/bootstrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/random.h"
#include "stats/distribution.h"
#include "stats/sorted.h"
#include "stats/summary.h"

/* One side: its samples in order, as fractions of a power of two, so that no sum overflows. */
struct side {
    double *sorted;
    size_t count;
    int exponent;
    unsigned *drawn; /* how often this resample has each of them */
};

static void side_clear_cleanup(struct side *side)
{
    free(side->sorted);
    free(side->drawn);
}

static int side_make(const double *values, size_t count, struct side *ret,
                     struct culprit_error *error)
{
    double largest = 0;
    int r = sorted_copy(values, count, &ret->sorted, error);

    if (r < 0)
        return r;
    ret->count = count;
    ret->drawn = calloc(count, sizeof *ret->drawn);
    if (!ret->drawn)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot resample %zu samples: no memory",
                            count);
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(ret->sorted[i]));
    frexp(largest, &ret->exponent);
    for (size_t i = 0; i < count; i++)
        ret->sorted[i] = ldexp(ret->sorted[i], -ret->exponent);
    return 0;
}

/* The sample at a place of the resample put in order. */
static double drawn_at(const struct side *side, size_t place)
{
    size_t i = 0;

    for (size_t passed = side->drawn[0]; passed <= place; passed += side->drawn[i])
        i++;
    return side->sorted[i];
}

static double drawn_location(const struct side *side, enum bootstrap_location location)
{
    size_t half = side->count / 2;
    double sum = 0;

    if (location == BOOTSTRAP_MEDIANS)
        return side->count % 2 ? drawn_at(side, half)
                               : (drawn_at(side, half - 1) + drawn_at(side, half)) / 2;
    for (size_t i = 0; i < side->count; i++)
        sum += side->sorted[i] * side->drawn[i];
    return sum / (double)side->count;
}

static void draw(struct side *side, struct random *random)
{
    memset(side->drawn, 0, side->count * sizeof *side->drawn);
    for (size_t i = 0; i < side->count; i++)
        side->drawn[random_below(random, side->count)]++;
}

/* The samples themselves are the resample that has each of them once. */
static double own_ratio(struct side *x, struct side *y, enum bootstrap_location location)
{
    for (size_t i = 0; i < x->count; i++)
        x->drawn[i] = 1;
    for (size_t i = 0; i < y->count; i++)
        y->drawn[i] = 1;
    return drawn_location(x, location) / drawn_location(y, location);
}

/* The mean of all but one. */
static double mean_without(const struct side *side, double mean, size_t left_out)
{
    double n = (double)side->count;

    return mean + (mean - side->sorted[left_out]) / (n - 1);
}

/* Adds one side's part to Σ(U/n)³ and Σ(U/n)², where U are the jackknife's influence values:
 * (n − 1) · (their mean − the ratio without a sample). */
static void add_influence(const struct side *of, double mean, const struct side *x, double x_mean,
                          double y_mean, double *cubes, double *squares)
{
    double n = (double)of->count, centre = 0;

    for (size_t i = 0; i < of->count; i++) {
        double without = mean_without(of, mean, i);
        centre += (of == x ? without / y_mean : x_mean / without) / n;
    }
    for (size_t i = 0; i < of->count; i++) {
        double without = mean_without(of, mean, i);
        double influence = (n - 1) / n * (centre - (of == x ? without / y_mean : x_mean / without));

        *cubes += influence * influence * influence;
        *squares += influence * influence;
    }
}

/* Efron 1987, over two samples as in Davison and Hinkley, "Bootstrap Methods and their
 * Application", 1997, section 5.3. Each side must have its samples drawn once. */
static double acceleration(const struct side *x, const struct side *y)
{
    double x_mean = drawn_location(x, BOOTSTRAP_MEANS), y_mean = drawn_location(y, BOOTSTRAP_MEANS);
    double cubes = 0, squares = 0;

    add_influence(x, x_mean, x, x_mean, y_mean, &cubes, &squares);
    add_influence(y, y_mean, x, x_mean, y_mean, &cubes, &squares);
    return squares > 0 ? cubes / (6 * pow(squares, 1.5)) : 0;
}

/* Where in the resamples the corrected bound lies that would lie at `tail` of a normal. */
static double corrected_place(double bias, double accelerated, double tail)
{
    double distance = bias + normal_quantile(tail);
    double room = 1 - accelerated * distance;

    return room > 0 ? normal_cdf(bias + distance / room) : -1;
}

static void correct(const double *ratios, size_t resamples, double ratio, double accelerated,
                    double tail, struct bootstrap_interval *ret)
{
    double below = 0, lower, upper;

    for (size_t i = 0; i < resamples; i++)
        below += ratios[i] < ratio ? 1 : ratios[i] > ratio ? 0 : 0.5;
    if (!(below > 0 && below < (double)resamples))
        return;
    below = normal_quantile(below / (double)resamples);
    lower = corrected_place(below, accelerated, tail);
    upper = corrected_place(below, accelerated, 1 - tail);
    if (!(lower >= 0 && lower <= upper))
        return;
    ret->corrected = true;
    ret->corrected_lower = sorted_quantile(ratios, resamples, lower);
    ret->corrected_upper = sorted_quantile(ratios, resamples, upper);
}

static int check_options(const struct bootstrap_options *options, size_t total,
                         struct culprit_error *error)
{
    if (!(options->confidence > 0 && options->confidence < 1))
        return culprit_fail(error, CULPRIT_INVALID, "confidence %g is not between 0 and 1",
                            options->confidence);
    if (options->resamples < BOOTSTRAP_RESAMPLES_MINIMUM ||
        options->resamples > BOOTSTRAP_RESAMPLES_MAXIMUM)
        return culprit_fail(error, CULPRIT_LIMIT, "%zu resamples are not from %d to %d",
                            options->resamples, BOOTSTRAP_RESAMPLES_MINIMUM,
                            BOOTSTRAP_RESAMPLES_MAXIMUM);
    if ((1 - options->confidence) / 2 * (double)options->resamples < 1 - 1e-9)
        return culprit_fail(error, CULPRIT_INVALID,
                            "%zu resamples are too few for a confidence of %g: not one lies in a "
                            "tail",
                            options->resamples, options->confidence);
    if (total > BOOTSTRAP_DRAWS_MAXIMUM / options->resamples)
        return culprit_fail(error, CULPRIT_LIMIT,
                            "%zu resamples of %zu samples are more than %d draws",
                            options->resamples, total, BOOTSTRAP_DRAWS_MAXIMUM);
    return 0;
}

static int check_samples(const double *x, size_t x_count, const double *y, size_t y_count,
                         struct culprit_error *error)
{
    int r = samples_check(x, x_count, 2, "first side", error);

    if (r == 0)
        r = samples_check(y, y_count, 2, "second side", error);
    for (size_t i = 0; r == 0 && i < y_count; i++)
        if (!(y[0] > 0 ? y[i] > 0 : y[i] < 0))
            return culprit_fail(error, CULPRIT_INVALID,
                                "no ratio: the second side has zeros or both signs");
    return r;
}

/* Back from fractions of powers of two. */
static int rescale(struct bootstrap_interval *interval, int exponent, struct culprit_error *error)
{
    double *const values[] = {&interval->ratio, &interval->lower, &interval->upper,
                              &interval->corrected_lower, &interval->corrected_upper};

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        *values[i] = ldexp(*values[i], exponent);
        if (!isfinite(*values[i]))
            return culprit_fail(error, CULPRIT_INVALID, "no ratio: it is too large for a number");
    }
    return 0;
}

/* The ratios of all resamples, in order; the caller frees. */
static int resample(struct side *x, struct side *y, const struct bootstrap_options *options,
                    double **ret, struct culprit_error *error)
{
    _cleanup_free_ double *ratios = malloc(options->resamples * sizeof *ratios);
    struct random random;

    if (!ratios)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot hold %zu resamples: no memory",
                            options->resamples);
    random_seed(&random, options->seed);
    for (size_t i = 0; i < options->resamples; i++) {
        draw(x, &random);
        draw(y, &random);
        ratios[i] = drawn_location(x, options->location) / drawn_location(y, options->location);
        if (!isfinite(ratios[i]))
            return culprit_fail(error, CULPRIT_INVALID,
                                "no ratio: the second side lies too near 0");
    }
    sort_values(ratios, options->resamples);
    *ret = take(ratios);
    return 0;
}

static int make_interval(struct side *x, struct side *y, const struct bootstrap_options *options,
                         struct bootstrap_interval *ret, struct culprit_error *error)
{
    double tail = (1 - options->confidence) / 2, accelerated = 0;
    _cleanup_free_ double *ratios = NULL;
    int r;

    ret->ratio = own_ratio(x, y, options->location);
    if (options->location == BOOTSTRAP_MEANS)
        accelerated = acceleration(x, y);
    r = resample(x, y, options, &ratios, error);
    if (r < 0)
        return r;
    ret->lower = sorted_quantile(ratios, options->resamples, tail);
    ret->upper = sorted_quantile(ratios, options->resamples, 1 - tail);
    correct(ratios, options->resamples, ret->ratio, accelerated, tail, ret);
    return rescale(ret, x->exponent - y->exponent, error);
}

int bootstrap_ratio(const double *x, size_t x_count, const double *y, size_t y_count,
                    const struct bootstrap_options *options, struct bootstrap_interval *ret,
                    struct culprit_error *error)
{
    CULPRIT_CLEANUP(side_clear) struct side first = {0};
    CULPRIT_CLEANUP(side_clear) struct side second = {0};
    struct bootstrap_interval interval = {0};
    int r = check_samples(x, x_count, y, y_count, error);

    if (r == 0)
        r = check_options(options, x_count + y_count, error);
    if (r == 0)
        r = side_make(x, x_count, &first, error);
    if (r == 0)
        r = side_make(y, y_count, &second, error);
    if (r == 0)
        r = make_interval(&first, &second, options, &interval, error);
    if (r == 0)
        *ret = interval;
    return r;
}
