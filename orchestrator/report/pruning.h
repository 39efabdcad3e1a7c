/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many commits were left out because they cannot change the image, and why. */
#ifndef CULPRIT_REPORT_PRUNING_H
#define CULPRIT_REPORT_PRUNING_H

#include "report/report.h"

/* Appends a sentence or two; nothing where nobody looked. */
void pruning_write(struct buffer *out, const struct report *report);

/* {"commits", "pruned", "by_reason": {"documentation": 3, …}, "note", "withdrawn_by"}; null where
 * nobody looked. */
json_t *pruning_json(const struct report *report);

#endif
