/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/layout.h"

/* How many trials most rows have, so that only the odd one must say it. */
static size_t usual_count(const struct figures *figures, int side)
{
    return figures->count > 0 ? figures->items[0].row->sides[side].count : 0;
}

static void write_metric(struct buffer *out, const struct report_row *row)
{
    layout_clean(out, row->metric);
    if (row->unit && *row->unit && !row->counter) {
        buffer_puts(out, " [");
        layout_clean(out, row->unit);
        buffer_puts(out, "]");
    }
}

static void write_name(struct buffer *out, const struct figures *figures,
                       const struct figure *figure)
{
    const struct report_row *row = figure->row;

    write_metric(out, row);
    if (row->sides[0].count != usual_count(figures, 0) ||
        row->sides[1].count != usual_count(figures, 1))
        buffer_printf(out, " (n %zu/%zu)", row->sides[0].count, row->sides[1].count);
    buffer_puts(out, "\n");
}

static void write_compared(struct buffer *out, const struct figures *figures,
                           const struct figure *figure)
{
    comparison_columns(out, figure->present[0] ? &figure->sides[0] : NULL,
                       figure->present[1] ? &figure->sides[1] : NULL,
                       figure->compared ? &figure->comparison : NULL);
    write_name(out, figures, figure);
}

static void write_header(struct buffer *out, const struct report *report,
                         const struct figures *figures)
{
    bool culprit = report->verdict == VERDICT_CULPRIT;
    unsigned sides[2] = {culprit ? report->parent : 0,
                         culprit ? report->culprit : (unsigned)report->commit_count - 1};
    char trials[2][FIGURE_TEXT_SIZE];

    for (int side = 0; side < 2; side++)
        snprintf(trials[side], sizeof trials[side], "%zu trial%s", usual_count(figures, side),
                 usual_count(figures, side) == 1 ? "" : "s");
    if (report->commit_count > 0)
        buffer_printf(out, "%12.12s %12.12s\n",
                      sides[0] < report->commit_count ? report->commits[sides[0]].id : "",
                      sides[1] < report->commit_count ? report->commits[sides[1]].id : "");
    buffer_printf(out, "%12s %12s\n", culprit ? "(parent)" : "(good)",
                  culprit ? "(culprit)" : "(bad)");
    comparison_heading(out, trials[0], trials[1], FIGURES_CONFIDENCE, "metric", "------");
}

static int by_size(const void *left, const void *right)
{
    const struct figure *a = *(const struct figure *const *)left;
    const struct figure *b = *(const struct figure *const *)right;
    double sizes[2] = {
        a->comparison.relative ? fabs(a->comparison.share) : HUGE_VAL,
        b->comparison.relative ? fabs(b->comparison.share) : HUGE_VAL,
    };

    if (sizes[0] < sizes[1] || sizes[0] > sizes[1])
        return sizes[0] > sizes[1] ? -1 : 1;
    return strcmp(a->row->metric, b->row->metric);
}

/* The counters that moved, the largest change first. */
static void write_counters(struct buffer *out, const struct figures *figures)
{
    const struct figure **notable = calloc(figures->count + 1, sizeof *notable);
    size_t count = 0, shown;

    for (size_t i = 0; notable && i < figures->count; i++)
        if (figures->items[i].row->counter && figure_notable(&figures->items[i]))
            notable[count++] = &figures->items[i];
    if (count > 0) {
        qsort(notable, count, sizeof *notable, by_size);
        shown = count < TABLE_COUNTERS_MAXIMUM ? count : TABLE_COUNTERS_MAXIMUM;
        buffer_puts(out, "\n");
        for (size_t i = 0; i < shown; i++)
            write_compared(out, figures, notable[i]);
        if (shown < count)
            buffer_printf(out, "  (and %zu more)\n", count - shown);
    }
    free(notable);
}

