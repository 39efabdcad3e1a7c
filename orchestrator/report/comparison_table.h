/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A comparison (stats/comparison.h) as people and programs read it: the columns of a table, the
 * table of one base against several others, a sentence, JSON. Reports and `culprit samples compare`
 * print the same columns and the same JSON members. Pure.
 */
#ifndef CULPRIT_REPORT_COMPARISON_TABLE_H
#define CULPRIT_REPORT_COMPARISON_TABLE_H

#include <jansson.h>

#include "base/buffer.h"
#include "stats/comparison.h"

enum { FIGURE_TEXT_SIZE = 32 };

/* "15984", "12.5", "0.0021": four digits or so, never "-0". */
const char *figure_number(double value, char text[FIGURE_TEXT_SIZE]);
/* "+97.7%", "-3.0%", "+1240%". */
const char *figure_signed_percent(double percent, char text[FIGURE_TEXT_SIZE]);
/* "0.0079", "<0.0001". */
const char *figure_p(double p, char text[FIGURE_TEXT_SIZE]);
/* "15984 +-  1%": the median and the robust spread; "0 +-2" where a share says nothing,
 * "15984 +-   -" of a single trial. From
 * 100,000 on in thousands, millions and so on ("474k", "12.3M", "4635M"), to keep to the column. */
const char *figure_side(const struct sample_summary *side, char text[2 * FIGURE_TEXT_SIZE]);
/* A difference as a share of the base's median where that makes sense, else in the samples' unit,
 * with a sign. */
const char *figure_change(const struct comparison *comparison, double difference,
                          char text[FIGURE_TEXT_SIZE]);

/* Base, other, change, interval and p, right-aligned, with two blanks after them; "-" for what is
 * not there. A side may be NULL, and then the comparison is too. */
void comparison_columns(struct buffer *out, const struct sample_summary *base,
                        const struct sample_summary *other, const struct comparison *comparison);

/* The heading of these columns, and the rule below it; `last` and `rule` stand behind them, over
 * the caller's own columns. */
void comparison_heading(struct buffer *out, const char *base, const char *other, double confidence,
                        const char *last, const char *rule);

/* One base against others: a row each, with n and the verdict; below it a sentence for each. */
struct comparison_entry {
    const char *name;
    const struct comparison *comparison;
};
void comparison_table(struct buffer *out, const char *base, const struct comparison_entry *entries,
                      size_t count);

/* "worse", "higher", "no difference", "too small", "needs 2 more". */
const char *comparison_word(const struct comparison *comparison, char text[FIGURE_TEXT_SIZE]);

/* What was found, how sure it is, and what is missing. */
void comparison_sentence(struct buffer *out, const struct comparison *comparison, const char *base,
                         const char *other);

/* New references; NULL without memory. What is not known is null. */
json_t *comparison_json(const struct comparison *comparison);
json_t *comparison_side_json(const struct sample_summary *side);

#endif
