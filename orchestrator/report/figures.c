/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a comparison's options. */
static const double noise_maximum = 10;

void figures_clear(struct figures *figures)
{
    free(figures->items);
    *figures = (struct figures){0};
}

/* A side without trials, or with a value that no number can sum up, is missing: not an error. */
static void summarise(struct figure *figure)
{
    for (int side = 0; side < 2; side++) {
        const struct report_samples *samples = &figure->row->sides[side];
        figure->present[side] = samples->count > 0 &&
                                samples_summarise(samples->values, samples->count,
                                                  &figure->sides[side], NULL) == 0;
    }
}

static enum comparison_better better(enum metric_direction direction)
{
    return direction == BETTER_LOWER    ? COMPARISON_LOWER
           : direction == BETTER_HIGHER ? COMPARISON_HIGHER
                                        : COMPARISON_NEITHER;
}

/* By what share identical builds differ at so many trials, where that was measured. */
static double noise_of(const struct report *report, const struct figure *figure)
{
    const struct calibration_record *calibration = report->calibration;
    double share;

    if (!calibration || strcmp(calibration->metric, figure->row->metric) != 0 ||
        !figure->present[0] || !figure->present[1])
        return 0;
    share = calibration_interval(&calibration->figures, figure->sides[0].count,
                                 figure->sides[1].count) /
            fabs(calibration->figures.summary.median);
    return isfinite(share) ? fmin(share, noise_maximum) : 0;
}

/* There may be hundreds of counters, and few are shown: they get no bootstrap. */
static void compare(const struct report *report, struct figure *figure)
{
    const struct report_samples *parent = &figure->row->sides[0];
    const struct report_samples *culprit = &figure->row->sides[1];
    struct comparison_options options = COMPARISON_OPTIONS_DEFAULT;

    options.better = better(figure->row->better);
    options.alpha = 1 - FIGURES_CONFIDENCE;
    options.noise = noise_of(report, figure);
    if (figure->row->counter)
        options.resamples = 0;
    figure->compared = figure->present[0] && figure->present[1] &&
                       comparison_make(parent->values, parent->count, culprit->values,
                                       culprit->count, &options, &figure->comparison, NULL) == 0;
}

/* The metric that the job asked about was chosen before anything was measured, and stands alone.
 * The others were looked at because they were there; counters apart from metrics, for hundreds of
 * counters must not drown what the workload itself measured. */
static enum figure_family family_of(const struct report *report, const struct report_row *row)
{
    if (row->counter)
        return FAMILY_COUNTERS;
    if (report->job->metric.name && strcmp(report->job->metric.name, row->metric) == 0)
        return FAMILY_ASKED;
    return FAMILY_OTHERS;
}

static int correct(struct figures *figures, enum figure_family kind, struct culprit_error *error)
{
    _cleanup_free_ struct comparison *family = calloc(figures->count + 1, sizeof *family);
    size_t count = 0, next = 0;
    int r;

    if (!family)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot correct p values: no memory");
    for (size_t i = 0; i < figures->count; i++)
        if (figures->items[i].compared && figures->items[i].family == kind)
            family[count++] = figures->items[i].comparison;
    r = comparison_correct(family, count, error);
    if (r < 0)
        return r;
    for (size_t i = 0; i < figures->count; i++)
        if (figures->items[i].compared && figures->items[i].family == kind)
            figures->items[i].comparison = family[next++];
    figures->compared[kind] = count;
    return 0;
}

int figures_compute(const struct report *report, struct figures *ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(figures_clear) struct figures figures = {0};
    int r;

    figures.items = calloc(report->row_count + 1, sizeof *figures.items);
    if (!figures.items)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot make a table: no memory");
    figures.count = report->row_count;
    for (size_t i = 0; i < figures.count; i++) {
        figures.items[i].row = &report->rows[i];
        figures.items[i].family = family_of(report, &report->rows[i]);
        summarise(&figures.items[i]);
        compare(report, &figures.items[i]);
    }
    for (enum figure_family kind = 0; kind < FAMILY_COUNT; kind++) {
        r = correct(&figures, kind, error);
        if (r < 0)
            return r;
    }
    *ret = figures;
    figures = (struct figures){0};
    return 0;
}

bool figure_notable(const struct figure *figure)
{
    const struct comparison *comparison = &figure->comparison;

    return figure->compared && comparison->test.p_two_sided <= FIGURES_NOTABLE_P * (1 + 1e-9) &&
           (!comparison->relative || fabs(comparison->share) >= 0.1);
}

const char *figures_asked_unit(const struct report *report, char unit[FIGURE_TEXT_SIZE])
{
    unit[0] = '\0';
    for (size_t i = 0; report->job->metric.name && i < report->row_count; i++)
        if (strcmp(report->rows[i].metric, report->job->metric.name) == 0 &&
            report->rows[i].unit[0])
            snprintf(unit, FIGURE_TEXT_SIZE, " %s", report->rows[i].unit);
    return unit;
}