static void explain_correction(struct buffer *out, const struct figures *figures)
{
    size_t others = figures->compared[FAMILY_OTHERS], counters = figures->compared[FAMILY_COUNTERS];
    char text[1024];

    if (figures->compared[FAMILY_ASKED] > 0)
        layout_wrap(
            out, "  ", "  ",
            "The metric that the job asked about comes first, and its p is as it is: it was "
            "chosen before anything was measured.");
    if (others > 1) {
        snprintf(text, sizeof text, "The p of the other metrics is Holm-corrected over the %zu.",
                 others);
        layout_wrap(out, "  ", "  ", text);
    }
    if (counters > 0) {
        snprintf(text, sizeof text,
                 "The p of counters is Holm-corrected over all %zu. Listed are only those that "
                 "moved by a tenth with an uncorrected p of at most %.2g: by chance alone that "
                 "happens to about %.1f of them.",
                 counters, FIGURES_NOTABLE_P, FIGURES_NOTABLE_P * (double)counters);
        layout_wrap(out, "  ", "  ", text);
    }
}

/* Rows that some of the trials say nothing in. */
static void explain_gaps(struct buffer *out, const struct figures *figures)
{
    size_t most[2] = {0, 0}, gaps = 0;
    char text[256];

    for (size_t i = 0; i < figures->count; i++)
        for (int side = 0; side < 2; side++)
            if (figures->items[i].row->sides[side].count > most[side])
                most[side] = figures->items[i].row->sides[side].count;
    for (size_t i = 0; i < figures->count; i++)
        gaps += figures->items[i].row->sides[0].count < most[0] ||
                figures->items[i].row->sides[1].count < most[1];
    if (gaps == 0)
        return;
    snprintf(text, sizeof text,
             "%zu of the %zu metrics and counters %s missing in some trials, and %s figures are of "
             "the others.",
             gaps, figures->count, gaps == 1 ? "was" : "were", gaps == 1 ? "its" : "their");
    layout_wrap(out, "  ", "  ", text);
}

static void explain(struct buffer *out, const struct figures *figures)
{
    buffer_puts(out, "\n");
    layout_wrap(out, "  ", "  ",
                "Medians over trials (boots) with a robust spread (Qn) after +-; change: "
                "Hodges-Lehmann shift as a share of the parent's median (or in the metric's unit "
                "where that is 0) with its interval; p: exact two-sided Mann-Whitney test.");
    explain_correction(out, figures);
    explain_gaps(out, figures);
}

void table_compare(struct buffer *out, const struct report *report, const struct figures *figures)
{
    write_header(out, report, figures);
    for (size_t i = 0; i < figures->count; i++)
        if (!figures->items[i].row->counter)
            write_compared(out, figures, &figures->items[i]);
    write_counters(out, figures);
    explain(out, figures);
}

static void write_single(struct buffer *out, const struct figure *figure)
{
    const struct sample_summary *side = &figure->sides[0];
    char text[2 * FIGURE_TEXT_SIZE], least[FIGURE_TEXT_SIZE], most[FIGURE_TEXT_SIZE];

    if (!figure->present[0])
        return;
    buffer_printf(out, "%16s %12s %12s %4zu  ", figure_side(side, text),
                  figure_number(side->minimum, least), figure_number(side->maximum, most),
                  side->count);
    write_metric(out, figure->row);
    buffer_puts(out, "\n");
}

void table_single(struct buffer *out, const struct figures *figures)
{
    buffer_printf(out, "%16s %12s %12s %4s  %s\n", "median", "least", "most", "n", "metric");
    buffer_puts(out, "---------------- ------------ ------------ ----  ------\n");
    for (int counters = 0; counters < 2; counters++)
        for (size_t i = 0; i < figures->count; i++)
            if (figures->items[i].row->counter == (counters == 1))
                write_single(out, &figures->items[i]);
    buffer_puts(out, "\n");
    layout_wrap(out, "  ", "  ", "Medians over trials (boots) with a robust spread (Qn) after +-.");
    explain_gaps(out, figures);
}
