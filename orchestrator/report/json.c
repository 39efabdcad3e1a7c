/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report as one JSON object; what is not known is null, and no number is ever NaN. */
#include <math.h>
#include <string.h>

#include "report/confirmation.h"
#include "report/failures.h"
#include "report/figures.h"
#include "report/headline.h"
#include "report/layout.h"
#include "report/pruning.h"

enum { TEXT_MAXIMUM = 1024 * 1024 };

static json_t *real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* JSON strings must be UTF-8, whatever a commit message is; line ends stay. */
static json_t *text(const char *value)
{
    json_t *plain = value ? json_string(value) : json_null();
    _cleanup_buffer_ struct buffer clean = BUFFER_INIT(TEXT_MAXIMUM);

    if (plain || !value)
        return plain;
    while (*value) {
        _cleanup_buffer_ struct buffer line = BUFFER_INIT(TEXT_MAXIMUM);
        size_t length = strcspn(value, "\n");

        buffer_append(&line, value, length);
        layout_clean(&clean, line.data ? line.data : "");
        value += length;
        if (*value) {
            buffer_puts(&clean, "\n");
            value++;
        }
    }
    return json_string(clean.data ? clean.data : "");
}

static const char *commit_id(const struct report *report, unsigned commit)
{
    return commit < report->commit_count ? report->commits[commit].id : NULL;
}

static json_t *commit_json(const struct report *report, unsigned commit)
{
    const struct report_commit *it;

    if (commit >= report->commit_count)
        return json_null();
    it = &report->commits[commit];
    return json_pack("{s:s, s:o, s:o, s:I, s:s, s:b, s:s?, s:b, s:o, s:s?}", "id", it->id,
                     "subject", text(it->subject), "author", text(it->author), "author_time",
                     (json_int_t)it->author_time, "label", headline_label(it->label), "inferred",
                     it->inferred, "same_image", it->same_image, "tested", it->tested, "reason",
                     text(it->reason), "pruned",
                     it->relevance == RELEVANCE_MATTERS ? NULL : relevance_name(it->relevance));
}

static json_t *commits_json(const struct report *report)
{
    json_t *array = json_array();

    for (unsigned c = 0; c < report->commit_count; c++)
        json_array_append_new(array, commit_json(report, c));
    return array;
}

static json_t *check_json(const struct report *report, const struct bisect_check *check)
{
    if (check->worse_count == 0)
        return json_null();
    bool events = failures_are_asked(report);
    return json_pack("{s:o, s:o, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "worse",
                     text(commit_id(report, check->worse)), "base",
                     text(commit_id(report, check->base)), "worse_count", (int)check->worse_count,
                     "base_count", (int)check->base_count, "worse_failed",
                     events ? json_integer(check->worse_failed) : json_null(), "base_failed",
                     events ? json_integer(check->base_failed) : json_null(), "worse_median",
                     real(check->worse_median), "base_median", real(check->base_median), "p",
                     real(check->p), "level", real(check->level), "passed", check->passed);
}

static json_t *checks_json(const struct report *report)
{
    json_t *array = json_array();

    for (size_t i = 0; i < report->check_count; i++)
        json_array_append_new(array, check_json(report, &report->checks[i]));
    return array;
}

static json_t *confirmations_json(const struct report *report)
{
    json_t *array = json_array();

    for (size_t i = 0; i < report->confirmation_count; i++) {
        const struct report_confirmation *it = &report->confirmations[i];
        _cleanup_buffer_ struct buffer sentence = BUFFER_INIT(TEXT_MAXIMUM);

        confirmation_write(&sentence, report, it);
        json_array_append_new(
            array,
            json_pack("{s:s, s:s, s:o, s:o, s:o}", "kind", confirmation_kind_name(it->kind),
                      "outcome", confirmation_outcome_name(it->outcome), "shift",
                      it->kind == CONFIRM_SHIFT ? json_integer(report->second_shift) : json_null(),
                      "check", check_json(report, &it->check), "text",
                      text(sentence.data ? sentence.data : "")));
    }
    return array;
}

static json_t *suspects_json(const struct report *report)
{
    json_t *array = json_array();

    for (size_t i = 0; i < report->suspect_count; i++)
        json_array_append_new(array, text(commit_id(report, report->suspects[i])));
    return array;
}

static json_t *side_json(const struct figure *figure, int side)
{
    const struct report_samples *samples = &figure->row->sides[side];
    json_t *values, *object;

    if (!figure->present[side])
        return json_null();
    values = json_array();
    for (size_t i = 0; i < samples->count; i++)
        json_array_append_new(values, real(samples->values[i]));
    object = comparison_side_json(&figure->sides[side]);
    json_object_set_new(object, "values", values);
    return object;
}

