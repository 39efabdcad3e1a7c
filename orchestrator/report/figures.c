/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "stats/inference.h"
#include "stats/rank.h"

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

static void compare(struct figure *figure)
{
    const struct report_samples *parent = &figure->row->sides[0];
    const struct report_samples *culprit = &figure->row->sides[1];
    struct mann_whitney test;
    struct hodges_lehmann shift;

    if (!figure->present[0] || !figure->present[1] ||
        mann_whitney(culprit->values, culprit->count, parent->values, parent->count, &test, NULL) <
            0 ||
        hodges_lehmann(culprit->values, culprit->count, parent->values, parent->count,
                       FIGURES_CONFIDENCE, &shift, NULL) < 0)
        return;
    figure->compared = true;
    figure->bounded = shift.bounded;
    figure->shift = shift.shift;
    figure->lower = shift.lower;
    figure->upper = shift.upper;
    figure->p = figure->p_holm = test.p_two_sided;
    figure->relative = fabs(figure->sides[0].median) > 0 &&
                       isfinite(100 * figure->shift / figure->sides[0].median) &&
                       isfinite(100 * figure->lower / figure->sides[0].median) &&
                       isfinite(100 * figure->upper / figure->sides[0].median);
}

/* Metrics and counters are corrected apart: hundreds of counters must not drown what the workload
 * itself measured. */
static int correct(struct figures *figures, bool counters, size_t *ret_count,
                   struct culprit_error *error)
{
    _cleanup_free_ double *p = calloc(figures->count + 1, sizeof *p);
    size_t count = 0, next = 0;
    int r;

    if (!p)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot correct p values: no memory");
    for (size_t i = 0; i < figures->count; i++)
        if (figures->items[i].compared && figures->items[i].row->counter == counters)
            p[count++] = figures->items[i].p;
    r = holm_adjust(p, count, error);
    if (r < 0)
        return r;
    for (size_t i = 0; i < figures->count; i++)
        if (figures->items[i].compared && figures->items[i].row->counter == counters)
            figures->items[i].p_holm = p[next++];
    *ret_count = count;
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
        summarise(&figures.items[i]);
        compare(&figures.items[i]);
    }
    r = correct(&figures, false, &figures.metrics, error);
    if (r == 0)
        r = correct(&figures, true, &figures.counters, error);
    if (r < 0)
        return r;
    *ret = figures;
    figures = (struct figures){0};
    return 0;
}

double figure_percent(const struct figure *figure, double difference)
{
    return 100 * difference / fabs(figure->sides[0].median);
}

bool figure_notable(const struct figure *figure)
{
    return figure->compared && figure->p <= FIGURES_NOTABLE_P * (1 + 1e-9) &&
           (!figure->relative || fabs(figure_percent(figure, figure->shift)) >= 10);
}

const char *figure_number(double value, char text[FIGURE_TEXT_SIZE])
{
    double size = fabs(value);
    int decimals;

    if (!isfinite(value))
        return "-";
    if (size >= 1e12 || (size > 0 && size < 1e-4)) {
        snprintf(text, FIGURE_TEXT_SIZE, "%.3e", value);
        return text;
    }
    decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 3;
    if (value >= floor(value) && value <= floor(value))
        decimals = 0; /* a whole number has none */
    snprintf(text, FIGURE_TEXT_SIZE, "%.*f", decimals, size > 0 ? value : 0.0);
    return text;
}

const char *figure_signed_percent(double percent, char text[FIGURE_TEXT_SIZE])
{
    double size = fabs(percent);

    if (!isfinite(percent))
        return "-";
    if (size < 0.05)
        percent = 0;
    if (size >= 1e6)
        snprintf(text, FIGURE_TEXT_SIZE, "%+.2e%%", percent);
    else
        snprintf(text, FIGURE_TEXT_SIZE, "%+.*f%%", size < 999.95 ? 1 : 0, percent);
    return text;
}

const char *figure_change(const struct figure *figure, double difference,
                          char text[FIGURE_TEXT_SIZE])
{
    char number[FIGURE_TEXT_SIZE];

    if (figure->relative)
        return figure_signed_percent(figure_percent(figure, difference), text);
    snprintf(text, FIGURE_TEXT_SIZE, "%s%.24s", difference < 0 ? "" : "+",
             figure_number(difference, number));
    return text;
}

const char *figure_p(double p, char text[FIGURE_TEXT_SIZE])
{
    if (!isfinite(p))
        return "-";
    if (p < 0.0001)
        snprintf(text, FIGURE_TEXT_SIZE, "<0.0001");
    else
        snprintf(text, FIGURE_TEXT_SIZE, "%.*f", p < 0.0995 ? 4 : 2, p);
    return text;
}
