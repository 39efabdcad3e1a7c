/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/costs.h"

#include <math.h>

static int by_value(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static uint64_t median(uint64_t *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

uint64_t costs_build_ns(const struct dossier *dossier)
{
    _cleanup_free_ uint64_t *times = calloc(dossier->builds.count + 1, sizeof *times);
    size_t count = 0;

    if (!times)
        return 0;
    for (size_t i = 0; i < dossier->builds.count; i++) {
        const struct stored_build *build = &dossier->builds.items[i];
        if (build->fresh && build->outcome == OUTCOME_OK)
            times[count++] = build->wall_ns;
    }
    if (count > 1)
        return median(times + 1, count - 1);
    return count ? times[0] : 0;
}

uint64_t costs_trial_ns(const struct dossier *dossier)
{
    _cleanup_free_ uint64_t *times = calloc(dossier->trials.count + 1, sizeof *times);
    size_t count = 0;

    if (!times)
        return 0;
    for (size_t i = 0; i < dossier->trials.count; i++)
        if (dossier->outcomes[i].outcome == OUTCOME_OK)
            times[count++] = dossier->trials.items[i].wall_ns;
    return count ? median(times, count) : 0;
}

double costs_for_plan(uint64_t ns)
{
    return ns ? exp2(round(log2((double)ns / 1e9))) : 0;
}
