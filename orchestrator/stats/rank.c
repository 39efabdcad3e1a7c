/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/rank.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "stats/distribution.h"
#include "stats/sorted.h"
#include "stats/summary.h"

static int check_sides(const double *x, size_t x_count, const double *y, size_t y_count,
                       struct culprit_error *error)
{
    int r = samples_check(x, x_count, 1, "first side", error);

    return r < 0 ? r : samples_check(y, y_count, 1, "second side", error);
}

static bool is_exact(size_t x_count, size_t y_count)
{
    return x_count <= MANN_WHITNEY_EXACT_MAXIMUM && y_count <= MANN_WHITNEY_EXACT_MAXIMUM;
}

struct ranked_sample {
    double value;
    bool first; /* of side x */
    unsigned twice_rank;
};

static int compare_samples(const void *left, const void *right)
{
    double a = ((const struct ranked_sample *)left)->value;
    double b = ((const struct ranked_sample *)right)->value;

    return (a > b) - (a < b);
}

/* Orders both sides together and gives tied samples their mean rank, doubled to stay whole.
 * *ret_ties becomes Σ(t³ − t) over the groups of t equal samples. */
static int rank_together(const double *x, size_t x_count, const double *y, size_t y_count,
                         struct ranked_sample **ret, double *ret_ties, struct culprit_error *error)
{
    size_t total = x_count + y_count;
    struct ranked_sample *samples = calloc(total, sizeof *samples);

    if (!samples)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot rank %zu samples: no memory", total);
    for (size_t i = 0; i < total; i++)
        samples[i] = (struct ranked_sample){
            .value = i < x_count ? x[i] : y[i - x_count],
            .first = i < x_count,
        };
    qsort(samples, total, sizeof *samples, compare_samples);
    *ret_ties = 0;
    for (size_t begin = 0, end; begin < total; begin = end) {
        double tied;

        for (end = begin + 1; end < total && samples[end].value <= samples[begin].value;)
            end++;
        for (size_t i = begin; i < end; i++)
            samples[i].twice_rank = (unsigned)(begin + end + 1);
        tied = (double)(end - begin);
        *ret_ties += tied * tied * tied - tied;
    }
    *ret = samples;
    return 0;
}

/* Ranks are whole, but for ties: then they are counted in halves. */
static size_t twice_unit(const struct ranked_sample *samples, size_t total)
{
    for (size_t i = 0; i < total; i++)
        if (samples[i].twice_rank % 2 != 0)
            return 1;
    return 2;
}

/* ways[k][s]: how many choices of k samples have the rank sum s, in units of a rank or of half a
 * one. Counts stay below C(40, 20) = 1.4e11, so doubles hold them exactly. What cannot become a
 * choice of x_count samples any more, for too few samples are left, is passed over. */
static int exact_tails(const struct ranked_sample *samples, size_t x_count, size_t total,
                       unsigned observed, struct mann_whitney *ret, struct culprit_error *error)
{
    size_t unit = twice_unit(samples, total), width = total * (total + 1) / unit + 1, reach = 0;
    _cleanup_free_ double *ways = calloc((x_count + 1) * width, sizeof *ways);
    double all = 0, greater = 0, less = 0;

    if (!ways)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot count rank sums: no memory");
    ways[0] = 1;
    for (size_t i = 0; i < total; i++) {
        size_t rank = samples[i].twice_rank / unit, left = total - i - 1;
        size_t least = x_count > left ? x_count - left : 1;

        reach += rank;
        for (size_t k = i + 1 < x_count ? i + 1 : x_count; k >= least; k--)
            for (size_t s = reach; s >= rank; s--)
                ways[k * width + s] += ways[(k - 1) * width + s - rank];
    }
    for (size_t s = 0; s < width; s++) {
        double count = ways[x_count * width + s];
        all += count;
        greater += s * unit >= observed ? count : 0;
        less += s * unit <= observed ? count : 0;
    }
    ret->p_greater = greater / all;
    ret->p_less = less / all;
    return 0;
}

static void normal_tails(size_t x_count, size_t y_count, double ties, struct mann_whitney *ret)
{
    double m = (double)x_count, n = (double)y_count, total = m + n;
    double centre = m * n / 2;
    double variance = m * n / 12 * (total + 1 - ties / (total * (total - 1)));

    if (!(variance > 0)) {
        ret->p_greater = ret->p_less = 1;
        return;
    }
    ret->p_greater = normal_upper_tail((ret->u - centre - 0.5) / sqrt(variance));
    ret->p_less = normal_cdf((ret->u - centre + 0.5) / sqrt(variance));
}

static int rank_test(const double *x, size_t x_count, const double *y, size_t y_count, bool exact,
                     struct mann_whitney *ret, struct culprit_error *error)
{
    struct mann_whitney result = {.exact = exact};
    _cleanup_free_ struct ranked_sample *samples = NULL;
    double ties = 0;
    unsigned twice_sum = 0;
    int r = check_sides(x, x_count, y, y_count, error);

    if (r == 0)
        r = rank_together(x, x_count, y, y_count, &samples, &ties, error);
    if (r < 0)
        return r;
    for (size_t i = 0; i < x_count + y_count; i++)
        twice_sum += samples[i].first ? samples[i].twice_rank : 0;
    result.u = twice_sum / 2.0 - (double)(x_count * (x_count + 1)) / 2;
    if (exact)
        r = exact_tails(samples, x_count, x_count + y_count, twice_sum, &result, error);
    else
        normal_tails(x_count, y_count, ties, &result);
    if (r < 0)
        return r;
    result.p_two_sided = fmin(1, 2 * fmin(result.p_greater, result.p_less));
    *ret = result;
    return 0;
}

