/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/conclusion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "sched/confirming.h"
#include "stats/summary.h"

/* Subjects stand in the place of numbers. */
enum { REASON_MAXIMUM = 64 * 1024 };

/* JSON has no NaN: null stands for it. */
static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static double number_value(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static const char *commit_id(const struct dossier *dossier, unsigned commit)
{
    return dossier->commits.items[commit].id;
}

static json_t *check_json(const struct dossier *dossier, const struct bisect_check *check)
{
    if (!check->worse_count)
        return json_null();
    return json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:b}", "worse",
                     commit_id(dossier, check->worse), "base", commit_id(dossier, check->base),
                     "worse_count", (json_int_t)check->worse_count, "base_count",
                     (json_int_t)check->base_count, "worse_failed", (json_int_t)check->worse_failed,
                     "base_failed", (json_int_t)check->base_failed, "worse_median",
                     number(check->worse_median), "base_median", number(check->base_median), "p",
                     number(check->p), "level", number(check->level), "passed", check->passed);
}

static json_t *checks_json(const struct dossier *dossier, const struct bisect_step *step)
{
    json_t *array = json_array();

    for (size_t i = 0; array && i < step->check_count; i++)
        json_array_append_new(array, check_json(dossier, &step->checks[i]));
    return array;
}

static json_t *confirmations_json(const struct dossier *dossier, const struct decision *decision)
{
    json_t *array = json_array();

    for (size_t i = 0; array && i < decision->confirmations.count; i++) {
        const struct confirmation *it = &decision->confirmations.items[i];
        const char *message = it->outcome == CONFIRMATION_IMPOSSIBLE
                                  ? confirming_trouble(dossier, it)
                                  : "";
        json_array_append_new(
            array, json_pack("{s:s, s:s, s:o, s:s}", "kind", confirmation_kind_name(it->kind),
                             "outcome", confirmation_outcome_name(it->outcome), "check",
                             check_json(dossier, &it->check), "message", message));
    }
    return array;
}

static json_t *suspects_json(const struct dossier *dossier, const struct bisect_step *step)
{
    json_t *array = json_array();

    for (size_t i = 0; array && i < step->suspect_count; i++)
        json_array_append_new(array, json_string(commit_id(dossier, step->suspects[i])));
    return array;
}

static json_t *culprit_json(const struct dossier *dossier, const struct bisect_step *step,
                            const struct conclusion_commit *commit)
{
    if (step->verdict != VERDICT_CULPRIT)
        return json_null();
    const struct stored_commit *culprit = &dossier->commits.items[step->culprit];
    return json_pack("{s:s, s:s, s:s, s:s?, s:s?}", "id", culprit->id, "subject", culprit->subject,
                     "author", culprit->author, "message", commit->message, "diffstat",
                     commit->diffstat);
}

char *conclusion_reason(const struct dossier *dossier, const char *reason)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(REASON_MAXIMUM);
    unsigned commit = 0;
    size_t length = 0;
    const char *at = reason, *found;

    while ((found = bisect_reason_commit(at, &commit, &length))) {
        buffer_append(&text, at, (size_t)(found - at));
        if (commit < dossier->commits.count)
            buffer_printf(&text, "%.12s (\"%s\")", dossier->commits.items[commit].id,
                          dossier->commits.items[commit].subject);
        else
            buffer_append(&text, found, length);
        at = found + length;
    }
    buffer_puts(&text, at);
    return buffer_take(&text);
}

static json_t *bisect_json(const struct dossier *dossier, const struct decision *decision,
                           const struct conclusion_commit *commit, const char *repeat)
{
    const struct bisect_step *step = &decision->step;
    _cleanup_free_ char *reason = conclusion_reason(dossier, step->reason);
    if (!reason)
        return NULL;
    return json_pack("{s:i, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:s}", "verdict_kind",
                     (int)step->verdict, "reason", reason, "reason_numbered", step->reason,
                     "posterior", number(step->posterior), "threshold", number(step->threshold),
                     "culprit", culprit_json(dossier, step, commit), "suspects",
                     suspects_json(dossier, step), "endpoint", check_json(dossier, &step->endpoint),
                     "checks", checks_json(dossier, step), "confirmations",
                     confirmations_json(dossier, decision), "more_changes", step->more_changes,
                     "repeat", repeat);
}

