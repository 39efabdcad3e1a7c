/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trials of one kernel one after the other, metric by metric, and how long the rest will take. */
#ifndef CULPRIT_CLI_SERIES_H
#define CULPRIT_CLI_SERIES_H

#include "trial/trial.h"

enum { SERIES_METRICS_MAXIMUM = 256 };

struct series_metric {
    char name[97], unit[16];
    enum metric_direction better;
    double *values; /* of the trials that gave it, in their order */
    size_t count;
};

struct series {
    size_t wanted; /* trials */
    size_t ok, failed;
    char message[512]; /* of the last that failed */
    char kernel_digest[DIGEST_HEX_SIZE];
    struct series_metric *metrics; /* in the order of the first trial that gave them */
    size_t metric_count;
    uint64_t *wall_ns; /* of each trial that is over */
};

int series_new(size_t wanted, struct series *ret, struct culprit_error *error);
void series_clear(struct series *series);

static inline void series_clear_cleanup(struct series *series)
{
    series_clear(series);
}

/* Takes in a trial; counters are left out. One that is not ok gives no values. LIMIT for a trial
 * more than was wanted. */
int series_add(struct series *series, const struct trial_result *result,
               struct culprit_error *error);

/* NULL when no trial gave it. */
const struct series_metric *series_find(const struct series *series, const char *name);

/* What the trials that are left will take, by the median of those that are over; 0: not known. */
uint64_t series_time_left(const struct series *series);

#endif
