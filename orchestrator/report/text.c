/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report as plain text, which is also the mail's: what was found first, then how sure it is,
 * what was run, the table, the way there, and how to have it again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/confirmation.h"
#include "report/failures.h"
#include "report/headline.h"
#include "report/layout.h"
#include "report/pruning.h"
#include "report/setup.h"
#include "report/table.h"

enum { SENTENCES_MAXIMUM = 64 * 1024, LIST_MAXIMUM = 64 };

struct writing {
    struct buffer *out;
    const struct report *report;
    const struct figures *figures;
    enum headline_kind kind;
};

static void write_commit_field(const struct writing *writing, const char *label, unsigned commit)
{
    const struct report_commit *it = &writing->report->commits[commit];
    char date[LAYOUT_DATE_SIZE];

    layout_field(writing->out, label, it->id);
    if (it->subject)
        layout_fieldf(writing->out, "", "(\"%s\")", it->subject);
    if (it->author)
        layout_fieldf(writing->out, "", "%s, %s", it->author, layout_date(it->author_time, date));
}

/* The ends of the range as they were asked for and as they were tested. */
static void write_range(const struct writing *writing)
{
    const struct report *report = writing->report;
    const struct job_source *source = &report->job->source;

    layout_field(writing->out, "repository:", source->repository);
    if (report->job->kind == JOB_RUN || report->commit_count < 2)
        return;
    layout_fieldf(writing->out, "good:", "%s = %.12s", source->good ? source->good : "?",
                  report->good_asked ? report->good_asked : report->commits[0].id);
    if (report->good_asked)
        layout_fieldf(writing->out, "", "not an ancestor of bad: their merge base %.12s was tested",
                      report->commits[0].id);
    layout_fieldf(writing->out, "bad:", "%s = %.12s", source->bad ? source->bad : "?",
                  report->commits[report->commit_count - 1].id);
}

static void write_wrapped(const struct writing *writing, struct buffer *text)
{
    layout_wrap(writing->out, "", "", text->data ? text->data : "");
}

static void write_opening(const struct writing *writing)
{
    const struct report *report = writing->report;
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(SENTENCES_MAXIMUM);

    switch (writing->kind) {
    case HEADLINE_CULPRIT:
        buffer_puts(&text, "culprit found the commit behind this: ");
        headline_write(&text, report, writing->figures);
        buffer_puts(&text, ".");
        write_wrapped(writing, &text);
        buffer_puts(writing->out, "\n");
        write_commit_field(writing, "commit:", report->culprit);
        if (report->parent < report->commit_count)
            write_commit_field(writing, "parent:", report->parent);
        break;
    case HEADLINE_MEASURED:
        buffer_puts(&text, "culprit measured one kernel: ");
        headline_write(&text, report, writing->figures);
        buffer_puts(&text, ".");
        write_wrapped(writing, &text);
        buffer_puts(writing->out, "\n");
        if (report->commit_count > 0)
            write_commit_field(writing, "commit:", 0);
        break;
    default:
        buffer_printf(&text, "culprit, job %lld: ", (long long)report->job_id);
        headline_write(&text, report, writing->figures);
        buffer_puts(&text, ".");
        write_wrapped(writing, &text);
        buffer_puts(writing->out, "\n");
        break;
    }
    write_range(writing);
}

static void write_reason(const struct writing *writing)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(SENTENCES_MAXIMUM);

    headline_reason(&text, writing->report);
    if (text.length == 0)
        return;
    buffer_puts(writing->out, "\n");
    write_wrapped(writing, &text);
}

static void write_check(const struct writing *writing, const char *label,
                        const struct bisect_check *check, const char *worse, const char *base)
{
    char medians[2][FIGURE_TEXT_SIZE], p[FIGURE_TEXT_SIZE], level[FIGURE_TEXT_SIZE];
    char unit[FIGURE_TEXT_SIZE];

    if (failures_are_asked(writing->report)) {
        layout_fieldf(writing->out, label,
                      "%s worse than %s: %u of %u trials failed against %u of %u, one-sided exact "
                      "Fisher p = %s (asked for: at most %s)%s",
                      worse, base, check->worse_failed, check->worse_count, check->base_failed,
                      check->base_count, figure_p(check->p, p), figure_p(check->level, level),
                      check->passed ? "" : ", not passed");
        return;
    }
    layout_fieldf(writing->out, label,
                  "%s worse than %s: medians %s and %s%s over %u and %u trials, one-sided exact "
                  "Mann-Whitney p = %s (asked for: at most %s)%s",
                  worse, base, figure_number(check->worse_median, medians[0]),
                  figure_number(check->base_median, medians[1]),
                  figures_asked_unit(writing->report, unit), check->worse_count, check->base_count,
                  figure_p(check->p, p), figure_p(check->level, level),
                  check->passed ? "" : ", not passed");
}

