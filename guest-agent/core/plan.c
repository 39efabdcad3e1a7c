/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"

struct reader {
    struct plan *plan;
    bool given[PLAN_OPTIONS_MAXIMUM]; /* options of the workload that is being read */
    bool seed, schedstats, end;
    unsigned line; /* from 1 */
    char *message;
    size_t message_size;
};

/* Always false, so that callers can return it. */
__attribute__((format(printf, 2, 3))) static bool refuse(struct reader *reader, const char *format,
                                                         ...)
{
    va_list arguments;
    char reason[512];

    va_start(arguments, format);
    vsnprintf(reason, sizeof(reason), format, arguments);
    va_end(arguments);
    text_print(reader->message, reader->message_size, "plan, line %u: %s", reader->line, reason);
    return false;
}

/* Splits "WORD REST" at its first blank; REST may hold blanks but not be empty. */
static bool split(char *text, char **ret_rest)
{
    char *blank = strchr(text, ' ');

    if (!blank || blank == text || blank[1] == '\0')
        return false;
    *blank = '\0';
    *ret_rest = blank + 1;
    return true;
}

/* A name that can become a path below /proc/sys, or a feature: no way out of a directory. */
static bool is_name(const char *text)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

    return *text && *text != '.' && text[strspn(text, allowed)] == '\0' && !strstr(text, "..") &&
           strlen(text) <= 128;
}

static bool read_seed(struct reader *reader, char *rest)
{
    if (reader->seed)
        return refuse(reader, "a second seed");
    if (!text_unsigned(rest, &reader->plan->seed) || reader->plan->seed > INT64_MAX)
        return refuse(reader, "the seed must be 0 to 2^63-1, not \"%.40s\"", rest);
    reader->seed = true;
    return true;
}

static bool read_schedstats(struct reader *reader, char *rest)
{
    if (reader->schedstats)
        return refuse(reader, "a second schedstats");
    if (strcmp(rest, "on") != 0 && strcmp(rest, "off") != 0)
        return refuse(reader, "schedstats must be on or off, not \"%.40s\"", rest);
    reader->plan->schedstats = strcmp(rest, "on") == 0;
    reader->schedstats = true;
    return true;
}

static bool read_setting(struct reader *reader, enum plan_setting_kind kind, char *rest)
{
    struct plan *plan = reader->plan;
    char *value = NULL;

    if (plan->workload_count > 0)
        return refuse(reader, "a setting after the first workload");
    if (plan->setting_count == PLAN_SETTINGS_MAXIMUM)
        return refuse(reader, "more than %d settings", PLAN_SETTINGS_MAXIMUM);
    if (kind == PLAN_SYSCTL && !split(rest, &value))
        return refuse(reader, "sysctl takes a key and a value");
    if (!is_name(rest))
        return refuse(reader, "\"%.40s\" is not the name of a setting", rest);
    plan->settings[plan->setting_count++] = (struct plan_setting){kind, rest, value};
    return true;
}

/* All options of the workload before this line are there. */
static bool check_complete(struct reader *reader)
{
    if (reader->plan->workload_count == 0)
        return true;
    const struct workload_schema *schema =
        reader->plan->workloads[reader->plan->workload_count - 1].schema;
    for (size_t i = 0; i < schema->option_count; i++)
        if (!reader->given[i])
            return refuse(reader, "workload %s lacks its option %s", schema->name,
                          schema->options[i].name);
    return true;
}

static bool read_workload(struct reader *reader, char *rest)
{
    struct plan *plan = reader->plan;

    if (!check_complete(reader))
        return false;
    if (plan->workload_count == PLAN_WORKLOADS_MAXIMUM)
        return refuse(reader, "more than %d workloads", PLAN_WORKLOADS_MAXIMUM);
    const struct workload_schema *schema = workload_schema_find(rest);
    if (!schema || schema->option_count > PLAN_OPTIONS_MAXIMUM)
        return refuse(reader, "unknown workload \"%.40s\"", rest);
    memset(reader->given, 0, sizeof(reader->given));
    plan->workloads[plan->workload_count++].schema = schema;
    return true;
}

static bool is_choice(const struct option_schema *schema, const char *text)
{
    if (!schema->choices)
        return true;
    for (size_t i = 0; schema->choices[i]; i++)
        if (strcmp(schema->choices[i], text) == 0)
            return true;
    return false;
}

