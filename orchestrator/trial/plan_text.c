/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trial/plan_text.h"

#include <stdint.h>
#include <string.h>

enum { SETTING_NAME_MAXIMUM = 128 };

/* A plan line ends at its newline: text that holds one would be two lines, the second of the
 * submitter's choice. */
static int check_text(const char *text, const char *what, struct culprit_error *error)
{
    size_t length = strlen(text);

    if (length == 0 || length > PLAN_LINE_MAXIMUM - 256)
        return culprit_fail(error, CULPRIT_INVALID,
                            "cannot write the plan: %s must have 1 to %d bytes, and has %zu", what,
                            PLAN_LINE_MAXIMUM - 256, length);
    for (const char *c = text; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return culprit_fail(error, CULPRIT_INVALID,
                                "cannot write the plan: %s holds a control character (0x%02x)",
                                what, (unsigned)(unsigned char)*c);
    }
    return 0;
}

/* As the agent wants it, so that what it would refuse costs no boot. */
static int check_name(const char *name, size_t length, struct culprit_error *error)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "_-.";

    const char *dots = strstr(name, "..");

    if (length <= SETTING_NAME_MAXIMUM && name[0] != '.' && strspn(name, allowed) >= length &&
        (!dots || dots >= name + length))
        return 0;
    return culprit_fail(error, CULPRIT_INVALID,
                        "cannot write the plan: \"%.*s\" is not the name of a setting: up to %d "
                        "letters, digits and _-. are allowed",
                        (int)(length < 200 ? length : 200), name, SETTING_NAME_MAXIMUM);
}

static int write_settings(const struct trial_spec *spec, struct buffer *text,
                          struct culprit_error *error)
{
    for (size_t i = 0; spec->sysctls && i < spec->sysctls->count; i++) {
        const char *setting = spec->sysctls->items[i];
        const char *space = strchr(setting, ' ');
        int r = check_text(setting, "a sysctl", error);

        if (r < 0)
            return r;
        if (!space || space == setting || !space[1])
            return culprit_fail(error, CULPRIT_INVALID,
                                "cannot write the plan: a sysctl is \"KEY VALUE\", not \"%.200s\"",
                                setting);
        r = check_name(setting, (size_t)(space - setting), error);
        if (r < 0)
            return r;
        buffer_printf(text, "sysctl %s\n", setting);
    }
    for (size_t i = 0; spec->features && i < spec->features->count; i++) {
        const char *feature = spec->features->items[i];
        int r = check_text(feature, "a scheduler feature", error);

        if (r < 0)
            return r;
        if (strchr(feature, ' '))
            return culprit_fail(error, CULPRIT_INVALID,
                                "cannot write the plan: a scheduler feature is one word, not "
                                "\"%.200s\"",
                                feature);
        r = check_name(feature, strlen(feature), error);
        if (r < 0)
            return r;
        buffer_printf(text, "feature %s\n", feature);
    }
    return 0;
}

static int write_workload(const struct workload_request *workload, struct buffer *text,
                          struct culprit_error *error)
{
    int r = workload_request_check(workload, error);

    if (r < 0)
        return r;
    buffer_printf(text, "workload %s\n", workload->schema->name);
    for (size_t i = 0; i < workload->schema->option_count; i++) {
        const struct workload_option *option = &workload->options[i];
        const char *value = option->value ? option->value : "";

        /* Text may be empty where its schema says so. */
        if (*value || option->schema->type != OPTION_TEXT || option->schema->minimum > 0) {
            r = check_text(value, option->schema->name, error);
            if (r < 0)
                return r;
        }
        buffer_printf(text, "option %s %s\n", option->schema->name, value);
    }
    return 0;
}

int plan_text_write(const struct trial_spec *spec, struct buffer *text, struct culprit_error *error)
{
    int r;

    if (spec->seed > INT64_MAX)
        return culprit_fail(error, CULPRIT_INVALID,
                            "cannot write the plan: a seed is less than 2^63");
    buffer_printf(text, "culprit-plan 1\nseed %llu\nschedstats on\n",
                  (unsigned long long)spec->seed);
    r = write_settings(spec, text, error);
    for (size_t i = 0; r == 0 && i < spec->workload_count; i++)
        r = write_workload(&spec->workloads[i], text, error);
    if (r < 0)
        return r;
    buffer_puts(text, "end\n");
    return buffer_status(text, "the plan", error);
}