static void write_posterior(const struct writing *writing)
{
    double posterior = writing->report->posterior;

    if (!isfinite(posterior) || !(posterior > 0))
        return;
    layout_fieldf(writing->out, "posterior:", "%s%.4f that %s", posterior > 0.9999 ? ">" : "",
                  fmin(posterior, 0.9999),
                  writing->kind == HEADLINE_CULPRIT
                      ? "this commit alone brought the change, given the trials of the search; "
                        "those of the verification took no part"
                      : "the change lies in the suspects below, given the trials of the search");
}

static void write_confirmations(const struct writing *writing)
{
    const struct report *report = writing->report;

    for (size_t i = 0; i < report->confirmation_count; i++) {
        _cleanup_buffer_ struct buffer text = BUFFER_INIT(SENTENCES_MAXIMUM);

        confirmation_write(&text, report, &report->confirmations[i]);
        layout_field(writing->out, i == 0 ? "confirmation:" : "", text.data ? text.data : "");
    }
}

static void write_certainty(const struct writing *writing)
{
    const struct report *report = writing->report;
    char threshold[FIGURE_TEXT_SIZE], unit[FIGURE_TEXT_SIZE];

    if (report->endpoint.worse_count == 0)
        return;
    layout_heading(writing->out, "How sure this is");
    write_posterior(writing);
    write_check(writing, "endpoints:", &report->endpoint, "bad", "good");
    for (size_t i = 0; i < report->check_count; i++) {
        const struct bisect_check *check = &report->checks[i];
        char base[16] = "?";

        if (check->base < report->commit_count)
            snprintf(base, sizeof base, "%.12s", report->commits[check->base].id);
        write_check(writing, i == 0 ? "verification:" : "", check, "on fresh seeds: the commit",
                    base);
    }
    write_confirmations(writing);
    if (isfinite(report->threshold) && !failures_are_asked(report))
        layout_fieldf(writing->out, "good or bad:",
                      "by the posterior, not by a vote; a single trial is as likely from either "
                      "side at %s%s",
                      figure_number(report->threshold, threshold),
                      figures_asked_unit(report, unit));
    if (report->more_changes)
        layout_field(writing->out, "but:",
                     "this commit does not explain the whole difference between good and bad; "
                     "there is at least one more change in the range");
}

static void write_table(const struct writing *writing)
{
    bool compared = false, single = false;

    for (size_t i = 0; i < writing->figures->count; i++) {
        compared = compared || writing->figures->items[i].compared;
        single = single || writing->figures->items[i].present[0];
    }
    if (writing->report->job->kind == JOB_RUN && single) {
        layout_heading(writing->out, "Results");
        table_single(writing->out, writing->figures);
    } else if (compared) {
        layout_heading(writing->out,
                       writing->kind == HEADLINE_CULPRIT
                           ? "Parent against culprit, on the trials of the verification"
                           : "Good against bad");
        table_compare(writing->out, writing->report, writing->figures);
    }
}

/* A commit's trials that went well, and their median. */
static size_t commit_median(const struct report *report, unsigned commit, double *ret)
{
    double *values = calloc(report->trial_count + 1, sizeof *values);
    size_t count = 0;

    for (size_t i = 0; values && i < report->trial_count; i++)
        if (isfinite(report->trials[i].value) &&
            !trial_purpose_confirms(report->trials[i].purpose) &&
            strcmp(report->trials[i].commit, report->commits[commit].id) == 0)
            values[count++] = report->trials[i].value;
    if (count > 0 && samples_median(values, count, ret, NULL) < 0)
        count = 0;
    free(values);
    return count;
}