static bool read_number(const struct option_schema *schema, struct plan_option *option)
{
    char digits[32];
    size_t length = strlen(option->text);

    if (schema->type == OPTION_COUNT_OR_PERCENT && length > 1 && option->text[length - 1] == '%') {
        if (length > sizeof(digits))
            return false;
        text_print(digits, sizeof(digits), "%.*s", (int)length - 1, option->text);
        option->percent = true;
        return text_unsigned(digits, &option->number) && option->number >= 1 &&
               option->number <= 10000;
    }
    return text_unsigned(option->text, &option->number) && option->number >= schema->minimum &&
           option->number <= schema->maximum;
}

static bool read_value(const struct option_schema *schema, struct plan_option *option)
{
    size_t length = strlen(option->text);

    switch (schema->type) {
    case OPTION_COUNT:
    case OPTION_COUNT_OR_PERCENT:
    case OPTION_DURATION:
    case OPTION_SIZE:
        return read_number(schema, option);
    case OPTION_BOOLEAN:
        option->number = strcmp(option->text, "true") == 0;
        return option->number || strcmp(option->text, "false") == 0;
    case OPTION_TEXT:
        return length >= schema->minimum && length <= schema->maximum &&
               is_choice(schema, option->text);
    }
    return false;
}

static bool read_option(struct reader *reader, char *rest)
{
    struct plan *plan = reader->plan;
    char *value;

    if (plan->workload_count == 0)
        return refuse(reader, "an option before the first workload");
    if (!split(rest, &value))
        return refuse(reader, "option takes a name and a value");
    struct plan_workload *workload = &plan->workloads[plan->workload_count - 1];
    const struct option_schema *schema = workload_option_find(workload->schema, rest);
    if (!schema)
        return refuse(reader, "workload %s has no option \"%.40s\"", workload->schema->name, rest);
    size_t place = (size_t)(schema - workload->schema->options);
    if (reader->given[place])
        return refuse(reader, "option %s a second time", rest);
    reader->given[place] = true;
    workload->options[place] = (struct plan_option){.text = value};
    if (!read_value(schema, &workload->options[place]))
        return refuse(reader, "option %s cannot be \"%.80s\"", rest, value);
    return true;
}

static bool read_end(struct reader *reader)
{
    if (!check_complete(reader))
        return false;
    if (!reader->seed)
        return refuse(reader, "the plan ends without a seed");
    reader->end = true;
    return true;
}

static bool read_line(struct reader *reader, char *line)
{
    char *rest = NULL;

    if (reader->end)
        return refuse(reader, "something after the end");
    if (reader->line == 1)
        return strcmp(line, "culprit-plan 1") == 0 ||
               refuse(reader, "must be \"culprit-plan 1\", not \"%.40s\"", line);
    if (strcmp(line, "end") == 0)
        return read_end(reader);
    if (!split(line, &rest))
        return refuse(reader, "unknown item \"%.40s\"", line);
    if (strcmp(line, "seed") == 0)
        return read_seed(reader, rest);
    if (strcmp(line, "schedstats") == 0)
        return read_schedstats(reader, rest);
    if (strcmp(line, "sysctl") == 0)
        return read_setting(reader, PLAN_SYSCTL, rest);
    if (strcmp(line, "feature") == 0)
        return read_setting(reader, PLAN_FEATURE, rest);
    if (strcmp(line, "workload") == 0)
        return read_workload(reader, rest);
    if (strcmp(line, "option") == 0)
        return read_option(reader, rest);
    return refuse(reader, "unknown item \"%.40s\"", line);
}

static bool check_line(struct reader *reader, const char *line, size_t length)
{
    if (length > PLAN_LINE_MAXIMUM)
        return refuse(reader, "longer than %d bytes", PLAN_LINE_MAXIMUM);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
            return refuse(reader, "a control character");
    return true;
}

bool plan_read(char *text, size_t length, struct plan *ret, char *message, size_t message_size)
{
    struct reader reader = {.plan = ret, .message = message, .message_size = message_size};

    memset(ret, 0, sizeof(*ret));
    ret->schedstats = true;
    if (length > PLAN_MAXIMUM) {
        text_print(message, message_size, "plan: longer than %d bytes", PLAN_MAXIMUM);
        return false;
    }
    for (char *line = text, *end = text + length; line < end;) {
        char *newline = memchr(line, '\n', (size_t)(end - line));
        reader.line++;
        if (!newline)
            return refuse(&reader, "cut short");
        if (!check_line(&reader, line, (size_t)(newline - line)))
            return false;
        *newline = '\0';
        if (!read_line(&reader, line))
            return false;
        line = newline + 1;
    }
    if (!reader.end) {
        reader.line++;
        return refuse(&reader, "the plan is cut short: no end");
    }
    return true;
}

uint64_t plan_option_count(const struct plan_option *option, unsigned cpus)
{
    if (!option->percent)
        return option->number;
    uint64_t count = option->number * cpus / 100;
    return count ? count : 1;
}
