/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/headline.h"

#include <ctype.h>
#include <string.h>

#include "report/failures.h"
#include "report/layout.h"

enum { TOPIC_MAXIMUM = 40 };

enum headline_kind headline_kind(const struct report *report)
{
    if (strcmp(report->state, "failed") == 0)
        return HEADLINE_FAILED;
    if (strcmp(report->state, "cancelled") == 0)
        return HEADLINE_CANCELLED;
    if (strcmp(report->state, "done") != 0)
        return HEADLINE_UNFINISHED;
    if (report->job->kind == JOB_RUN)
        return HEADLINE_MEASURED;
    if (report->verdict == VERDICT_CULPRIT && report->culprit < report->commit_count)
        return HEADLINE_CULPRIT;
    if (report->verdict == VERDICT_NO_REGRESSION || report->verdict == VERDICT_MERGE_BASE_BAD)
        return HEADLINE_NO_REGRESSION;
    return HEADLINE_INCONCLUSIVE;
}

/* What the job is about. */
static void write_matter(struct buffer *out, const struct report *report)
{
    if (failures_are_asked(report))
        failures_subject(out, report);
    else
        layout_clean(out, report->job->metric.name ? report->job->metric.name : report->job->name);
}

/* By the proof, where there is one. */
static void write_failures(struct buffer *out, const struct report *report)
{
    const struct bisect_check *check = report->check_count ? &report->checks[0] : &report->endpoint;

    if (check->worse_count > 0)
        buffer_printf(out, " in %u of %u trials, %u of %u before", check->worse_failed,
                      check->worse_count, check->base_failed, check->base_count);
}

static void write_regression(struct buffer *out, const struct report *report,
                             const struct figures *figures)
{
    char change[FIGURE_TEXT_SIZE];

    write_matter(out, report);
    if (failures_are_asked(report)) {
        write_failures(out, report);
        return;
    }
    if (figures->count > 0 && figures->items[0].compared)
        buffer_printf(out, " %s",
                      figure_change(&figures->items[0].comparison,
                                    figures->items[0].comparison.shift.shift, change));
    buffer_puts(out, " regression");
}

void headline_write(struct buffer *out, const struct report *report, const struct figures *figures)
{
    switch (headline_kind(report)) {
    case HEADLINE_CULPRIT:
        write_regression(out, report, figures);
        return;
    case HEADLINE_NO_REGRESSION:
        buffer_puts(out, "no regression of ");
        write_matter(out, report);
        return;
    case HEADLINE_INCONCLUSIVE:
        buffer_puts(out, "inconclusive on ");
        write_matter(out, report);
        return;
    case HEADLINE_MEASURED:
        buffer_puts(out, "results of ");
        break;
    case HEADLINE_FAILED:
        buffer_puts(out, "failed: ");
        break;
    case HEADLINE_CANCELLED:
        buffer_puts(out, "cancelled: ");
        break;
    case HEADLINE_UNFINISHED:
        buffer_puts(out, "not finished: ");
        break;
    }
    layout_clean(out, report->job->name);
}

void headline_topic(struct buffer *out, const char *subject)
{
    const char *colon = subject ? strchr(subject, ':') : NULL;

    if (!colon || colon == subject || colon - subject > TOPIC_MAXIMUM)
        return;
    for (const char *at = subject; at < colon; at++)
        if (!isalnum((unsigned char)*at) && !strchr("/_-., ", *at))
            return;
    buffer_append(out, subject, (size_t)(colon - subject));
}

void headline_commit(struct buffer *out, const struct report *report, unsigned commit)
{
    if (commit >= report->commit_count) {
        buffer_printf(out, "#%u", commit);
        return;
    }
    buffer_printf(out, "%.12s", report->commits[commit].id);
    if (report->commits[commit].subject) {
        buffer_puts(out, " (\"");
        layout_clean(out, report->commits[commit].subject);
        buffer_puts(out, "\")");
    }
}

void headline_reason(struct buffer *out, const struct report *report)
{
    const char *at = report->reason ? report->reason : "", *found;
    bool numbered = report->job->kind == JOB_BISECT && report->verdict != VERDICT_NONE;
    unsigned commit = 0;
    size_t length = 0;

    while (numbered && (found = bisect_reason_commit(at, &commit, &length))) {
        buffer_append(out, at, (size_t)(found - at));
        headline_commit(out, report, commit);
        at = found + length;
    }
    buffer_puts(out, at);
}

const char *headline_label(enum bisect_label label)
{
    static const char *const names[] = {
        [LABEL_UNTESTED] = "untested",
        [LABEL_GOOD] = "good",
        [LABEL_BAD] = "bad",
        [LABEL_SKIP] = "skip",
    };

    return (size_t)label < sizeof names / sizeof *names ? names[label] : "untested";
}

const char *headline_verdict(enum bisect_verdict_kind verdict)
{
    static const char *const names[] = {
        [VERDICT_NONE] = "none",
        [VERDICT_CULPRIT] = "culprit",
        [VERDICT_NO_REGRESSION] = "no_regression",
        [VERDICT_MERGE_BASE_BAD] = "merge_base_bad",
        [VERDICT_INCONCLUSIVE] = "inconclusive",
    };

    return (size_t)verdict < sizeof names / sizeof *names ? names[verdict] : "none";
}
