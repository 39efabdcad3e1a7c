/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/event.h"

#include <math.h>

/* Parameters of what is thought of good where it is not one that never fails, and the probability
 * that bad's is then the greater before anything was seen: E[1 − p] of good's. */
static const double seldom_a = 0.5, seldom_b = 2, seldom_less = 0.8;

static double log_beta(double a, double b)
{
    int sign; /* lgamma() itself keeps it in a global */

    return lgamma_r(a, &sign) + lgamma_r(b, &sign) - lgamma_r(a + b, &sign);
}

static double failures(const struct moments *group)
{
    return round(group->n * group->mean);
}

static double log_marginal(const struct moments *group, double a, double b)
{
    double k = failures(group);

    return log_beta(a + k, b + group->n - k) - log_beta(a, b);
}

double event_tied(const struct moments *groups, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        if (groups[i].n > 0)
            sum += log_marginal(&groups[i], 1, 1);
    return sum;
}

/* What speaks for a good side, and which part of that for one that may fail. */
static double log_good(const struct moments *good, double *ret_part)
{
    double seldom = log_marginal(good, seldom_a, seldom_b);
    double both = log_add(failures(good) > 0 ? -HUGE_VAL : 0, seldom);

    *ret_part = exp(seldom - both);
    return both - M_LN2;
}

double event_levels(const struct moments *levels, size_t count)
{
    double part;

    return log_good(&levels[0], &part) + event_tied(levels + 1, count - 1);
}

/* The sum over i < c of B(a + i, b + d) / ((d + i) B(1 + i, d) B(a, b)), each term from the one
 * before (E. Miller, Formulas for Bayesian A/B testing, 2015). */
double event_greater(double a, double b, double c, double d)
{
    double log_term = log_beta(a, b + d) - log_beta(a, b), sum = 0;

    for (unsigned i = 0; i < c; i++) {
        sum += exp(log_term);
        log_term += log((a + i) / (a + b + d + i) * (d + i) / (1.0 + i));
    }
    return fmin(sum, 1);
}

void event_sides(const struct moments *good, const struct moments *bad, struct sides_fit *ret)
{
    double good_failed = failures(good), bad_failed = failures(bad);
    double part, of_good = log_good(good, &part);
    double greater = event_greater(seldom_a + good_failed, seldom_b + good->n - good_failed,
                                   1 + bad_failed, 1 + bad->n - bad_failed);

    *ret = (struct sides_fit){
        .log_likelihood = of_good + log_marginal(bad, 1, 1) +
                          log((1 - part + part * greater) / ((1 + seldom_less) / 2) + 1e-300),
        .good = part * (seldom_a + good_failed) / (seldom_a + seldom_b + good->n),
        .bad = (1 + bad_failed) / (2 + bad->n),
        .error = sqrt(1 / good->n + 1 / bad->n),
    };
    ret->good_variance = ret->good * (1 - ret->good);
    ret->bad_variance = ret->bad * (1 - ret->bad);
}
