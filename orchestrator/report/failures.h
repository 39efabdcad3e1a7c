/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a job with a criterion has in the place of figures: how many trials of a commit failed, and
 * what was seen of it. */
#ifndef CULPRIT_REPORT_FAILURES_H
#define CULPRIT_REPORT_FAILURES_H

#include "report/report.h"

/* Whether the job has a criterion. */
bool failures_are_asked(const struct report *report);

/* A commit's trials that said whether they failed, and how many did. */
size_t failures_count(const struct report *report, unsigned commit, size_t *ret_failed);

/* "workload failures", 'lines like "WARNING: .*"': what the job looks for, on one line. */
void failures_subject(struct buffer *out, const struct report *report);

/* The first failed trial of a commit that shows something; NULL without. */
const struct report_trial *failures_example(const struct report *report, unsigned commit);

#endif
