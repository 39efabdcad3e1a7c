/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What becomes of the trials of `culprit calibrate`: figures, a page or JSON, and what the server
 * keeps. */
#ifndef CULPRIT_CLI_CALIBRATIONS_H
#define CULPRIT_CLI_CALIBRATIONS_H

#include "calibration/record.h"
#include "cli/attempt.h"
#include "cli/remote.h"
#include "cli/series.h"

struct calibrating {
    struct attempt attempt;
    struct calibration_options options;
    size_t trials;
    const char *metric; /* NULL: all */
    bool store;
    struct remote remote; /* when `store` */
    char reason[ENGINE_REASON_SIZE];
};

void calibrating_clear(struct calibrating *calibrating);

static inline void calibrating_clear_cleanup(struct calibrating *calibrating)
{
    calibrating_clear(calibrating);
}

/* Whether the engine, once it is known, says anything of a metric: no job may ask about another. */
bool calibrating_sees(const struct calibrating *calibrating, const char *metric);

/* FAILED when there are too few results for any figure. Gives the exit status. */
int calibrating_finish(struct cli *cli, struct calibrating *calibrating,
                       const struct series *series, struct culprit_error *error);

/* One metric as a paragraph and a table; also of a series that a test made. */
void calibration_print(FILE *out, const struct calibration_record *record, size_t trials);

/* The record of one metric of the series, its setup that of the attempt. INVALID when so few trials
 * gave it that there are no figures. */
int calibrating_record(const struct calibrating *calibrating, const struct series *series,
                       const struct series_metric *metric, struct calibration_record **ret,
                       struct culprit_error *error);

#endif
