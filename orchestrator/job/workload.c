/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "job/workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/units.h"

enum { NAMES_MAXIMUM = 600, TEXT_MAXIMUM = 4096 };

/* Fails with the names that are allowed and, where one is near, the nearest. */
static int fail_unknown(const char *what, const char *name, const char *const *names, size_t count,
                        struct culprit_error *error)
{
    _cleanup_buffer_ struct buffer list = BUFFER_INIT(NAMES_MAXIMUM);
    const char *near = nearest_word(name, names, count);

    for (size_t i = 0; i < count; i++)
        buffer_printf(&list, "%s%s", i ? ", " : "", names[i]);
    culprit_fail(error, CULPRIT_INVALID, "unknown %s \"%.64s\"%s%s%s; there are: %s", what, name,
                 near ? ", did you mean \"" : "", near ? near : "", near ? "\"?" : "",
                 list.data ? list.data : "none");
    culprit_error_allow(error, names, count);
    return -(int)CULPRIT_INVALID;
}

static int fail_unknown_workload(const char *name, struct culprit_error *error)
{
    _cleanup_free_ const char **names = calloc(workload_schema_count + 1, sizeof *names);

    if (!names)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the workloads' names");
    for (size_t i = 0; i < workload_schema_count; i++)
        names[i] = workload_schemas[i]->name;
    return fail_unknown("workload", name, names, workload_schema_count, error);
}

static int fail_unknown_option(const struct workload_schema *schema, const char *name,
                               struct culprit_error *error)
{
    _cleanup_free_ const char **names = calloc(schema->option_count + 1, sizeof *names);
    char what[128];

    if (!names)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the options' names");
    for (size_t i = 0; i < schema->option_count; i++)
        names[i] = schema->options[i].name;
    snprintf(what, sizeof what, "option of workload %s", schema->name);
    return fail_unknown(what, name, names, schema->option_count, error);
}

static int fail_range(const struct option_schema *schema, const char *text, const char *minimum,
                      const char *maximum, struct culprit_error *error)
{
    return culprit_fail(error, CULPRIT_INVALID, "%s is \"%.64s\", but must be %s to %s",
                        schema->name, text, minimum, maximum);
}

/* A number in base units, and its limits as a user would write them. */
static int check_range(const struct option_schema *schema, const char *text, uint64_t value,
                       struct culprit_error *error)
{
    char minimum[UNITS_TEXT_SIZE], maximum[UNITS_TEXT_SIZE];

    if (value >= schema->minimum && value <= schema->maximum)
        return 0;
    if (schema->type == OPTION_DURATION)
        return fail_range(schema, text, format_duration(schema->minimum, minimum),
                          format_duration(schema->maximum, maximum), error);
    if (schema->type == OPTION_SIZE)
        return fail_range(schema, text, format_size(schema->minimum, minimum),
                          format_size(schema->maximum, maximum), error);
    snprintf(minimum, sizeof minimum, "%" PRIu64, schema->minimum);
    snprintf(maximum, sizeof maximum, "%" PRIu64, schema->maximum);
    return fail_range(schema, text, minimum, maximum, error);
}

static int check_choice(const struct option_schema *schema, const char *text,
                        struct culprit_error *error)
{
    size_t count = 0;

    for (; schema->choices[count]; count++)
        if (strcmp(schema->choices[count], text) == 0)
            return 0;
    return fail_unknown(schema->name, text, schema->choices, count, error);
}

static int check_text(const struct option_schema *schema, const char *text,
                      struct culprit_error *error)
{
    size_t length = strlen(text);
    size_t maximum = schema->maximum && schema->maximum < TEXT_MAXIMUM ? schema->maximum
                                                                       : TEXT_MAXIMUM;

    if (schema->choices)
        return check_choice(schema, text, error);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return culprit_fail(error, CULPRIT_INVALID,
                                "%s holds a control character (0x%02x at byte %zu); one line of "
                                "text is allowed",
                                schema->name, (unsigned char)text[i], i + 1);
    if (length < schema->minimum || length > maximum)
        return culprit_fail(error, CULPRIT_INVALID,
                            "%s is %zu bytes long, but must be %" PRIu64 " to %zu", schema->name,
                            length, schema->minimum, maximum);
    return 0;
}

static int parse_number(const struct option_schema *schema, const char *text, uint64_t *ret,
                        struct culprit_error *error)
{
    switch (schema->type) {
    case OPTION_DURATION:
        return parse_duration(text, ret, error);
    case OPTION_SIZE:
        return parse_size(text, ret, error);
    default:
        return parse_count(text, 0, UINT64_MAX, ret, error);
    }
}

