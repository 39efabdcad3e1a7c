/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/likelihood.h"

#include <math.h>

#include "plan/event.h"
#include "stats/distribution.h"

void moments_add(struct moments *into, double value)
{
    moments_join(into, &(struct moments){.n = 1, .weight = 1, .mean = value});
}

double moments_worth(double n, double ratio)
{
    return n / (1 + n * ratio);
}

void moments_join(struct moments *into, const struct moments *other)
{
    double weight = into->weight + other->weight, distance = other->mean - into->mean;

    if (!(other->n > 0))
        return;
    into->rss += other->rss + distance * distance * into->weight * other->weight / weight;
    into->mean += distance * other->weight / weight;
    into->weight = weight;
    into->n += other->n;
}

double log_add(double a, double b)
{
    double most = fmax(a, b);

    if (most == -HUGE_VAL)
        return most;
    return most + log1p(exp(fmin(a, b) - most));
}

/* The sum of squares, hardly below what the least deviation makes of n values: the two are joined
 * as the sides of a right angle, so that the floor does not show where values scatter more. */
static double scatter(const struct widths *widths, double rss, double n)
{
    return hypot(rss, n * widths->floor * widths->floor);
}

double likelihood_tied(const struct widths *widths, const struct moments *groups, size_t count)
{
    double n = 0, rss = 0, means = 0, logs = 0, degrees;
    int sign; /* lgamma() itself keeps it in a global */

    if (widths->events)
        return event_tied(groups, count);
    for (size_t i = 0; i < count; i++) {
        if (!(groups[i].n > 0))
            continue;
        n += groups[i].n;
        rss += groups[i].rss;
        logs -= 0.5 * log(groups[i].weight) + log(widths->mean);
        means++;
    }
    degrees = n - means;
    if (degrees < 1) /* nothing is known of the deviation, and each value has a mean to itself */
        return -means * log(widths->mean);
    return logs + lgamma_r(degrees / 2, &sign) - degrees / 2 * log(M_PI * scatter(widths, rss, n)) -
           log(2 * widths->log_scale);
}

/* One way for the sides to vary. */
struct variant {
    double log_likelihood, good_variance, bad_variance; /* of values around their mean */
};

/* P(bad's mean is the greater), doubled, because before anything was measured it was one half. */
static double log_direction(const struct moments *good, const struct moments *bad,
                            const struct variant *variant, double degrees)
{
    double error = sqrt(variant->good_variance / good->weight +
                        variant->bad_variance / bad->weight);

    return log(2 * student_cdf((bad->mean - good->mean) / error, degrees) + 1e-300);
}

/* Welch and Satterthwaite's degrees of freedom. */
static double joint_degrees(const struct moments *good, const struct moments *bad,
                            const struct variant *variant)
{
    double of_good = variant->good_variance / good->weight;
    double of_bad = variant->bad_variance / bad->weight;

    return (of_good + of_bad) * (of_good + of_bad) /
           (of_good * of_good / fmax(good->n - 1, 1) + of_bad * of_bad / fmax(bad->n - 1, 1));
}

static struct variant vary_alike(const struct widths *widths, const struct moments *good,
                                 const struct moments *bad)
{
    const struct moments groups[] = {*good, *bad};
    double degrees = fmax(good->n + bad->n - 2, 1);
    double variance = scatter(widths, good->rss + bad->rss, good->n + bad->n) / degrees;
    struct variant ret = {likelihood_tied(widths, groups, 2), variance, variance};

    ret.log_likelihood += log_direction(good, bad, &ret, degrees);
    return ret;
}

static struct variant vary_apart(const struct widths *widths, const struct moments *good,
                                 const struct moments *bad)
{
    struct variant ret = {
        likelihood_tied(widths, good, 1) + likelihood_tied(widths, bad, 1),
        scatter(widths, good->rss, good->n) / fmax(good->n - 1, 1),
        scatter(widths, bad->rss, bad->n) / fmax(bad->n - 1, 1),
    };

    ret.log_likelihood += log_direction(good, bad, &ret, joint_degrees(good, bad, &ret));
    return ret;
}

void likelihood_sides(const struct widths *widths, const struct moments *good,
                      const struct moments *bad, struct sides_fit *ret)
{
    struct variant alike, apart;
    double both, part;

    if (widths->events) {
        event_sides(good, bad, ret);
        return;
    }
    alike = vary_alike(widths, good, bad);
    apart = vary_apart(widths, good, bad);
    both = log_add(alike.log_likelihood, apart.log_likelihood);
    part = exp(alike.log_likelihood - both);
    *ret = (struct sides_fit){
        .log_likelihood = both - M_LN2,
        .good = good->mean,
        .bad = bad->mean,
        .error = sqrt(1 / good->weight + 1 / bad->weight),
        .good_variance = (part * alike.good_variance + (1 - part) * apart.good_variance) *
                         (1 + 1 / good->weight),
        .bad_variance = (part * alike.bad_variance + (1 - part) * apart.bad_variance) *
                        (1 + 1 / bad->weight),
    };
}
