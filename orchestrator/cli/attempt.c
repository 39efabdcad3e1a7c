/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/attempt.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"

void attempt_clear(struct attempt *attempt)
{
    topology_free(attempt->topology);
    if (attempt->has_workload)
        workload_request_clear(&attempt->workload);
    strv_free(&attempt->cmdline);
    strv_free(&attempt->sysctls);
    strv_free(&attempt->features);
    free(attempt->kernel);
}

static int set_workload_option(const struct cli_command *command, struct attempt *attempt,
                               const char *word, struct culprit_error *error)
{
    const char *equals = strchr(word, '=');
    char name[64];
    int r;

    if (!equals || equals == word || (size_t)(equals - word) >= sizeof name)
        return cli_usage_error(command, error,
                               "\"%.200s\" is not a workload option: NAME=VALUE or --NAME VALUE",
                               word);
    snprintf(name, sizeof name, "%.*s", (int)(equals - word), word);
    /* As options are written elsewhere on command lines. */
    for (char *c = name; *c; c++)
        *c = *c == '-' ? '_' : *c;
    r = workload_request_set(&attempt->workload, name, equals + 1, error);
    return r < 0 ? culprit_error_prefix(error, "workload %s", attempt->workload.schema->name) : 0;
}

static int read_workload(const struct cli_command *command, const struct arguments *arguments,
                         struct attempt *attempt, struct culprit_error *error)
{
    const char *name = arguments_value(arguments, "workload");
    size_t next = 0;
    int r;

    if (!name && arguments->words.count == 0)
        return cli_usage_error(command, error, "which workload? \"culprit workload\" lists them");
    if (!name)
        name = arguments->words.items[next++];
    r = workload_request_init(name, &attempt->workload, error);
    if (r < 0)
        return r;
    attempt->has_workload = true;
    for (size_t i = next; i < arguments->words.count; i++) {
        r = set_workload_option(command, attempt, arguments->words.items[i], error);
        if (r < 0)
            return r;
    }
    return workload_request_check(&attempt->workload, error);
}

/* The job's additions to the guest: words of the command line, one sysctl, one feature. */
static int read_additions(const struct cli_command *command, const struct arguments *arguments,
                          struct attempt *attempt, struct culprit_error *error)
{
    const char *cmdline = arguments_value(arguments, "cmdline");
    const char *sysctl = arguments_value(arguments, "sysctl");
    const char *feature = arguments_value(arguments, "feature");
    _cleanup_free_ char *words = strdup(cmdline ? cmdline : "");
    char *rest = NULL;

    if (!words)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot run the trial: no memory");
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        strv_append(&attempt->cmdline, word);
    if (sysctl && !strchr(sysctl, '='))
        return cli_usage_error(command, error, "--sysctl takes KEY=VALUE, not \"%.200s\"", sysctl);
    if (sysctl)
        strv_appendf(&attempt->sysctls, "%.*s %s", (int)(strchr(sysctl, '=') - sysctl), sysctl,
                     strchr(sysctl, '=') + 1);
    if (feature)
        strv_append(&attempt->features, feature);
    return attempt->cmdline.failed || attempt->sysctls.failed || attempt->features.failed
               ? culprit_fail(error, CULPRIT_NO_MEMORY, "cannot run the trial: no memory")
               : 0;
}

static int read_memory(const struct arguments *arguments, struct attempt *attempt,
                       struct culprit_error *error)
{
    const char *memory = arguments_value(arguments, "memory");
    const struct topology *topology = attempt->topology;
    char least[UNITS_TEXT_SIZE], most[UNITS_TEXT_SIZE];
    int r;

    attempt->memory = topology->memory;
    if (!memory)
        return 0;
    r = parse_size(memory, &attempt->memory, error);
    if (r < 0)
        return culprit_error_prefix(error, "--memory");
    if (attempt->memory < topology->memory || attempt->memory > topology->memory_maximum)
        return culprit_fail(error, CULPRIT_INVALID, "--memory: topology %s takes %s to %s, not %s",
                            topology->name, format_size(topology->memory, least),
                            format_size(topology->memory_maximum, most), memory);
    return 0;
}

int attempt_read(const struct cli_command *command, const struct arguments *arguments,
                 struct attempt *attempt, struct culprit_error *error)
{
    const char *topology = arguments_value(arguments, "topology");
    int r;

    attempt->seed = 1;
    r = read_workload(command, arguments, attempt, error);
    if (r == 0 && !topology)
        r = cli_usage_error(command, error, "which topology? \"culprit topology\" lists them");
    if (r == 0)
        r = local_topology(topology, &attempt->topology, error);
    if (r == 0)
        r = local_engine_option(arguments, ENGINE_AUTO, &attempt->engine, error);
    if (r < 0)
        return r;
    attempt->shift = attempt->topology->shift;
    r = arguments_count(arguments, "seed", 0, INT64_MAX, &attempt->seed, error);
    if (r == 0)
        r = arguments_count(arguments, "shift", 0, 10, &attempt->shift, error);
    if (r == 0)
        r = read_memory(arguments, attempt, error);
    if (r == 0)
        r = read_additions(command, arguments, attempt, error);
    return r < 0 ? r : local_kernel_option(arguments, &attempt->kernel, error);
}

void attempt_spec(const struct attempt *attempt, const struct local *local, const char *label,
                  struct trial_spec *ret)
{
    *ret = (struct trial_spec){
        .kernel = attempt->kernel,
        .guest_image = local->image,
        .topology = attempt->topology,
        .engine = attempt->engine,
        .shift = (unsigned)attempt->shift,
        .memory = attempt->memory,
        .cmdline = &attempt->cmdline,
        .sysctls = &attempt->sysctls,
        .features = &attempt->features,
        .workloads = &attempt->workload,
        .workload_count = 1,
        .seed = attempt->seed,
        .directory = local->directory,
        .label = label,
    };
}
