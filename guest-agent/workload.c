/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/text.h"
#include "workloads/workloads.h"

static const struct workload *const workloads[] = {
    &exec_workload,
    &wakeup_workload,
};

const struct workload *workload_find(const struct workload_schema *schema)
{
    for (size_t i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++)
        if (workloads[i]->schema == schema)
            return workloads[i];
    return NULL;
}

uint64_t workload_number(const struct workload_context *context, size_t option)
{
    return plan_option_count(&context->plan->options[option], context->cpus);
}

const char *workload_text(const struct workload_context *context, size_t option)
{
    return context->plan->options[option].text;
}

void workload_sample(struct workload_context *context, const char *name, double value)
{
    const struct metric_schema *metric = workload_metric_find(context->plan->schema, name);
    struct workload_sample sample = {.value = value};

    if (!metric) {
        workload_fail(context, "the workload has no metric %s", name);
        return;
    }
    text_print(sample.name, sizeof(sample.name), "%s", name);
    text_print(sample.unit, sizeof(sample.unit), "%s", metric->unit);
    sample.better = metric->better;
    workload_add_sample(context, &sample);
}

bool workload_add_sample(struct workload_context *context, const struct workload_sample *sample)
{
    struct workload_result *result = context->result;

    if (result->sample_count == WORKLOAD_SAMPLES)
        return false;
    result->samples[result->sample_count++] = *sample;
    return true;
}

void workload_log(struct workload_context *context, const char *text)
{
    struct workload_result *result = context->result;

    text_print(result->log[result->log_count++ % WORKLOAD_LOG_LINES], RECORD_TEXT_MAXIMUM, "%s",
               text);
}

void workload_fail(struct workload_context *context, const char *format, ...)
{
    struct workload_result *result = context->result;
    va_list arguments;

    if (result->failed)
        return;
    va_start(arguments, format);
    vsnprintf(result->failure, sizeof(result->failure), format, arguments);
    va_end(arguments);
    result->failed = true;
}
