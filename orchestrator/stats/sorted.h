/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Order statistics of sorted arrays, and the mean of any, for this folder's own use. Pure; the
 * caller has checked that there is at least one value and that all are finite. */
#ifndef CULPRIT_STATS_SORTED_H
#define CULPRIT_STATS_SORTED_H

#include <stddef.h>

#include "base/error.h"

void sort_values(double *values, size_t count);

/* A sorted copy that the caller frees; NO_MEMORY. */
int sorted_copy(const double *values, size_t count, double **ret, struct culprit_error *error);

/* In any order; no sum is formed, so that values near the largest double have a mean. Not finite
 * where they lie further apart than that. */
double mean_value(const double *values, size_t count);

double sorted_median(const double *sorted, size_t count);

/* Linear between order statistics (type 7 of Hyndman and Fan 1996); 0 <= fraction <= 1. */
double sorted_quantile(const double *sorted, size_t count, double fraction);

#endif
