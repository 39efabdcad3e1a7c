/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/sorted.h"

#include <stdlib.h>
#include <string.h>

static int compare_values(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

void sort_values(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_values);
}

int sorted_copy(const double *values, size_t count, double **ret, struct culprit_error *error)
{
    double *copy = malloc(count * sizeof *copy);

    if (!copy)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot sort %zu samples: no memory", count);
    memcpy(copy, values, count * sizeof *copy);
    sort_values(copy, count);
    *ret = copy;
    return 0;
}

/* Halves first, so that the sum of two large numbers does not overflow. */
static double middle(double low, double high)
{
    return low == high ? low : low / 2 + high / 2;
}

double mean_value(const double *values, size_t count)
{
    double mean = 0;

    for (size_t i = 0; i < count; i++)
        mean += (values[i] - mean) / (double)(i + 1);
    return mean;
}

double sorted_median(const double *sorted, size_t count)
{
    return count % 2 ? sorted[count / 2] : middle(sorted[count / 2 - 1], sorted[count / 2]);
}

double sorted_quantile(const double *sorted, size_t count, double fraction)
{
    double place = fraction * (double)(count - 1);
    size_t below = (size_t)place;
    double part = place - (double)below;

    if (below + 1 >= count)
        return sorted[count - 1];
    if (sorted[below] == sorted[below + 1])
        return sorted[below];
    return sorted[below] * (1 - part) + sorted[below + 1] * part;
}
