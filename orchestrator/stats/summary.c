/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

int samples_check(const double *values, size_t count, size_t minimum, const char *what,
                  struct culprit_error *error)
{
    if (count < minimum)
        return culprit_fail(error, CULPRIT_INVALID, "%s: needs at least %zu samples, has %zu", what,
                            minimum, count);
    if (count > SAMPLES_MAXIMUM)
        return culprit_fail(error, CULPRIT_LIMIT, "%s: %zu samples, the most is %d", what, count,
                            SAMPLES_MAXIMUM);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return culprit_fail(error, CULPRIT_INVALID, "%s: sample %zu of %zu is %s", what, i + 1,
                                count, isnan(values[i]) ? "not a number" : "infinite");
    return 0;
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* A sorted copy; the caller frees. */
static int sorted_copy(const double *values, size_t count, double **ret,
                       struct culprit_error *error)
{
    double *copy;
    int r = samples_check(values, count, 1, "samples", error);

    if (r < 0)
        return r;
    copy = malloc(count * sizeof *copy);
    if (!copy)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot sort %zu samples: no memory", count);
    memcpy(copy, values, count * sizeof *copy);
    qsort(copy, count, sizeof *copy, compare_doubles);
    *ret = copy;
    return 0;
}

/* Halves first, so that the sum of two large numbers does not overflow. */
static double middle(double low, double high)
{
    return low == high ? low : low / 2 + high / 2;
}

static double sorted_median(const double *sorted, size_t count)
{
    return count % 2 ? sorted[count / 2] : middle(sorted[count / 2 - 1], sorted[count / 2]);
}

static double sorted_quantile(const double *sorted, size_t count, double fraction)
{
    double place = fraction * (double)(count - 1);
    size_t below = (size_t)place;
    double part = place - (double)below;

    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] * (1 - part) + sorted[below + 1] * part;
}

int samples_median(const double *values, size_t count, double *ret, struct culprit_error *error)
{
    _cleanup_free_ double *sorted = NULL;
    int r = sorted_copy(values, count, &sorted, error);

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
    r = sorted_copy(values, count, &sorted, error);
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

static int qn_scale(const double *sorted, size_t count, double *ret, struct culprit_error *error)
{
    size_t pairs = count * (count - 1) / 2, half = count / 2 + 1, next = 0;
    _cleanup_free_ double *distances = malloc(pairs * sizeof *distances);

    if (!distances)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot hold %zu distances: no memory",
                            pairs);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            distances[next++] = sorted[j] - sorted[i];
    qsort(distances, pairs, sizeof *distances, compare_doubles);
    *ret = 2.2219 * qn_factor(count) * distances[half * (half - 1) / 2 - 1];
    return 0;
}

static double mean_absolute_deviation(const double *sorted, size_t count)
{
    double median = sorted_median(sorted, count), sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += fabs(sorted[i] - median) / (double)count;
    return sum;
}

static int sorted_robust_scale(const double *sorted, size_t count, double *ret,
                               struct culprit_error *error)
{
    double scale = 0;

    if (count > 1 && sorted[0] < sorted[count - 1]) {
        int r = qn_scale(sorted, count, &scale, error);
        if (r < 0)
            return r;
        if (!(scale > 0)) /* E|Z| of a standard normal is √(2/π) */
            scale = mean_absolute_deviation(sorted, count) * sqrt(M_PI / 2);
    }
    if (!isfinite(scale))
        return culprit_fail(error, CULPRIT_INVALID, "the samples lie too far apart: from %g to %g",
                            sorted[0], sorted[count - 1]);
    *ret = scale;
    return 0;
}

int samples_robust_scale(const double *values, size_t count, double *ret,
                         struct culprit_error *error)
{
    _cleanup_free_ double *sorted = NULL;
    int r = sorted_copy(values, count, &sorted, error);

    return r < 0 ? r : sorted_robust_scale(sorted, count, ret, error);
}

static double mean_of(const double *values, size_t count)
{
    double mean = 0;

    for (size_t i = 0; i < count; i++)
        mean += (values[i] - mean) / (double)(i + 1);
    return mean;
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
    qsort(distances, count, sizeof *distances, compare_doubles);
    *ret_mad = sorted_median(distances, count);
    return 0;
}

int samples_summarise(const double *values, size_t count, struct sample_summary *ret,
                      struct culprit_error *error)
{
    struct sample_summary summary = {.count = count};
    _cleanup_free_ double *sorted = NULL;
    int r = sorted_copy(values, count, &sorted, error);

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
    summary.mean = mean_of(sorted, count);
    summary.deviation = deviation_of(sorted, count, summary.mean);
    *ret = summary;
    return 0;
}
