/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/summary.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "stats/sorted.h"

static int check_values(const double *values, size_t count, size_t minimum, size_t maximum,
                        const char *what, struct culprit_error *error)
{
    if (count < minimum)
        return culprit_fail(error, CULPRIT_INVALID, "%s: needs at least %zu samples, has %zu", what,
                            minimum, count);
    if (count > maximum)
        return culprit_fail(error, CULPRIT_LIMIT, "%s: %zu samples, the most is %zu", what, count,
                            maximum);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return culprit_fail(error, CULPRIT_INVALID, "%s: sample %zu of %zu is %s", what, i + 1,
                                count, isnan(values[i]) ? "not a number" : "infinite");
    return 0;
}

int samples_check(const double *values, size_t count, size_t minimum, const char *what,
                  struct culprit_error *error)
{
    return check_values(values, count, minimum, SAMPLES_MAXIMUM, what, error);
}

/* A sorted copy of checked samples; the caller frees. */
static int checked_copy(const double *values, size_t count, double **ret,
                        struct culprit_error *error)
{
    int r = samples_check(values, count, 1, "samples", error);

    return r < 0 ? r : sorted_copy(values, count, ret, error);
}

int samples_median(const double *values, size_t count, double *ret, struct culprit_error *error)
{
    _cleanup_free_ double *sorted = NULL;
    int r = checked_copy(values, count, &sorted, error);

    if (r < 0)
        return r;
    *ret = sorted_median(sorted, count);
    return 0;
}

int iterations_mean(const double *values, size_t count, double *ret, struct culprit_error *error)
{
    double mean;
    int r = check_values(values, count, 1, ITERATIONS_MAXIMUM, "iterations", error);

    if (r < 0)
        return r;
    mean = mean_value(values, count);
    if (!isfinite(mean))
        return culprit_fail(error, CULPRIT_INVALID, "the iterations lie too far apart for a mean");
    *ret = mean;
    return 0;
}

int iterations_median(const double *values, size_t count, double *ret, struct culprit_error *error)
{
    _cleanup_free_ double *sorted = NULL;
    int r = check_values(values, count, 1, ITERATIONS_MAXIMUM, "iterations", error);

    if (r == 0)
        r = sorted_copy(values, count, &sorted, error);
    if (r < 0)
        return r;
    *ret = sorted_median(sorted, count);
    return 0;
}

int samples_quantile(const double *values, size_t count, double fraction, double *ret,
                     struct culprit_error *error)
{
    _cleanup_free_ double *sorted = NULL;
    int r;

    if (!(fraction >= 0 && fraction <= 1))
        return culprit_fail(error, CULPRIT_INVALID, "a quantile lies between 0 and 1, not at %g",
                            fraction);
    r = checked_copy(values, count, &sorted, error);
    if (r < 0)
        return r;
    *ret = sorted_quantile(sorted, count, fraction);
    return 0;
}

/* Qn's finite-sample factors: Croux and Rousseeuw, "Time-efficient algorithms for two highly robust
 * estimators of scale", Computational Statistics 1 (1992), p. 411. */
static double qn_factor(size_t count)
{
    static const double small[] = {0, 1, 0.399, 0.994, 0.512, 0.844, 0.611, 0.857, 0.669, 0.872};
    double n = (double)count;

    if (count < sizeof small / sizeof *small)
        return small[count];
    return count % 2 ? n / (n + 1.4) : n / (n + 3.8);
}

/* Pairs of samples that lie no further apart than that. */
static size_t pairs_within(const double *sorted, size_t count, double distance)
{
    size_t pairs = 0, first = 0;

    for (size_t last = 1; last < count; last++) {
        while (sorted[last] - sorted[first] > distance)
            first++;
        pairs += last - first;
    }
    return pairs;
}

/* The order-th smallest distance between two samples, exactly, without a list of them all: doubles
 * that are not negative are ordered as the numbers that their bits make, and the smallest one that
 * so many pairs lie within is found among these by halving, in at most 64 steps. */
static double distance_of_order(const double *sorted, size_t count, size_t order)
{
    double distance = sorted[count - 1] - sorted[0];
    uint64_t low = 0, high;

    memcpy(&high, &distance, sizeof high);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        memcpy(&distance, &middle, sizeof distance);
        if (pairs_within(sorted, count, distance) >= order)
            high = middle;
        else
            low = middle + 1;
    }
    memcpy(&distance, &high, sizeof distance);
    return distance;
}

static double qn_scale(const double *sorted, size_t count)
{
    size_t half = count / 2 + 1;

    return 2.2219 * qn_factor(count) * distance_of_order(sorted, count, half * (half - 1) / 2);
}