static void write_commit_line(const struct writing *writing, unsigned commit)
{
    const struct report_commit *it = &writing->report->commits[commit];
    char median[FIGURE_TEXT_SIZE], measured[2 * FIGURE_TEXT_SIZE] = "";
    char unit[FIGURE_TEXT_SIZE];
    double value = 0;
    size_t failed, count = commit_median(writing->report, commit, &value);

    if (failures_are_asked(writing->report)) {
        count = failures_count(writing->report, commit, &failed);
        if (count > 0)
            snprintf(measured, sizeof measured, "%7zu of %zu failed", failed, count);
    } else if (count > 0) {
        snprintf(measured, sizeof measured, "%9.9s%.8s n=%zu", figure_number(value, median),
                 figures_asked_unit(writing->report, unit), count);
    }
    if (count == 0 && it->inferred && it->same_image)
        snprintf(measured, sizeof measured, "image of %.12s", it->same_image);
    else if (count == 0 && it->inferred)
        snprintf(measured, sizeof measured, "same image");
    buffer_printf(writing->out, "  %-8s %.12s  %-21s  ", headline_label(it->label), it->id,
                  measured);
    layout_clean(writing->out, it->subject ? it->subject : "");
    buffer_puts(writing->out, "\n");
    if (it->label == LABEL_SKIP && it->reason)
        layout_wrap(writing->out, "           ", "           ", it->reason);
}

/* A line of the console of the culprit, or of bad; or how its workload failed. */
static void write_evidence(const struct writing *writing)
{
    const struct report *report = writing->report;
    const struct report_trial *trial = NULL;

    if (failures_are_asked(report))
        trial = failures_example(report, report->culprit);
    if (!trial)
        return;
    layout_heading(writing->out, "What was seen");
    buffer_printf(writing->out, "  trial %u of %.12s%s\n\n    ", trial->number, trial->commit,
                  report->job->criterion.kind == CRITERION_CONSOLE ? ", on its console" : "");
    layout_clean(writing->out, trial->evidence);
    buffer_puts(writing->out, "\n");
}

static void write_pruning(const struct writing *writing)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(SENTENCES_MAXIMUM);

    pruning_write(&text, writing->report);
    if (text.length > 0)
        layout_wrap(writing->out, "  ", "  ", text.data);
}

/* Commits with a label or trials, oldest first. */
static void write_tested(const struct writing *writing)
{
    const struct report *report = writing->report;
    unsigned labelled = 0, skipped = 0, inferred = 0;

    for (size_t c = 0; c < report->commit_count; c++) {
        labelled += report->commits[c].label != LABEL_UNTESTED || report->commits[c].tested;
        skipped += report->commits[c].label == LABEL_SKIP;
        inferred += report->commits[c].inferred;
    }
    if (report->job->kind == JOB_RUN || labelled == 0)
        return;
    layout_heading(writing->out, "The way there");
    buffer_printf(writing->out,
                  "  %zu commits after good, %u tested, %u known by an equal image, %u skipped\n",
                  report->commit_count - 1, labelled - skipped - inferred, inferred, skipped);
    write_pruning(writing);
    buffer_puts(writing->out, "\n");
    for (unsigned c = 0; c < report->commit_count; c++)
        if (report->commits[c].label != LABEL_UNTESTED || report->commits[c].tested)
            write_commit_line(writing, c);
}

static void write_suspects(const struct writing *writing)
{
    const struct report *report = writing->report;

    if (writing->kind != HEADLINE_INCONCLUSIVE || report->suspect_count == 0)
        return;
    layout_heading(writing->out, report->suspect_count == 1 ? "The suspect" : "The suspects");
    for (size_t i = 0; i < report->suspect_count && i < LIST_MAXIMUM; i++) {
        _cleanup_buffer_ struct buffer text = BUFFER_INIT(SENTENCES_MAXIMUM);

        headline_commit(&text, report, report->suspects[i]);
        layout_wrap(writing->out, "  ", "      ", text.data ? text.data : "");
    }
    if (report->suspect_count > LIST_MAXIMUM)
        buffer_printf(writing->out, "  (and %zu more)\n", report->suspect_count - LIST_MAXIMUM);
}

static void write_cost(const struct writing *writing)
{
    const struct report *report = writing->report;
    char wall[UNITS_TEXT_SIZE], builds[UNITS_TEXT_SIZE], trials[UNITS_TEXT_SIZE];
    size_t failed = 0;

    for (size_t i = 0; i < report->trial_count; i++)
        failed += report->trials[i].outcome != OUTCOME_OK && !report->trials[i].observed;
    layout_heading(writing->out, "What it took");
    layout_fieldf(writing->out, "builds:", "%u fresh (%s), %u reused, %u failed",
                  report->builds_fresh, format_duration_short(report->build_ns, builds),
                  report->builds_reused, report->builds_failed);
    layout_fieldf(writing->out, "trials:", "%zu (%s of guest runs), %zu of them without a result",
                  report->trial_count, format_duration_short(report->trial_ns, trials), failed);
    if (report->wall_ns > 0)
        layout_field(writing->out, "wall time:", format_duration_short(report->wall_ns, wall));
}

