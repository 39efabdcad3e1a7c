/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The numbers of a report's table: each row summed up and its two sides compared. No field is ever
 * NaN or infinite; what cannot be known is marked as missing. */
#ifndef CULPRIT_REPORT_FIGURES_H
#define CULPRIT_REPORT_FIGURES_H

#include <stdbool.h>

#include "report/comparison_table.h"
#include "report/report.h"

/* Comparisons whose p values are corrected together, after Holm. */
enum figure_family { FAMILY_ASKED, FAMILY_OTHERS, FAMILY_COUNTERS, FAMILY_COUNT };

struct figure {
    const struct report_row *row;
    enum figure_family family;
    bool present[2];
    struct sample_summary sides[2];
    bool compared; /* both sides present, and not too far apart for a difference */
    /* Valid when compared: culprit over parent, corrected over the rows of its family. */
    struct comparison comparison;
};

struct figures {
    struct figure *items;
    size_t count;
    size_t compared[FAMILY_COUNT]; /* rows that were, by family */
};

#define FIGURES_CONFIDENCE 0.95

int figures_compute(const struct report *report, struct figures *ret, struct culprit_error *error);
void figures_clear(struct figures *figures);

static inline void figures_clear_cleanup(struct figures *figures)
{
    figures_clear(figures);
}

/* Worth a line though it is only a counter: the sides hardly overlap (raw p of at most
 * FIGURES_NOTABLE_P), and it moved by a tenth or more. */
#define FIGURES_NOTABLE_P 0.01
bool figure_notable(const struct figure *figure);

/* " us": the unit of the metric that the job asked about; "" where it has none. */
const char *figures_asked_unit(const struct report *report, char unit[FIGURE_TEXT_SIZE]);

#endif
