/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bisection as git logs one. `git bisect replay` takes what it finds and then looks at all of
 * it at once: the last bad line counts, and a good commit that is no ancestor of it would make git
 * ask for tests of merge bases. So with a culprit, its line is the last bad one, and good commits
 * on other branches stand as comments.
 */
#include <stdlib.h>
#include <string.h>

#include "report/headline.h"
#include "report/layout.h"

static bool has_culprit(const struct report *report)
{
    return headline_kind(report) == HEADLINE_CULPRIT;
}

/* Commits that are the culprit or its ancestors; all of them where the graph is not known. */
static int ancestors_of_culprit(const struct report *report, bool **ret,
                                struct culprit_error *error)
{
    bool *set = calloc(report->commit_count + 1, sizeof *set);
    bool known = has_culprit(report);

    if (!set)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot write the bisect log: no memory");
    for (size_t c = 1; c < report->commit_count; c++)
        known = known && report->commits[c].parents;
    if (known)
        set[report->culprit] = true;
    for (size_t c = report->commit_count; c-- > 0;) {
        set[c] = set[c] || !known;
        for (unsigned p = 0; known && set[c] && p < report->commits[c].parent_count; p++)
            if (report->commits[c].parents[p] < c)
                set[report->commits[c].parents[p]] = true;
    }
    *ret = set;
    return 0;
}

static void write_comment(struct buffer *out, const struct report *report, size_t commit,
                          const char *what)
{
    buffer_printf(out, "# %s: [%s] ", what, report->commits[commit].id);
    layout_clean(out, report->commits[commit].subject ? report->commits[commit].subject : "");
    buffer_puts(out, "\n");
}

static void write_line(struct buffer *out, const struct report *report, size_t commit)
{
    const char *label = headline_label(report->commits[commit].label);

    if (report->commits[commit].inferred && report->commits[commit].same_image)
        buffer_printf(out, "# inferred: its kernel image is that of [%s]\n",
                      report->commits[commit].same_image);
    else if (report->commits[commit].inferred)
        buffer_puts(out, "# inferred: its kernel image equals one that was tested\n");
    write_comment(out, report, commit, label);
    buffer_printf(out, "git bisect %s %s\n", label, report->commits[commit].id);
}

/* A parent that was only verified has no label of the search: the verification made it good. */
static bool good_by_verification(const struct report *report, size_t commit)
{
    if (!has_culprit(report) || report->commits[commit].label != LABEL_UNTESTED)
        return false;
    for (size_t i = 0; i < report->check_count; i++)
        if (report->checks[i].base == commit)
            return true;
    return false;
}

static void write_good(struct buffer *out, const struct report *report, const bool *ancestors)
{
    for (size_t c = 0; c < report->commit_count; c++) {
        if (good_by_verification(report, c)) {
            write_comment(out, report, c, "good, by its verification");
            buffer_printf(out, "git bisect good %s\n", report->commits[c].id);
        } else if (report->commits[c].label == LABEL_GOOD && ancestors[c]) {
            write_line(out, report, c);
        } else if (report->commits[c].label == LABEL_GOOD) {
            write_comment(out, report, c, "good, on a branch beside the culprit");
        }
    }
}

static void write_bad_and_skipped(struct buffer *out, const struct report *report,
                                  const bool *ancestors)
{
    for (size_t c = report->commit_count; c-- > 0;) {
        bool last = has_culprit(report) && c == report->culprit;
        if (report->commits[c].label == LABEL_BAD && !last)
            write_line(out, report, c);
    }
    if (has_culprit(report) && report->commits[report->culprit].label == LABEL_BAD)
        write_line(out, report, report->culprit);
    for (size_t c = 0; c < report->commit_count; c++)
        if (report->commits[c].label == LABEL_SKIP && ancestors[c])
            write_line(out, report, c);
}

int report_bisect_log(const struct report *report, struct buffer *ret, struct culprit_error *error)
{
    _cleanup_free_ bool *ancestors = NULL;
    bool any = false;
    int r = ancestors_of_culprit(report, &ancestors, error);

    if (r < 0)
        return r;
    for (size_t c = 0; c < report->commit_count; c++)
        any = any || report->commits[c].label != LABEL_UNTESTED;
    buffer_printf(ret, "git bisect start%s\n",
                  report->job->source.first_parent ? " --first-parent" : "");
    if (!any)
        buffer_puts(ret, "# no commit has a label\n");
    write_bad_and_skipped(ret, report, ancestors);
    write_good(ret, report, ancestors);
    if (has_culprit(report))
        write_comment(ret, report, report->culprit, "first bad commit");
    return buffer_status(ret, "the bisect log", error);
}
