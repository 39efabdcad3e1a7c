/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The numbers of a report's table: each row summed up and its two sides compared. No field is ever
 * NaN or infinite; what cannot be known is marked as missing. */
#ifndef CULPRIT_REPORT_FIGURES_H
#define CULPRIT_REPORT_FIGURES_H

#include <stdbool.h>

#include "report/report.h"
#include "stats/summary.h"

struct figure {
    const struct report_row *row;
    bool present[2];
    struct sample_summary sides[2];
    /* Both sides present: culprit minus parent (Hodges–Lehmann), its 95 % interval, and the exact
     * two-sided Mann–Whitney p, raw and corrected (Holm) over the rows of its kind. */
    bool compared, bounded;
    double shift, lower, upper;
    double p, p_holm;
    bool relative; /* the parent's median is not 0: shares of it make sense */
};

struct figures {
    struct figure *items;
    size_t count;
    size_t metrics, counters; /* rows that were compared, by kind: the sizes of the two families */
};

#define FIGURES_CONFIDENCE 0.95

int figures_compute(const struct report *report, struct figures *ret, struct culprit_error *error);
void figures_clear(struct figures *figures);

static inline void figures_clear_cleanup(struct figures *figures)
{
    figures_clear(figures);
}

/* A share of the parent's median in per cent. */
double figure_percent(const struct figure *figure, double difference);

/* Worth a line though it is only a counter: the sides hardly overlap (raw p of at most
 * FIGURES_NOTABLE_P), and it moved by a tenth or more. */
#define FIGURES_NOTABLE_P 0.01
bool figure_notable(const struct figure *figure);

enum { FIGURE_TEXT_SIZE = 32 };
/* "15984", "12.5", "0.0021": four digits or so, never "-0". */
const char *figure_number(double value, char text[FIGURE_TEXT_SIZE]);
/* "+97.7%", "-3.0%", "+1240%". */
const char *figure_signed_percent(double percent, char text[FIGURE_TEXT_SIZE]);
/* The difference as a share where that makes sense, else in the row's unit with a sign. */
const char *figure_change(const struct figure *figure, double difference,
                          char text[FIGURE_TEXT_SIZE]);
/* "0.0079", "<0.0001". */
const char *figure_p(double p, char text[FIGURE_TEXT_SIZE]);

#endif
