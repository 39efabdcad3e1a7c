/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/proportion.h"

#include <math.h>

#include "stats/distribution.h"

double proportion_share(const struct proportion *proportion)
{
    return (double)proportion->failed / (double)proportion->count;
}

static double log_factorial(double n)
{
    int sign; /* lgamma() itself keeps it in a global */

    return lgamma_r(n + 1, &sign);
}

static double log_choose(double n, double k)
{
    return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

static int check_sides(const struct proportion *x, const struct proportion *y,
                       struct culprit_error *error)
{
    if (x->count == 0 || y->count == 0)
        return culprit_fail(error, CULPRIT_INVALID, "a side has no trials");
    if (x->failed > x->count || y->failed > y->count)
        return culprit_fail(error, CULPRIT_INVALID, "a side has more failures than trials");
    return 0;
}

/* Failures of x are hypergeometric, given how many failed in all. */
static double log_table(double x_failed, double x_count, double y_count, double failed)
{
    return log_choose(x_count, x_failed) + log_choose(y_count, failed - x_failed) -
           log_choose(x_count + y_count, failed);
}

int fisher_exact(const struct proportion *x, const struct proportion *y, struct fisher *ret,
                 struct culprit_error *error)
{
    static const double as_probable = 1 + 1e-7; /* rounding makes no table less probable */
    size_t failed = x->failed + y->failed, least, most;
    double seen;
    int r = check_sides(x, y, error);

    if (r < 0)
        return r;
    least = failed > y->count ? failed - y->count : 0;
    most = failed < x->count ? failed : x->count;
    seen = exp(log_table((double)x->failed, (double)x->count, (double)y->count, (double)failed));
    *ret = (struct fisher){0};
    for (size_t k = least; k <= most; k++) {
        double p = exp(log_table((double)k, (double)x->count, (double)y->count, (double)failed));

        ret->p_greater += k >= x->failed ? p : 0;
        ret->p_less += k <= x->failed ? p : 0;
        ret->p_two_sided += p <= seen * as_probable ? p : 0;
    }
    ret->p_greater = fmin(ret->p_greater, 1);
    ret->p_less = fmin(ret->p_less, 1);
    ret->p_two_sided = fmin(ret->p_two_sided, 1);
    return 0;
}

/* Wilson's bound above (sign 1) or below (sign −1) a share. */
static double wilson(const struct proportion *side, double z, double sign)
{
    double n = (double)side->count, p = proportion_share(side);
    double bound = (p + z * z / (2 * n) + sign * z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))) /
                   (1 + z * z / n);

    return fmin(fmax(bound, 0), 1);
}

int proportion_difference_most(const struct proportion *x, const struct proportion *y, double alpha,
                               double *ret, struct culprit_error *error)
{
    double z, above, below;
    int r = check_sides(x, y, error);

    if (r < 0)
        return r;
    if (!(alpha > 0 && alpha < 0.5))
        return culprit_fail(error, CULPRIT_INVALID, "level %g is not between 0 and one half",
                            alpha);
    z = normal_quantile(1 - alpha);
    above = wilson(x, z, 1) - proportion_share(x);
    below = proportion_share(y) - wilson(y, z, -1);
    *ret = proportion_share(x) - proportion_share(y) + hypot(above, below);
    return 0;
}

/* Logarithms of the factorials, for the many sums behind a power. */
struct factorials {
    double logs[2 * PROPORTION_TRIALS_MAXIMUM + 1];
};

static double log_binomial(const struct factorials *table, size_t n, size_t k)
{
    return table->logs[n] - table->logs[k] - table->logs[n - k];
}

static double binomial(const struct factorials *table, size_t n, size_t k, double p)
{
    if (p <= 0 || p >= 1)
        return k == (p <= 0 ? 0 : n) ? 1 : 0;
    return exp(log_binomial(table, n, k) + (double)k * log(p) + (double)(n - k) * log1p(-p));
}

/* Fisher's p_greater of x against y failures, in n trials each. */
static double tail_of(const struct factorials *table, size_t n, size_t x, size_t y)
{
    double all = log_binomial(table, 2 * n, x + y), tail = 0;

    for (size_t k = x; k <= n && k <= x + y; k++)
        tail += exp(log_binomial(table, n, k) + log_binomial(table, n, x + y - k) - all);
    return tail;
}

static double power_of(const struct factorials *table, size_t n, double less, double more,
                       double alpha)
{
    static const double negligible = 1e-9;
    double power = 0,
           above = 1; /* `above`: that the other side fails `least` times or more often */
    size_t least = 0;

    for (size_t y = 0; y <= n && least <= n; y++) {
        double chance = binomial(table, n, y, less);

        for (; least <= n && (least < y || tail_of(table, n, least, y) > alpha); least++)
            above -= binomial(table, n, least, more);
        power += least <= n ? chance * fmax(above, 0) : 0;
        if ((double)y > (double)n * less && chance < negligible)
            break;
    }
    return power;
}

int proportion_trials_needed(double less, double more, double alpha, double power, size_t *ret,
                             struct culprit_error *error)
{
    struct factorials table = {{0}};
    size_t low = 1, high = 2;

    if (!(less >= 0 && less < more && more <= 1) || !(alpha > 0 && alpha < 1) ||
        !(power > 0 && power < 1))
        return culprit_fail(error, CULPRIT_INVALID,
                            "no number of trials shows %g against %g at level %g with power %g",
                            more, less, alpha, power);
    for (size_t n = 1; n < sizeof table.logs / sizeof *table.logs; n++)
        table.logs[n] = table.logs[n - 1] + log((double)n);
    while (power_of(&table, high, less, more, alpha) < power) {
        low = high;
        if (high >= PROPORTION_TRIALS_MAXIMUM)
            return culprit_fail(error, CULPRIT_LIMIT, "more than %d trials a side are needed",
                                PROPORTION_TRIALS_MAXIMUM);
        high = high * 2 < PROPORTION_TRIALS_MAXIMUM ? high * 2 : PROPORTION_TRIALS_MAXIMUM;
    }
    /* The power rises in steps that dip a little: the first crossing that bisection finds. */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (power_of(&table, middle, less, more, alpha) < power)
            low = middle;
        else
            high = middle;
    }
    *ret = high;
    return 0;
}
