/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distribution functions that the tests need. Pure; arguments outside the domain are the caller's
 * mistake and give NaN, which no caller lets through. */
#ifndef CULPRIT_STATS_DISTRIBUTION_H
#define CULPRIT_STATS_DISTRIBUTION_H

/* P(Z <= z) of the standard normal, and its upper tail without cancellation. */
double normal_cdf(double z);
double normal_upper_tail(double z);

/* z with P(Z <= z) = p; 0 < p < 1; relative error below 1e-12. */
double normal_quantile(double p);

/* P(T <= t) of Student's t; degrees > 0, need not be whole. */
double student_cdf(double t, double degrees);

/* t with P(T <= t) = p; 0 < p < 1. */
double student_quantile(double p, double degrees);

/* The regularised incomplete beta function I_x(a, b); a, b > 0, 0 <= x <= 1. */
double beta_incomplete(double a, double b, double x);

#endif