static json_t *rows_json(const struct figures *figures)
{
    static const char *const directions[] = {
        [BETTER_LOWER] = "lower", [BETTER_HIGHER] = "higher", [BETTER_NEITHER] = "neither"};
    json_t *array = json_array();

    for (size_t i = 0; i < figures->count; i++) {
        const struct figure *figure = &figures->items[i];
        json_array_append_new(
            array,
            json_pack("{s:o, s:o, s:s, s:b, s:[o, o], s:o}", "metric", text(figure->row->metric),
                      "unit", text(figure->row->unit), "better", directions[figure->row->better],
                      "counter", figure->row->counter, "sides", side_json(figure, 0),
                      side_json(figure, 1), "comparison",
                      figure->compared ? comparison_json(&figure->comparison) : json_null()));
    }
    return array;
}

static json_t *trials_json(const struct report *report)
{
    json_t *array = json_array();

    for (size_t i = 0; i < report->trial_count; i++) {
        const struct report_trial *trial = &report->trials[i];
        json_array_append_new(
            array,
            json_pack("{s:i, s:s, s:s, s:I, s:s, s:o, s:o, s:o, s:o, s:o}", "number",
                      (int)trial->number, "commit", trial->commit, "purpose",
                      trial_purpose_name(trial->purpose), "seed", (json_int_t)trial->seed,
                      "outcome", outcome_name(trial->outcome), "message", text(trial->message),
                      "value", real(trial->value), "failed",
                      trial->observed ? json_boolean(trial->failed) : json_null(), "evidence",
                      text(trial->failed ? trial->evidence : NULL), "digest", text(trial->digest)));
    }
    return array;
}

static json_t *environment_json(const struct report *report)
{
    return json_pack("{s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:O}", "engine", text(report->engine),
                     "shift", (int)report->shift, "qemu", text(report->qemu_version), "compiler",
                     text(report->compiler), "kernel_release", text(report->kernel_release),
                     "kernel_config", text(report->kernel_config_digest), "guest_image",
                     text(report->image_digest), "topology_seen",
                     report->topology_seen ? report->topology_seen : json_null());
}

static json_t *cost_json(const struct report *report)
{
    return json_pack(
        "{s:i, s:i, s:i, s:I, s:I, s:I, s:I}", "builds_fresh", (int)report->builds_fresh,
        "builds_reused", (int)report->builds_reused, "builds_failed", (int)report->builds_failed,
        "trials", (json_int_t)report->trial_count, "wall_ns", (json_int_t)report->wall_ns,
        "build_ns", (json_int_t)report->build_ns, "trial_ns", (json_int_t)report->trial_ns);
}

static json_t *verdict_json(const struct report *report, const struct figures *figures)
{
    bool culprit = headline_kind(report) == HEADLINE_CULPRIT;
    _cleanup_buffer_ struct buffer headline = BUFFER_INIT(TEXT_MAXIMUM);
    _cleanup_buffer_ struct buffer reason = BUFFER_INIT(TEXT_MAXIMUM);

    headline_write(&headline, report, figures);
    headline_reason(&reason, report);
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o}", "verdict",
        headline_verdict(report->verdict), "headline", text(headline.data ? headline.data : ""),
        "reason", text(reason.data ? reason.data : ""), "posterior",
        report->posterior > 0 ? real(report->posterior) : json_null(), "threshold",
        real(report->threshold), "culprit",
        culprit ? commit_json(report, report->culprit) : json_null(), "parent",
        culprit ? commit_json(report, report->parent) : json_null(), "suspects",
        suspects_json(report), "endpoints", check_json(report, &report->endpoint), "verification",
        checks_json(report), "confirmations", confirmations_json(report), "more_changes",
        report->more_changes, "culprit_message", text(report->culprit_message), "culprit_diffstat",
        text(report->culprit_diffstat));
}

json_t *report_json(const struct report *report)
{
    CULPRIT_CLEANUP(figures_clear) struct figures figures = {0};
    json_t *json, *verdict;

    if (figures_compute(report, &figures, NULL) < 0)
        return NULL;
    json = json_pack("{s:I, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I}",
                     "job", (json_int_t)report->job_id, "name", text(report->job->name), "document",
                     job_json(report->job), "host", text(report->host), "state", report->state,
                     "rows", rows_json(&figures), "commits", commits_json(report), "pruning",
                     pruning_json(report), "trials", trials_json(report), "environment",
                     environment_json(report), "cost", cost_json(report), "repeat",
                     text(report->repeat_command), "created_ns", (json_int_t)report->created_ns,
                     "finished_ns", (json_int_t)report->finished_ns);
    if (json)
        json_object_set_new(json, "calibration",
                            report->calibration ? calibration_summary_json(report->calibration)
                                                : json_null());
    verdict = verdict_json(report, &figures);
    if (!json || !verdict || json_object_update(json, verdict) < 0) {
        json_decref(json);
        json = NULL;
    }
    json_decref(verdict);
    return json;
}
