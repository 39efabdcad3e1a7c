/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/exec_output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

#define PREFIX      "exec."
#define METRIC_WORD "culprit-metric"

static bool copy_name(char *into, const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_.-";

    if (!*name || name[strspn(name, allowed)] != '\0' ||
        strlen(PREFIX) + strlen(name) >= WORKLOAD_NAME_SIZE)
        return false;
    text_print(into, WORKLOAD_NAME_SIZE, PREFIX "%s", name);
    return true;
}

static bool read_value(const char *text, double *ret)
{
    char *end;

    /* strtod() also takes hexadecimal, "inf" and "nan". */
    if (text[strspn(text, "0123456789+-.eE")] != '\0')
        return false;
    *ret = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*ret);
}

static bool read_direction(const char *word, enum metric_direction *ret)
{
    static const char *const words[] = {
        [BETTER_LOWER] = "lower", [BETTER_HIGHER] = "higher", [BETTER_NEITHER] = "neither"};

    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(word, words[i]) == 0) {
            *ret = (enum metric_direction)i;
            return true;
        }
    return false;
}

bool exec_output_metric(char *line, struct workload_sample *ret)
{
    char *cursor = line;
    const char *word = text_next_word(&cursor);
    const char *name = text_next_word(&cursor), *value = text_next_word(&cursor);
    const char *unit = text_next_word(&cursor), *direction = text_next_word(&cursor);

    *ret = (struct workload_sample){.better = BETTER_NEITHER};
    text_print(ret->unit, sizeof(ret->unit), "%s", unit ? unit : "count");
    return word && name && value && strcmp(word, METRIC_WORD) == 0 && copy_name(ret->name, name) &&
           read_value(value, &ret->value) && (!unit || strlen(unit) < WORKLOAD_UNIT_SIZE) &&
           (!direction || read_direction(direction, &ret->better)) && !text_next_word(&cursor);
}

static bool is_metric(const char *line)
{
    size_t length = strlen(METRIC_WORD);

    return strncmp(line, METRIC_WORD, length) == 0 &&
           (line[length] == ' ' || line[length] == '\t' || line[length] == '\0');
}

static bool is_taken(const struct workload_result *result, const char *name)
{
    for (size_t i = 0; i < result->sample_count; i++)
        if (strcmp(result->samples[i].name, name) == 0)
            return true;
    return false;
}

static void take_metric(struct exec_output *output)
{
    char line[RECORD_TEXT_MAXIMUM];
    struct workload_sample sample;

    text_print(line, sizeof(line), "%s", output->line);
    if (output->cut || !exec_output_metric(line, &sample))
        workload_fail(output->context, "not a metric: \"%.200s\"", output->line);
    else if (is_taken(output->context->result, sample.name) ||
             strcmp(sample.name, "exec.duration") == 0 ||
             strcmp(sample.name, "exec.exit_status") == 0)
        workload_fail(output->context, "a second metric %s: \"%.200s\"", sample.name, output->line);
    else if (!workload_add_sample(output->context, &sample))
        workload_fail(output->context, "more than %d metrics", WORKLOAD_SAMPLES);
}

static void end_line(struct exec_output *output)
{
    output->line[output->used] = '\0';
    workload_log(output->context, output->line);
    if (output->metrics && is_metric(output->line))
        take_metric(output);
    output->used = 0;
    output->cut = false;
}

void exec_output_init(struct exec_output *output, struct workload_context *context, bool metrics)
{
    *output = (struct exec_output){.context = context, .metrics = metrics};
}

/* A NUL would end the line for whoever reads it. */
static void add_character(struct exec_output *output, char character)
{
    if (character == '\0')
        character = ' ';
    output->line[output->used++] = character;
}

void exec_output_add(struct exec_output *output, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] == '\n')
            end_line(output);
        else if (output->used + 1 < sizeof(output->line))
            add_character(output, bytes[i]);
        else
            output->cut = true;
    }
}

void exec_output_finish(struct exec_output *output)
{
    if (output->used > 0 || output->cut)
        end_line(output);
}
