/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/failures.h"

#include <stdio.h>
#include <string.h>

#include "report/layout.h"

/* What a heading or a mail's subject has room for. */
enum { PATTERN_SHOWN = 60 };

bool failures_are_asked(const struct report *report)
{
    return report->job->criterion.kind != CRITERION_METRIC;
}

static bool is_of(const struct report_trial *trial, const struct report *report, unsigned commit)
{
    return trial->observed && commit < report->commit_count &&
           strcmp(trial->commit, report->commits[commit].id) == 0;
}

size_t failures_count(const struct report *report, unsigned commit, size_t *ret_failed)
{
    size_t count = 0;

    *ret_failed = 0;
    for (size_t i = 0; i < report->trial_count; i++)
        if (is_of(&report->trials[i], report, commit)) {
            count++;
            *ret_failed += report->trials[i].failed;
        }
    return count;
}

void failures_subject(struct buffer *out, const struct report *report)
{
    const char *pattern = report->job->criterion.console;
    char shown[PATTERN_SHOWN + 4];

    if (!pattern) {
        buffer_puts(out, "workload failures");
        return;
    }
    snprintf(shown, sizeof shown, "%.*s%s", PATTERN_SHOWN, pattern,
             strlen(pattern) > PATTERN_SHOWN ? "..." : "");
    buffer_puts(out, "lines like \"");
    layout_clean(out, shown);
    buffer_puts(out, "\"");
}

const struct report_trial *failures_example(const struct report *report, unsigned commit)
{
    for (size_t i = 0; i < report->trial_count; i++) {
        const struct report_trial *trial = &report->trials[i];

        if (is_of(trial, report, commit) && trial->failed && trial->evidence && *trial->evidence)
            return trial;
    }
    return NULL;
}