/* "N%" of the CPUs stays as it is: only the guest knows how many it has. */
static int check_percent(const struct option_schema *schema, const char *text,
                         struct culprit_error *error)
{
    double percent;
    int r = parse_percent(text, 100000.0, &percent, error);

    if (r < 0)
        return culprit_error_prefix(error, "%s", schema->name);
    if (percent <= 0)
        return culprit_fail(error, CULPRIT_INVALID, "%s is \"%.64s\", but must be above 0%%",
                            schema->name, text);
    return 0;
}

/* Checks the text and gives the plan's form of it. */
static int to_base_units(const struct option_schema *schema, const char *text, char **ret,
                         struct culprit_error *error)
{
    char number[UNITS_TEXT_SIZE];
    const char *plain = text;
    uint64_t value;
    int r = 0;

    if (schema->type == OPTION_TEXT) {
        r = check_text(schema, text, error);
    } else if (schema->type == OPTION_BOOLEAN) {
        if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
            r = culprit_fail(error, CULPRIT_INVALID, "%s is \"%.64s\", but must be true or false",
                             schema->name, text);
    } else if (schema->type == OPTION_COUNT_OR_PERCENT && strchr(text, '%')) {
        r = check_percent(schema, text, error);
    } else {
        r = parse_number(schema, text, &value, error);
        if (r < 0)
            return culprit_error_prefix(error, "%s", schema->name);
        r = check_range(schema, text, value, error);
        snprintf(number, sizeof number, "%" PRIu64, value);
        plain = number;
    }
    if (r < 0)
        return r;
    *ret = strdup(plain);
    return *ret ? 0 : culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for %s", schema->name);
}

int workload_request_init(const char *name, struct workload_request *ret,
                          struct culprit_error *error)
{
    struct workload_request request = {.schema = workload_schema_find(name)};
    int r;

    if (!request.schema)
        return fail_unknown_workload(name, error);
    request.options = calloc(request.schema->option_count + 1, sizeof *request.options);
    if (!request.options)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for workload %s", name);
    for (size_t i = 0; i < request.schema->option_count; i++) {
        struct workload_option *option = &request.options[i];

        option->schema = &request.schema->options[i];
        if (!option->schema->default_value)
            continue;
        r = to_base_units(option->schema, option->schema->default_value, &option->value, error);
        if (r < 0) {
            workload_request_clear(&request);
            return culprit_error_prefix(error, "default of workload %s", name);
        }
    }
    *ret = request;
    return 0;
}

static struct workload_option *find_option(const struct workload_request *request, const char *name)
{
    for (size_t i = 0; i < request->schema->option_count; i++)
        if (strcmp(request->options[i].schema->name, name) == 0)
            return &request->options[i];
    return NULL;
}

int workload_request_set(struct workload_request *request, const char *name, const char *text,
                         struct culprit_error *error)
{
    struct workload_option *option = find_option(request, name);
    char *value = NULL;
    int r;

    if (!option)
        return fail_unknown_option(request->schema, name, error);
    r = to_base_units(option->schema, text, &value, error);
    if (r < 0)
        return r;
    free(option->value);
    option->value = value;
    return 0;
}

int workload_request_check(const struct workload_request *request, struct culprit_error *error)
{
    for (size_t i = 0; i < request->schema->option_count; i++)
        if (!request->options[i].value)
            return culprit_fail(error, CULPRIT_INVALID, "workload %s needs its option %s (%s)",
                                request->schema->name, request->options[i].schema->name,
                                request->options[i].schema->summary);
    return 0;
}

char *workload_option_text(const struct workload_option *option)
{
    char text[UNITS_TEXT_SIZE];
    uint64_t value;

    if (!option->value)
        return NULL;
    if (option->schema->type != OPTION_DURATION && option->schema->type != OPTION_SIZE)
        return strdup(option->value);
    if (parse_count(option->value, 0, UINT64_MAX, &value, NULL) < 0)
        return NULL;
    return strdup(option->schema->type == OPTION_DURATION ? format_duration(value, text)
                                                          : format_size(value, text));
}

/* A workload has a runtime, or runs to its own end and has a time-out. */
uint64_t workload_request_runtime(const struct workload_request *request)
{
    const struct workload_option *option = find_option(request, "runtime");
    uint64_t value;

    if (!option)
        option = find_option(request, "timeout");
    if (!option || option->schema->type != OPTION_DURATION || !option->value ||
        parse_count(option->value, 0, UINT64_MAX, &value, NULL) < 0)
        return 0;
    return value;
}

void workload_request_clear(struct workload_request *request)
{
    if (request->schema && request->options)
        for (size_t i = 0; i < request->schema->option_count; i++)
            free(request->options[i].value);
    free(request->options);
    *request = (struct workload_request){0};
}