int mann_whitney(const double *x, size_t x_count, const double *y, size_t y_count,
                 struct mann_whitney *ret, struct culprit_error *error)
{
    return rank_test(x, x_count, y, y_count, is_exact(x_count, y_count), ret, error);
}

int mann_whitney_approximate(const double *x, size_t x_count, const double *y, size_t y_count,
                             struct mann_whitney *ret, struct culprit_error *error)
{
    return rank_test(x, x_count, y, y_count, false, ret, error);
}

double mann_whitney_smallest_p(size_t x_count, size_t y_count)
{
    struct mann_whitney extreme = {.u = (double)x_count * (double)y_count};
    double p = 1;

    if (!is_exact(x_count, y_count)) {
        normal_tails(x_count, y_count, 0, &extreme);
        return extreme.p_greater;
    }
    for (size_t i = 1; i <= x_count; i++)
        p *= (double)i / (double)(y_count + i);
    return p;
}

int probability_greater(const double *x, size_t x_count, const double *y, size_t y_count,
                        double *ret, struct culprit_error *error)
{
    double wins = 0;
    int r = check_sides(x, x_count, y, y_count, error);

    if (r < 0)
        return r;
    for (size_t i = 0; i < x_count; i++)
        for (size_t j = 0; j < y_count; j++)
            wins += x[i] > y[j] ? 1 : x[i] < y[j] ? 0 : 0.5;
    *ret = wins / ((double)x_count * (double)y_count);
    return 0;
}

/* The largest k with P(U < k) <= tail, from the distribution of U without ties; *ret_below gets
 * P(U < k). An interval between the k-th smallest and k-th largest difference then leaves out at
 * most `tail` on each side. 0 when no k will do. */
static int exact_order(size_t x_count, size_t y_count, double tail, size_t *ret_order,
                       double *ret_below, struct culprit_error *error)
{
    size_t width = x_count * y_count + 1;
    _cleanup_free_ double *ways = calloc((x_count + 1) * width, sizeof *ways);
    double below = 0, all = 0;

    if (!ways)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot count rank sums: no memory");
    /* Choosing k of the first i ranks: the chosen one of rank i stands above i − k unchosen. */
    ways[0] = 1;
    for (size_t i = 1; i <= x_count + y_count; i++)
        for (size_t k = i < x_count ? i : x_count; k >= 1; k--)
            for (size_t u = width - 1; u + 1 > i - k; u--)
                ways[k * width + u] += ways[(k - 1) * width + u - (i - k)];
    for (size_t u = 0; u < width; u++)
        all += ways[x_count * width + u];
    *ret_order = 0;
    for (size_t u = 0; 2 * u < width; u++) {
        below += ways[x_count * width + u] / all;
        if (below >
            tail * (1 + 1e-9)) /* a confidence of 0.9 means a tail of 1/20, not a bit less */
            break;
        *ret_order = u + 1;
        *ret_below = below;
    }
    return 0;
}

static void normal_order(size_t x_count, size_t y_count, double tail, size_t *ret_order,
                         double *ret_below)
{
    double m = (double)x_count, n = (double)y_count;
    double spread = sqrt(m * n * (m + n + 1) / 12);
    double order = floor(m * n / 2 + 0.5 + normal_quantile(tail) * spread);

    *ret_order = order < 1 ? 0 : (size_t)order;
    *ret_below = normal_cdf((order - 0.5 - m * n / 2) / spread);
}

static int sorted_differences(const double *x, size_t x_count, const double *y, size_t y_count,
                              double **ret, struct culprit_error *error)
{
    double *differences = malloc(x_count * y_count * sizeof *differences);

    if (!differences)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot hold %zu differences: no memory",
                            x_count * y_count);
    for (size_t i = 0; i < x_count; i++)
        for (size_t j = 0; j < y_count; j++)
            differences[i * y_count + j] = x[i] - y[j];
    sort_values(differences, x_count * y_count);
    *ret = differences;
    return 0;
}

int hodges_lehmann(const double *x, size_t x_count, const double *y, size_t y_count,
                   double confidence, struct hodges_lehmann *ret, struct culprit_error *error)
{
    size_t pairs = x_count * y_count, order = 0;
    double tail = (1 - confidence) / 2, below = 0;
    _cleanup_free_ double *differences = NULL;
    int r = check_sides(x, x_count, y, y_count, error);

    if (r < 0)
        return r;
    if (!(confidence > 0 && confidence < 1))
        return culprit_fail(error, CULPRIT_INVALID, "confidence %g is not between 0 and 1",
                            confidence);
    r = sorted_differences(x, x_count, y, y_count, &differences, error);
    if (r < 0 || !differences)
        return r;
    if (!isfinite(differences[0]) || !isfinite(differences[pairs - 1]))
        return culprit_fail(error, CULPRIT_INVALID, "the sides lie too far apart for a difference");
    if (is_exact(x_count, y_count))
        r = exact_order(x_count, y_count, tail, &order, &below, error);
    else
        normal_order(x_count, y_count, tail, &order, &below);
    if (r < 0)
        return r;
    *ret = (struct hodges_lehmann){
        .shift = pairs % 2 ? differences[pairs / 2]
                           : differences[pairs / 2 - 1] / 2 + differences[pairs / 2] / 2,
        .bounded = order > 0,
        .lower = order > 0 ? differences[order - 1] : 0,
        .upper = order > 0 ? differences[pairs - order] : 0,
        .achieved = order > 0 ? 1 - 2 * below : 0,
    };
    return 0;
}
