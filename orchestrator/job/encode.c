/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A job as JSON, in the form that the decoder reads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "job/job.h"
#include "job/sections.h"

/* In full, never with an exponent, for the decoder takes none. */
const char *format_percent(double fraction, char text[PERCENT_TEXT_SIZE])
{
    for (int decimals = 0; decimals <= 20; decimals++) {
        snprintf(text, PERCENT_TEXT_SIZE - 1, "%.*f", decimals, fraction * 100.0);
        if (strtod(text, NULL) / 100.0 == fraction)
            break;
    }
    size_t length = strlen(text);
    snprintf(text + length, PERCENT_TEXT_SIZE - length, "%%");
    return text;
}

/* Sets a member that owns `value`; any failure, also of making the value, is remembered. */
static void set(json_t *object, const char *key, json_t *value, bool *failed)
{
    if (json_object_set_new(object, key, value) < 0)
        *failed = true;
}

static void set_text(json_t *object, const char *key, const char *text, bool *failed)
{
    if (text)
        set(object, key, json_string(text), failed);
}

static json_t *encode_list(const struct strv *list)
{
    json_t *array = json_array();

    for (size_t i = 0; array && i < list->count; i++) {
        if (json_array_append_new(array, json_string(list->items[i])) < 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

/* Gives the object up when anything in it failed. */
static json_t *finish(json_t *object, bool failed)
{
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *encode_source(const struct job *job)
{
    json_t *object = json_object();
    bool failed = false;

    set_text(object, "repository", job->source.repository, &failed);
    set_text(object, "commit", job->source.commit, &failed);
    set_text(object, "good", job->source.good, &failed);
    set_text(object, "bad", job->source.bad, &failed);
    if (job->kind == JOB_BISECT)
        set(object, "first_parent", json_boolean(job->source.first_parent), &failed);
    return finish(object, failed);
}

/* Whole numbers stand as such; what JSON cannot say (0x1f, y, texts) as a string. */
static json_t *encode_option_value(const char *value)
{
    uint64_t number;

    if (parse_count(value + (value[0] == '-'), 0, INT64_MAX, &number, NULL) < 0)
        return json_string(value);
    return json_integer(value[0] == '-' ? -(json_int_t)number : (json_int_t)number);
}

static json_t *encode_kernel(const struct job_kernel *kernel)
{
    json_t *object = json_object();
    json_t *options = json_object();
    bool failed = false;

    for (size_t i = 0; i < kernel->option_count; i++)
        set(options, kernel->options[i].name, encode_option_value(kernel->options[i].value),
            &failed);
    set(object, "config", encode_list(&kernel->fragments), &failed);
    set(object, "options", options, &failed);
    set_text(object, "config_file", kernel->config_file, &failed);
    set(object, "patches", encode_list(&kernel->patches), &failed);
    return finish(object, failed);
}

static json_t *encode_sysctls(const struct strv *sysctls)
{
    json_t *object = json_object();
    bool failed = false;

    for (size_t i = 0; i < sysctls->count; i++) {
        const char *space = strchr(sysctls->items[i], ' ');
        _cleanup_free_ char *key = strndup(sysctls->items[i], (size_t)(space - sysctls->items[i]));

        if (!key)
            failed = true;
        else
            set_text(object, key, space + 1, &failed);
    }
    return finish(object, failed);
}

static json_t *encode_guest(const struct job_guest *guest)
{
    json_t *object = json_object();
    char size[UNITS_TEXT_SIZE];
    bool failed = false;

    set_text(object, "topology", guest->topology, &failed);
    set_text(object, "image", guest->image, &failed);
    if (guest->memory)
        set_text(object, "memory", format_size(guest->memory, size), &failed);
    set_text(object, "engine", engine_name(guest->engine), &failed);
    if (guest->shift >= 0)
        set(object, "shift", json_integer(guest->shift), &failed);
    set(object, "cmdline", encode_list(&guest->cmdline), &failed);
    set(object, "sysctl", encode_sysctls(&guest->sysctls), &failed);
    set(object, "sched_features", encode_list(&guest->sched_features), &failed);
    return finish(object, failed);
}

static json_t *encode_workload_option(const struct workload_option *option)
{
    _cleanup_free_ char *text = workload_option_text(option);
    enum option_type type = option->schema->type;

    if (!text)
        return NULL;
    if (type == OPTION_BOOLEAN)
        return json_boolean(strcmp(text, "true") == 0);
    if (type == OPTION_COUNT || (type == OPTION_COUNT_OR_PERCENT && !strchr(text, '%')))
        return encode_option_value(text);
    return json_string(text);
}

static json_t *encode_workloads(const struct job *job)
{
    json_t *array = json_array();

    for (size_t i = 0; array && i < job->workload_count; i++) {
        const struct workload_request *workload = &job->workloads[i];
        json_t *options = json_object();
        bool failed = false;

        for (size_t o = 0; o < workload->schema->option_count; o++)
            set(options, workload->options[o].schema->name,
                encode_workload_option(&workload->options[o]), &failed);
        options = finish(options, failed);
        if (json_array_append_new(array, json_pack("{s:o}", workload->schema->name, options)) < 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *encode_metric(const struct job_metric *metric)
{
    json_t *object = json_object();
    char percent[PERCENT_TEXT_SIZE];
    bool failed = false;

    set_text(object, "name", metric->name, &failed);
    set_text(object, "better", metric->better == BETTER_LOWER ? "lower" : "higher", &failed);
    if (metric->relative)
        set_text(object, "min_effect", format_percent(metric->min_effect, percent), &failed);
    else
        set(object, "min_effect", json_real(metric->min_effect), &failed);
    return finish(object, failed);
}

static json_t *encode_criterion(const struct job_criterion *criterion)
{
    if (criterion->kind == CRITERION_CONSOLE)
        return json_pack("{s:s}", "console", criterion->console);
    return json_pack("{s:s}", "exit", "workload");
}

static json_t *encode_budget(const struct job_budget *budget)
{
    char time[UNITS_TEXT_SIZE];

    return json_pack("{s:I, s:I, s:s}", "builds", (json_int_t)budget->builds, "trials",
                     (json_int_t)budget->trials, "time", format_duration(budget->time_ns, time));
}

json_t *job_json(const struct job *job)
{
    json_t *object = json_object();
    bool failed = false;

    set(object, "version", json_integer(job->version), &failed);
    set_text(object, "name", job->name, &failed);
    set_text(object, "kind", job_kind_name(job->kind), &failed);
    set(object, "source", encode_source(job), &failed);
    set(object, "kernel", encode_kernel(&job->kernel), &failed);
    set(object, "guest", encode_guest(&job->guest), &failed);
    set(object, "workloads", encode_workloads(job), &failed);
    if (job->metric.name)
        set(object, "metric", encode_metric(&job->metric), &failed);
    if (job->criterion.kind != CRITERION_METRIC)
        set(object, "criterion", encode_criterion(&job->criterion), &failed);
    if (job->kind == JOB_BISECT)
        set(object, "confirm",
            json_pack("{s:b, s:b}", "alignment", job->confirm.alignment, "revert",
                      job->confirm.revert),
            &failed);
    set(object, "confidence", json_real(job->confidence), &failed);
    set(object, "trials", json_integer(job->trials), &failed);
    set(object, "seed", json_integer((json_int_t)job->seed), &failed);
    set(object, "budget", encode_budget(&job->budget), &failed);
    set(object, "notify", json_pack("{s:o}", "mail", encode_list(&job->mail)), &failed);
    return finish(object, failed);
}
