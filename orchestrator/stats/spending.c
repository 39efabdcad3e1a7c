/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/spending.h"

#include <math.h>

#include "stats/distribution.h"

/* The density of the statistic at a look, among the experiments that are not yet over, on a grid
 * from LOWEST up to the bound; the integral is Simpson's. */
enum { INTERVALS = 600, POINTS = INTERVALS + 1 };
static const double LOWEST = -9, HIGHEST = 9, NEAREST = 0.99;

struct density {
    double at[POINTS];    /* values of the standardised statistic */
    double value[POINTS]; /* density there, times Simpson's weight */
};

static double standard_normal(double z)
{
    return exp(-z * z / 2) / sqrt(2 * M_PI);
}

static double simpson_weight(int point, double step)
{
    return step / 3 * (point == 0 || point == INTERVALS ? 1 : point % 2 ? 4 : 2);
}

/* P(no bound crossed before, statistic > bound) at a look with the correlation `rho` to the one
 * before. */
static double crossing(const struct density *before, double rho, double bound)
{
    double spread = sqrt((1 - rho) * (1 + rho)), sum = 0;

    for (int i = 0; i < POINTS; i++)
        sum += before->value[i] * normal_upper_tail((bound - rho * before->at[i]) / spread);
    return sum;
}

static void fill_grid(struct density *density, double bound)
{
    for (int i = 0; i < POINTS; i++)
        density->at[i] = LOWEST + (bound - LOWEST) * i / INTERVALS;
}

static void first_density(double bound, struct density *ret)
{
    fill_grid(ret, bound);
    for (int i = 0; i < POINTS; i++)
        ret->value[i] = standard_normal(ret->at[i]) *
                        simpson_weight(i, (bound - LOWEST) / INTERVALS);
}

static void next_density(const struct density *before, double rho, double bound,
                         struct density *ret)
{
    double spread = sqrt((1 - rho) * (1 + rho));

    fill_grid(ret, bound);
    for (int i = 0; i < POINTS; i++) {
        double sum = 0;

        for (int k = 0; k < POINTS; k++)
            sum += before->value[k] * standard_normal((ret->at[i] - rho * before->at[k]) / spread);
        ret->value[i] = sum / spread * simpson_weight(i, (bound - LOWEST) / INTERVALS);
    }
}

/* The bound that is crossed first at this look with the probability `part`. */
static double find_bound(const struct density *before, double rho, double part)
{
    double low = LOWEST, high = HIGHEST;

    for (int i = 0; i < 80; i++) {
        double middle = (low + high) / 2;

        if (crossing(before, rho, middle) > part)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double spending_spent(enum spending kind, double alpha, double t)
{
    if (!(t > 0))
        return 0;
    if (kind == SPENDING_POCOCK)
        return alpha * log1p((M_E - 1) * t);
    return 2 * normal_upper_tail(normal_quantile(1 - alpha / 2) / sqrt(t));
}

static int check(double alpha, const double *fractions, size_t looks, struct culprit_error *error)
{
    if (looks < 1 || looks > SPENDING_LOOKS_MAXIMUM)
        return culprit_fail(error, CULPRIT_INVALID, "%zu looks are not from 1 to %d", looks,
                            SPENDING_LOOKS_MAXIMUM);
    if (!(alpha >= 1e-6 && alpha <= 0.5))
        return culprit_fail(error, CULPRIT_INVALID, "level %g is not from 1e-6 to 0.5", alpha);
    for (size_t k = 0; k < looks; k++)
        if (!(fractions[k] > 0 && fractions[k] <= 1 &&
              (k == 0 || fractions[k - 1] <= NEAREST * fractions[k])))
            return culprit_fail(error, CULPRIT_INVALID,
                                "look %zu at %g of the trials: the looks must rise, by 1 %% of "
                                "themselves or more, up to 1",
                                k + 1, fractions[k]);
    return 0;
}

int spending_levels(enum spending kind, double alpha, const double *fractions, size_t looks,
                    double *ret_levels, struct culprit_error *error)
{
    struct density densities[2];
    double spent = 0;
    int r = check(alpha, fractions, looks, error);

    if (r < 0)
        return r;
    for (size_t k = 0; k < looks; k++) {
        double part = spending_spent(kind, alpha, fractions[k]) - spent;
        double rho = k > 0 ? sqrt(fractions[k - 1] / fractions[k]) : 0;
        struct density *now = &densities[k % 2], *before = &densities[(k + 1) % 2];
        double bound = HIGHEST;

        spent += part;
        if (k == 0 && part > normal_upper_tail(HIGHEST))
            bound = -normal_quantile(part);
        else if (k > 0)
            bound = find_bound(before, rho, part);
        ret_levels[k] = bound < HIGHEST ? normal_upper_tail(bound) : 0;
        if (k == 0)
            first_density(bound, now);
        else
            next_density(before, rho, bound, now);
    }
    return 0;
}
