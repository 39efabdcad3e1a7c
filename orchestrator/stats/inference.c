/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/inference.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "stats/distribution.h"
#include "stats/summary.h"

int welch_test(const double *x, size_t x_count, const double *y, size_t y_count, struct welch *ret,
               struct culprit_error *error)
{
    struct sample_summary first, second;
    double x_part, y_part, sum, t, degrees;
    int r = samples_check(x, x_count, 2, "first side", error);

    if (r == 0)
        r = samples_check(y, y_count, 2, "second side", error);
    if (r == 0)
        r = samples_summarise(x, x_count, &first, error);
    if (r == 0)
        r = samples_summarise(y, y_count, &second, error);
    if (r < 0)
        return r;
    x_part = first.deviation * first.deviation / (double)x_count;
    y_part = second.deviation * second.deviation / (double)y_count;
    sum = x_part + y_part;
    if (!(sum > 0) || !isfinite(sum))
        return culprit_fail(error, CULPRIT_INVALID, "no t value: neither side varies");
    t = (first.mean - second.mean) / sqrt(sum);
    degrees = 1 / (pow(x_part / sum, 2) / (double)(x_count - 1) +
                   pow(y_part / sum, 2) / (double)(y_count - 1));
    *ret = (struct welch){
        .t = t,
        .degrees = degrees,
        .p_two_sided = 2 * student_cdf(-fabs(t), degrees),
    };
    return 0;
}

struct ranked {
    double p;
    size_t place;
};

static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;

    if (a->p < b->p || a->p > b->p)
        return a->p < b->p ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

int holm_adjust(double *p, size_t count, struct culprit_error *error)
{
    _cleanup_free_ struct ranked *order = NULL;
    double largest = 0;

    for (size_t i = 0; i < count; i++)
        if (!(p[i] >= 0 && p[i] <= 1))
            return culprit_fail(error, CULPRIT_INVALID, "p value %zu is %g, not between 0 and 1",
                                i + 1, p[i]);
    if (count < 2)
        return 0;
    order = calloc(count, sizeof *order);
    if (!order)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot order %zu p values: no memory",
                            count);
    for (size_t i = 0; i < count; i++)
        order[i] = (struct ranked){.p = p[i], .place = i};
    qsort(order, count, sizeof *order, compare_ranked);
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, fmin(1, order[i].p * (double)(count - i)));
        p[order[i].place] = largest;
    }
    return 0;
}

/* z₁₋α/₂ + z₁₋β: what an effect must be in standard errors to be seen with that power. */
static int detection_distance(double alpha, double power, double *ret, struct culprit_error *error)
{
    if (!(alpha > 0 && alpha < 1))
        return culprit_fail(error, CULPRIT_INVALID, "level %g is not between 0 and 1", alpha);
    if (!(power > 0 && power < 1))
        return culprit_fail(error, CULPRIT_INVALID, "power %g is not between 0 and 1", power);
    *ret = normal_quantile(1 - alpha / 2) + normal_quantile(power);
    return 0;
}

int trials_needed(double effect, double alpha, double power, size_t *ret,
                  struct culprit_error *error)
{
    double distance, needed;
    int r;

    if (!(effect > 0 && isfinite(effect)))
        return culprit_fail(error, CULPRIT_INVALID, "an effect of %g needs no number of trials",
                            effect);
    r = detection_distance(alpha, power, &distance, error);
    if (r < 0)
        return r;
    needed = 2 * pow(distance / effect, 2);
    if (!(needed < 1e6))
        return culprit_fail(error, CULPRIT_LIMIT,
                            "an effect of %g standard deviations needs over a million trials",
                            effect);
    *ret = needed < 2 ? 2 : (size_t)round(needed);
    return 0;
}

int minimum_detectable_effect(double scale, size_t trials, double alpha, double power, double *ret,
                              struct culprit_error *error)
{
    double distance;
    int r;

    if (!(scale >= 0 && isfinite(scale)))
        return culprit_fail(error, CULPRIT_INVALID, "a spread of %g is none", scale);
    if (trials < 2)
        return culprit_fail(error, CULPRIT_INVALID, "needs at least 2 trials a side, not %zu",
                            trials);
    r = detection_distance(alpha, power, &distance, error);
    if (r < 0)
        return r;
    *ret = distance * scale * sqrt(2 / (double)trials);
    return 0;
}