static void write_indented(const struct writing *writing, const char *text)
{
    while (text && *text) {
        size_t length = strcspn(text, "\n");
        _cleanup_buffer_ struct buffer line = BUFFER_INIT(SENTENCES_MAXIMUM);

        buffer_append(&line, text, length);
        buffer_puts(writing->out, length > 0 ? "    " : "");
        layout_clean(writing->out, line.data ? line.data : "");
        buffer_puts(writing->out, "\n");
        text += length + (text[length] == '\n');
    }
}

static void write_culprit_message(const struct writing *writing)
{
    const struct report *report = writing->report;
    _cleanup_buffer_ struct buffer fixes = BUFFER_INIT(SENTENCES_MAXIMUM);

    if (writing->kind != HEADLINE_CULPRIT)
        return;
    if (report->culprit_message) {
        layout_heading(writing->out, "The commit");
        write_indented(writing, report->culprit_message);
    }
    if (report->culprit_diffstat) {
        buffer_puts(writing->out, "\n");
        write_indented(writing, report->culprit_diffstat);
    }
    headline_commit(&fixes, report, report->culprit);
    buffer_printf(writing->out, "\nA fix in a commit of its own would carry\n\n    Fixes: %s\n",
                  fixes.data ? fixes.data : "");
}

static void write_repeat(const struct writing *writing)
{
    if (!writing->report->repeat_command || !*writing->report->repeat_command)
        return;
    layout_heading(writing->out, "To repeat it");
    buffer_puts(writing->out, "    ");
    layout_clean(writing->out, writing->report->repeat_command);
    buffer_puts(writing->out, "\n");
}

static void write_limits(const struct writing *writing)
{
    const char *engine = writing->report->engine;

    if (!engine || !writing->report->trial_count)
        return;
    layout_heading(writing->out, "What these figures are");
    if (strcmp(engine, engine_name(ENGINE_DETERMINISTIC)) == 0)
        layout_wrap(writing->out, "  ", "  ",
                    "The deterministic engine counts instructions and derives time from them. The "
                    "same trial gives the same figures however busy the host is; seeds give the "
                    "spread. It sees wakeup latency, run-queue wait, context switches, migrations, "
                    "what the load balancer did, and fairness. It has no cache model, and an idle "
                    "CPU lends its time to the others, so it says nothing of aggregate throughput "
                    "or of cache effects, and absolute values are those of a slow machine: "
                    "directions and ratios are what to look at.");
    else
        layout_wrap(writing->out, "  ", "  ",
                    "The realtime engine runs guests under KVM on pinned host CPUs with nothing "
                    "beside them. Figures hold for that host; another CPU model, or another "
                    "alignment of the code, can shift them.");
}

static void write_signature(const struct writing *writing)
{
    const struct report *report = writing->report;
    char when[LAYOUT_DATE_SIZE];

    buffer_puts(writing->out, "\n-- \n");
    buffer_printf(writing->out, "culprit%s%s, job %lld (", report->host ? " at " : "",
                  report->host ? report->host : "", (long long)report->job_id);
    layout_clean(writing->out, report->job->name);
    buffer_puts(writing->out, ")");
    if (report->finished_ns > 0)
        buffer_printf(writing->out, ", %s", layout_time(report->finished_ns / 1000000000, when));
    buffer_puts(writing->out, "\n");
}

int report_text(const struct report *report, struct buffer *ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(figures_clear) struct figures figures = {0};
    struct writing writing = {
        .out = ret,
        .report = report,
        .figures = &figures,
        .kind = headline_kind(report),
    };
    int r = figures_compute(report, &figures, error);

    if (r < 0)
        return r;
    write_opening(&writing);
    write_reason(&writing);
    write_certainty(&writing);
    layout_heading(ret, "What was run");
    setup_write(ret, report);
    write_evidence(&writing);
    write_table(&writing);
    write_suspects(&writing);
    write_tested(&writing);
    write_culprit_message(&writing);
    write_repeat(&writing);
    write_cost(&writing);
    write_limits(&writing);
    write_signature(&writing);
    return buffer_status(ret, "the report", error);
}