/* One metric of a run over its trials; NULL when it cannot be summarised. */
static json_t *metric_json(const struct dossier *dossier, const struct stored_sample *like)
{
    struct sample_summary summary;
    double *values = calloc(dossier->trials.count + 1, sizeof *values);
    size_t count = 0;

    if (!values)
        return NULL;
    for (size_t i = 0; i < dossier->trials.count; i++)
        count += dossier->trials.items[i].outcome == OUTCOME_OK &&
                 dossier_metric(dossier, i, like->name, &values[count]);
    int status = samples_summarise(values, count, &summary, NULL);
    free(values);
    if (status < 0)
        return NULL;
    return json_pack("{s:s, s:s, s:s, s:b, s:I, s:f, s:f, s:f, s:f}", "name", like->name, "unit",
                     like->unit, "better", like->better, "counter", like->counter, "n",
                     (json_int_t)count, "median", summary.median, "min", summary.minimum, "max",
                     summary.maximum, "mad", summary.mad);
}

static bool has_metric(const json_t *array, const char *name)
{
    const json_t *metric;
    size_t i;

    json_array_foreach (array, i, metric) {
        if (strcmp(json_string_value(json_object_get(metric, "name")), name) == 0)
            return true;
    }
    return false;
}

/* Whatever any trial gave: a metric that some lack has a smaller n. */
static json_t *metrics_json(const struct dossier *dossier)
{
    json_t *array = json_array();

    for (size_t trial = 0; array && trial < dossier->trials.count; trial++) {
        if (dossier->trials.items[trial].outcome != OUTCOME_OK)
            continue;
        for (size_t i = dossier->first_sample[trial]; i < dossier->first_sample[trial + 1]; i++) {
            const struct stored_sample *sample = &dossier->samples.items[i];
            json_t *metric = has_metric(array, sample->name) ? NULL : metric_json(dossier, sample);

            if (metric)
                json_array_append_new(array, metric);
        }
    }
    return array;
}

json_t *conclusion_json(const struct dossier *dossier, const struct decision *decision,
                        const struct conclusion_commit *commit)
{
    _cleanup_free_ char *repeat = conclusion_repeat(dossier, &decision->step);
    if (!repeat)
        return NULL;
    if (dossier->job->kind == JOB_BISECT)
        return bisect_json(dossier, decision, commit, repeat);
    return json_pack("{s:s, s:o, s:s}", "reason", decision->step.reason, "metrics",
                     metrics_json(dossier), "repeat", repeat);
}

static bool commit_number(const struct dossier *dossier, const json_t *id, unsigned *ret)
{
    for (size_t i = 0; json_is_string(id) && i < dossier->commits.count; i++) {
        if (strcmp(dossier->commits.items[i].id, json_string_value(id)) == 0) {
            *ret = (unsigned)i;
            return true;
        }
    }
    return false;
}

static bool read_check(const struct dossier *dossier, const json_t *json, struct bisect_check *ret)
{
    if (json_is_null(json))
        return true;
    ret->worse_count = (unsigned)json_integer_value(json_object_get(json, "worse_count"));
    ret->base_count = (unsigned)json_integer_value(json_object_get(json, "base_count"));
    ret->worse_failed = (unsigned)json_integer_value(json_object_get(json, "worse_failed"));
    ret->base_failed = (unsigned)json_integer_value(json_object_get(json, "base_failed"));
    ret->worse_median = number_value(json_object_get(json, "worse_median"));
    ret->base_median = number_value(json_object_get(json, "base_median"));
    ret->p = number_value(json_object_get(json, "p"));
    ret->level = number_value(json_object_get(json, "level"));
    ret->passed = json_is_true(json_object_get(json, "passed"));
    return commit_number(dossier, json_object_get(json, "worse"), &ret->worse) &&
           commit_number(dossier, json_object_get(json, "base"), &ret->base);
}

