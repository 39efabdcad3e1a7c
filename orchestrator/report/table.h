/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table that kernel people know: parent against culprit, one line a metric, name last. */
#ifndef CULPRIT_REPORT_TABLE_H
#define CULPRIT_REPORT_TABLE_H

#include "report/figures.h"

enum { TABLE_COUNTERS_MAXIMUM = 24 };

/* Two sides: all metrics, then the counters that moved; below it what the columns mean. */
void table_compare(struct buffer *out, const struct report *report, const struct figures *figures);

/* One side: median, spread, least and most of every metric and counter. */
void table_single(struct buffer *out, const struct figures *figures);

#endif
