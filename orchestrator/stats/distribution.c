/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/distribution.h"

#include <float.h>
#include <math.h>

double normal_cdf(double z)
{
    return 0.5 * erfc(-z * M_SQRT1_2);
}

double normal_upper_tail(double z)
{
    return 0.5 * erfc(z * M_SQRT1_2);
}

/* A start good to 4.5e-4 (Abramowitz and Stegun 26.2.23), made exact by Halley's method. */
double normal_quantile(double p)
{
    double tail = p < 0.5 ? p : 1 - p, t, z;

    if (!(p > 0 && p < 1))
        return NAN;
    t = sqrt(-2 * log(tail));
    z = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    for (int i = 0; i < 3; i++) {
        double density = exp(-z * z / 2) / sqrt(2 * M_PI);
        double step = (normal_upper_tail(z) - tail) / density;
        z += step / (1 - z * step / 2);
    }
    return p < 0.5 ? -z : z;
}

/* The continued fraction of I_x(a, b) (Abramowitz and Stegun 26.5.8) by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = DBL_MIN / DBL_EPSILON;
    double c = 1, d = 1 - (a + b) * x / (a + 1), result;

    d = 1 / (fabs(d) < tiny ? tiny : d);
    result = d;
    for (int m = 1; m < 10000; m++) {
        double steps[2] = {
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        };
        double change = 1;

        for (int half = 0; half < 2; half++) {
            d = 1 + steps[half] * d;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = 1 + steps[half] / c;
            c = fabs(c) < tiny ? tiny : c;
            change = c * d;
            result *= change;
        }
        if (fabs(change - 1) < 4 * DBL_EPSILON)
            break;
    }
    return result;
}

double beta_incomplete(double a, double b, double x)
{
    double log_front;

    if (!(a > 0 && b > 0 && x >= 0 && x <= 1))
        return NAN;
    if (x <= 0 || x >= 1)
        return x;
    log_front = lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x);
    if (x < (a + 1) / (a + b + 2))
        return exp(log_front) * beta_fraction(a, b, x) / a;
    return 1 - exp(log_front) * beta_fraction(b, a, 1 - x) / b;
}

double student_cdf(double t, double degrees)
{
    double tail;

    if (!(degrees > 0) || isnan(t))
        return NAN;
    tail = 0.5 * beta_incomplete(degrees / 2, 0.5, degrees / (degrees + t * t));
    return t < 0 ? tail : 1 - tail;
}

/* By halving, which no shape of the tail misleads: the tail falls steadily in t. */
double student_quantile(double p, double degrees)
{
    double tail = p < 0.5 ? p : 1 - p, low = 0, high = 1;

    if (!(p > 0 && p < 1 && degrees > 0))
        return NAN;
    while (high < DBL_MAX / 2 && student_cdf(-high, degrees) > tail)
        high *= 2;
    for (int i = 0; i < 2000 && high - low > DBL_EPSILON * high; i++) {
        double middle = low + (high - low) / 2;

        if (student_cdf(-middle, degrees) > tail)
            low = middle;
        else
            high = middle;
    }
    return p < 0.5 ? -high : high;
}