static bool read_checks(const struct dossier *dossier, const json_t *array,
                        struct bisect_step *step)
{
    size_t count = json_array_size(array);

    for (size_t i = 0; i < count && i < BISECT_MAX_CHECKS; i++) {
        if (!read_check(dossier, json_array_get(array, i), &step->checks[step->check_count++]))
            return false;
    }
    return true;
}

static int by_name(const json_t *json, const char *key, const char *(*name)(unsigned), int count)
{
    const char *word = json_string_value(json_object_get(json, key));

    for (int i = 0; word && i < count; i++)
        if (strcmp(word, name((unsigned)i)) == 0)
            return i;
    return -1;
}

static const char *kind_name(unsigned kind)
{
    return confirmation_kind_name((enum confirmation_kind)kind);
}

static const char *outcome_word(unsigned outcome)
{
    return confirmation_outcome_name((enum confirmation_outcome)outcome);
}

size_t conclusion_confirmations(const struct dossier *dossier, const json_t *result,
                                struct conclusion_confirmation ret[CONFIRMATIONS_MAXIMUM])
{
    const json_t *array = json_object_get(result, "confirmations");
    size_t count = 0;

    for (size_t i = 0; i < json_array_size(array) && count < CONFIRMATIONS_MAXIMUM; i++) {
        const json_t *json = json_array_get(array, i);
        struct confirmation read = {0};
        int kind = by_name(json, "kind", kind_name, CONFIRM_COUNT);
        int outcome = by_name(json, "outcome", outcome_word, CONFIRMATION_OUTCOME_COUNT);

        if (kind < 0 || outcome < 0 ||
            !read_check(dossier, json_object_get(json, "check"), &read.check))
            continue; /* a later version's */
        read.kind = (enum confirmation_kind)kind;
        read.outcome = (enum confirmation_outcome)outcome;
        ret[count++] = (struct conclusion_confirmation){
            read, json_string_value(json_object_get(json, "message"))};
    }
    return count;
}

static bool read_suspects(const struct dossier *dossier, const json_t *array,
                          struct bisect_step *step)
{
    size_t count = json_array_size(array);

    step->suspects = calloc(count + 1, sizeof *step->suspects);
    for (size_t i = 0; step->suspects && i < count; i++) {
        if (!commit_number(dossier, json_array_get(array, i),
                           &step->suspects[step->suspect_count++]))
            return false;
    }
    return step->suspects != NULL;
}

static bool read_step(const struct dossier *dossier, const json_t *result, struct bisect_step *step)
{
    const json_t *culprit = json_object_get(result, "culprit");
    const char *reason = json_string_value(json_object_get(result, "reason_numbered"));

    step->verdict = (enum bisect_verdict_kind)json_integer_value(
        json_object_get(result, "verdict_kind"));
    step->posterior = number_value(json_object_get(result, "posterior"));
    step->threshold = number_value(json_object_get(result, "threshold"));
    step->more_changes = json_is_true(json_object_get(result, "more_changes"));
    snprintf(step->reason, sizeof step->reason, "%s", reason ? reason : "");
    if (json_is_object(culprit) &&
        !commit_number(dossier, json_object_get(culprit, "id"), &step->culprit))
        return false;
    return read_suspects(dossier, json_object_get(result, "suspects"), step) &&
           read_checks(dossier, json_object_get(result, "checks"), step) &&
           read_check(dossier, json_object_get(result, "endpoint"), &step->endpoint);
}

int conclusion_step(const struct dossier *dossier, const json_t *result, struct bisect_step *ret,
                    struct culprit_error *error)
{
    struct bisect_step step = {0};

    if (!read_step(dossier, result, &step)) {
        bisect_step_clear(&step);
        return culprit_fail(error, CULPRIT_INTERNAL, "the store's result of job %lld is damaged",
                            (long long)dossier->record.id);
    }
    *ret = step;
    return 0;
}
