/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report in a line, and the names of things that several of its forms share. */
#ifndef CULPRIT_REPORT_HEADLINE_H
#define CULPRIT_REPORT_HEADLINE_H

#include "report/figures.h"

enum headline_kind {
    HEADLINE_CULPRIT,
    HEADLINE_NO_REGRESSION, /* the merge base as bad as bad, too */
    HEADLINE_INCONCLUSIVE,
    HEADLINE_MEASURED, /* a run */
    HEADLINE_FAILED,
    HEADLINE_CANCELLED,
    HEADLINE_UNFINISHED, /* not over yet */
};

enum headline_kind headline_kind(const struct report *report);

/* "wakeup.latency.p99 +97.7% regression"; "no regression of wakeup.latency.p99"… One line. */
void headline_write(struct buffer *out, const struct report *report, const struct figures *figures);

/* The part of the kernel that a subject names ("sched/fair" of "sched/fair: Rework …"); nothing
 * when it names none. */
void headline_topic(struct buffer *out, const char *subject);

/* '0b0695f2b34a ("sched/fair: Rework load_balance()")' of a commit's number. */
void headline_commit(struct buffer *out, const struct report *report, unsigned commit);

/* The planner's sentences with "#3" turned into the commit; the scheduler's as they are. */
void headline_reason(struct buffer *out, const struct report *report);

/* "good", "bad", "skip", "untested". */
const char *headline_label(enum bisect_label label);

/* "culprit", "no_regression", "merge_base_bad", "inconclusive" or "none". */
const char *headline_verdict(enum bisect_verdict_kind verdict);

#endif
