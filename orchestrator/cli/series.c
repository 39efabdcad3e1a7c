/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/summary.h"

static int no_memory(struct culprit_error *error)
{
    return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot keep the trials: no memory");
}

int series_new(size_t wanted, struct series *ret, struct culprit_error *error)
{
    *ret = (struct series){.wanted = wanted};
    ret->metrics = calloc(SERIES_METRICS_MAXIMUM, sizeof *ret->metrics);
    ret->wall_ns = calloc(wanted + 1, sizeof *ret->wall_ns);
    return ret->metrics && ret->wall_ns ? 0 : no_memory(error);
}

void series_clear(struct series *series)
{
    for (size_t i = 0; i < series->metric_count; i++)
        free(series->metrics[i].values);
    free(series->metrics);
    free(series->wall_ns);
    *series = (struct series){0};
}

static struct series_metric *find(const struct series *series, const char *name)
{
    for (size_t i = 0; i < series->metric_count; i++)
        if (strcmp(series->metrics[i].name, name) == 0)
            return &series->metrics[i];
    return NULL;
}

const struct series_metric *series_find(const struct series *series, const char *name)
{
    return find(series, name);
}

/* The metric's place, made if it is new; NULL when there are too many, or without memory. */
static struct series_metric *place_of(struct series *series, const struct metric_value *value)
{
    struct series_metric *metric = find(series, value->name);

    if (metric || series->metric_count == SERIES_METRICS_MAXIMUM)
        return metric;
    metric = &series->metrics[series->metric_count];
    memcpy(metric->name, value->name, sizeof metric->name);
    memcpy(metric->unit, value->unit, sizeof metric->unit);
    metric->better = value->better;
    metric->values = calloc(series->wanted, sizeof *metric->values);
    if (!metric->values)
        return NULL;
    series->metric_count++;
    return metric;
}

int series_add(struct series *series, const struct trial_result *result,
               struct culprit_error *error)
{
    size_t over = series->ok + series->failed;

    if (over == series->wanted)
        return culprit_fail(error, CULPRIT_LIMIT, "more than the %zu trials that were wanted",
                            series->wanted);
    series->wall_ns[over] = result->wall_ns;
    if (result->outcome != OUTCOME_OK) {
        series->failed++;
        snprintf(series->message, sizeof series->message, "%s", result->message);
        return 0;
    }
    series->ok++;
    memcpy(series->kernel_digest, result->kernel_digest, sizeof series->kernel_digest);
    for (size_t i = 0; i < result->metric_count; i++) {
        const struct metric_value *value = &result->metrics[i];
        struct series_metric *metric = value->counter ? NULL : place_of(series, value);

        if (value->counter)
            continue;
        if (!metric)
            return no_memory(error);
        /* A metric that the workload gives twice in a trial counts once. */
        if (metric->count < series->ok)
            metric->values[metric->count++] = value->value;
    }
    return 0;
}

uint64_t series_time_left(const struct series *series)
{
    size_t over = series->ok + series->failed;
    _cleanup_free_ double *times = calloc(over + 1, sizeof *times);
    double median = 0;

    for (size_t i = 0; times && i < over; i++)
        times[i] = (double)series->wall_ns[i];
    if (!times || over == 0 || samples_median(times, over, &median, NULL) < 0)
        return 0;
    return (uint64_t)(median * (double)(series->wanted - over));
}