static double mean_absolute_deviation(const double *sorted, size_t count)
{
    double median = sorted_median(sorted, count), sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += fabs(sorted[i] - median) / (double)count;
    return sum;
}

static int check_scale(const double *sorted, size_t count, double scale,
                       struct culprit_error *error)
{
    if (isfinite(scale))
        return 0;
    return culprit_fail(error, CULPRIT_INVALID, "the samples lie too far apart: from %g to %g",
                        sorted[0], sorted[count - 1]);
}

static int sorted_robust_scale(const double *sorted, size_t count, double *ret,
                               struct culprit_error *error)
{
    double scale = 0;

    if (count > 1 && sorted[0] < sorted[count - 1]) {
        scale = qn_scale(sorted, count);
        if (!(scale > 0)) /* E|Z| of a standard normal is √(2/π) */
            scale = mean_absolute_deviation(sorted, count) * sqrt(M_PI / 2);
    }
    *ret = scale;
    return check_scale(sorted, count, scale, error);
}

int samples_robust_scale(const double *values, size_t count, double *ret,
                         struct culprit_error *error)
{
    _cleanup_free_ double *sorted = NULL;
    int r = checked_copy(values, count, &sorted, error);

    return r < 0 ? r : sorted_robust_scale(sorted, count, ret, error);
}

int samples_winsorise(const double *values, size_t count, double width, double *ret_values,
                      struct winsorised *ret, struct culprit_error *error)
{
    struct winsorised result = {0};
    _cleanup_free_ double *sorted = NULL;
    int r;

    if (!(width > 0 && width <= WINSORISE_WIDTH_MAXIMUM))
        return culprit_fail(error, CULPRIT_INVALID,
                            "a width of %g robust deviations is not above 0 and at most %d", width,
                            WINSORISE_WIDTH_MAXIMUM);
    r = checked_copy(values, count, &sorted, error);
    if (r == 0 && count > 1)
        result.scale = qn_scale(sorted, count);
    if (r == 0)
        r = check_scale(sorted, count, result.scale, error);
    if (r < 0)
        return r;
    result.median = sorted_median(sorted, count);
    result.lower = fmax(result.median - width * result.scale, -DBL_MAX);
    result.upper = fmin(result.median + width * result.scale, DBL_MAX);
    for (size_t i = 0; i < count; i++) {
        double value = result.scale > 0 ? fmin(fmax(values[i], result.lower), result.upper)
                                        : values[i];

        result.changed += value < values[i] || value > values[i];
        ret_values[i] = value;
    }
    *ret = result;
    return 0;
}

/* Scaled by the largest distance, so that squares neither overflow nor vanish. */
static double deviation_of(const double *values, size_t count, double mean)
{
    double largest = 0, sum = 0;

    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(values[i] - mean));
    if (count < 2 || !(largest > 0))
        return 0;
    for (size_t i = 0; i < count; i++)
        sum += pow((values[i] - mean) / largest, 2);
    return largest * sqrt(sum / (double)(count - 1));
}

static int absolute_deviations(const double *sorted, size_t count, double *ret_mad,
                               struct culprit_error *error)
{
    double median = sorted_median(sorted, count);
    _cleanup_free_ double *distances = malloc(count * sizeof *distances);

    if (!distances)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot hold %zu distances: no memory",
                            count);
    for (size_t i = 0; i < count; i++)
        distances[i] = fabs(sorted[i] - median);
    sort_values(distances, count);
    *ret_mad = sorted_median(distances, count);
    return 0;
}

int samples_summarise(const double *values, size_t count, struct sample_summary *ret,
                      struct culprit_error *error)
{
    struct sample_summary summary = {.count = count};
    _cleanup_free_ double *sorted = NULL;
    int r = checked_copy(values, count, &sorted, error);

    if (r < 0)
        return r;
    r = sorted_robust_scale(sorted, count, &summary.robust_scale, error);
    if (r < 0)
        return r;
    r = absolute_deviations(sorted, count, &summary.mad, error);
    if (r < 0)
        return r;
    summary.minimum = sorted[0];
    summary.lower_quartile = sorted_quantile(sorted, count, 0.25);
    summary.median = sorted_median(sorted, count);
    summary.upper_quartile = sorted_quantile(sorted, count, 0.75);
    summary.maximum = sorted[count - 1];
    summary.mean = mean_value(sorted, count);
    summary.deviation = deviation_of(sorted, count, summary.mean);
    *ret = summary;
    return 0;
}
