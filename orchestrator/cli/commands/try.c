/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One trial without a server. */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/commands/commands.h"
#include "cli/local.h"
#include "cli/text.h"
#include "trial/trial.h"

static const struct cli_option options[] = {
    {"kernel", 'k', "BZIMAGE", "the kernel to boot (default: $CULPRIT_KERNEL)"},
    {"topology", 't', "NAME", "the guest's layout; a name with a slash is a file"},
    {"seed", 's', "N", "names the trial: equal seeds give equal results (default: 1)"},
    {"engine", 'e', "ENGINE", "auto, realtime, deterministic or functional (default: auto)"},
    {"shift", '\0', "N",
     "deterministic: 10^9 / 2^N instructions a second (default: the topology's)"},
    {"memory", 'm', "SIZE", "of the guest (default: the topology's)"},
    {"cmdline", '\0', "WORDS", "added to the kernel's command line"},
    {"sysctl", '\0', "KEY=VALUE", "set before the workload"},
    {"feature", '\0', "NAME", "scheduler feature, set before the workload"},
    {"keep", '\0', "DIR", "keep console, records and initramfs there"},
    {"counters", '\0', NULL, "print the kernel's counters too"},
    {NULL, '\0', NULL, NULL},
};

/* What the command line says, ready for the trial. */
struct attempt {
    struct topology *topology;
    struct workload_request workload;
    bool has_workload;
    struct strv cmdline, sysctls, features;
    char *kernel;
    enum engine engine;
    uint64_t seed, shift, memory;
};

static void attempt_clear(struct attempt *attempt)
{
    topology_free(attempt->topology);
    if (attempt->has_workload)
        workload_request_clear(&attempt->workload);
    strv_free(&attempt->cmdline);
    strv_free(&attempt->sysctls);
    strv_free(&attempt->features);
    free(attempt->kernel);
}

static void attempt_clear_cleanup(struct attempt *attempt)
{
    attempt_clear(attempt);
}

static int set_workload_option(struct attempt *attempt, const char *word,
                               struct culprit_error *error)
{
    const char *equals = strchr(word, '=');
    char name[64];
    int r;

    if (!equals || equals == word || (size_t)(equals - word) >= sizeof name)
        return cli_usage_error(&command_try, error,
                               "\"%.200s\" is not a workload option: NAME=VALUE or --NAME VALUE",
                               word);
    snprintf(name, sizeof name, "%.*s", (int)(equals - word), word);
    /* As options are written elsewhere on command lines. */
    for (char *c = name; *c; c++)
        *c = *c == '-' ? '_' : *c;
    r = workload_request_set(&attempt->workload, name, equals + 1, error);
    return r < 0 ? culprit_error_prefix(error, "workload %s", attempt->workload.schema->name) : 0;
}

static int read_workload(const struct arguments *arguments, struct attempt *attempt,
                         struct culprit_error *error)
{
    int r;

    if (arguments->words.count == 0)
        return cli_usage_error(&command_try, error,
                               "which workload? \"culprit workload\" lists them");
    r = workload_request_init(arguments->words.items[0], &attempt->workload, error);
    if (r < 0)
        return r;
    attempt->has_workload = true;
    for (size_t i = 1; i < arguments->words.count; i++) {
        r = set_workload_option(attempt, arguments->words.items[i], error);
        if (r < 0)
            return r;
    }
    return workload_request_check(&attempt->workload, error);
}

/* The job's additions to the guest: words of the command line, one sysctl, one feature. */
static int read_additions(const struct arguments *arguments, struct attempt *attempt,
                          struct culprit_error *error)
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
        return cli_usage_error(&command_try, error, "--sysctl takes KEY=VALUE, not \"%.200s\"",
                               sysctl);
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

static int read_attempt(const struct arguments *arguments, struct attempt *attempt,
                        struct culprit_error *error)
{
    const char *topology = arguments_value(arguments, "topology");
    int r;

    attempt->seed = 1;
    r = read_workload(arguments, attempt, error);
    if (r == 0 && !topology)
        r = cli_usage_error(&command_try, error, "which topology? \"culprit topology\" lists them");
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
        r = read_additions(arguments, attempt, error);
    return r < 0 ? r : local_kernel_option(arguments, &attempt->kernel, error);
}

static void quote_option(struct buffer *line, const char *name, const char *value)
{
    buffer_printf(line, " --%s ", name);
    text_quote(line, value);
}

/* The command that gives this result again, whatever the defaults may become. */
static char *repeat_line(const struct arguments *arguments, const struct attempt *attempt)
{
    static const char *const as_given[] = {"cmdline", "sysctl", "feature"};
    _cleanup_buffer_ struct buffer line = BUFFER_INIT(64 * 1024);
    char size[UNITS_TEXT_SIZE];

    buffer_puts(&line, "culprit try");
    quote_option(&line, "kernel", attempt->kernel);
    quote_option(&line, "topology", arguments_value(arguments, "topology"));
    quote_option(&line, "engine", engine_name(attempt->engine));
    if (attempt->engine == ENGINE_DETERMINISTIC)
        buffer_printf(&line, " --shift %u", (unsigned)attempt->shift);
    buffer_printf(&line, " --seed %llu", (unsigned long long)attempt->seed);
    quote_option(&line, "memory", format_size(attempt->memory, size));
    for (size_t i = 0; i < sizeof as_given / sizeof *as_given; i++) {
        if (arguments_given(arguments, as_given[i]))
            quote_option(&line, as_given[i], arguments_value(arguments, as_given[i]));
    }
    for (size_t i = 0; i < arguments->words.count; i++) {
        buffer_puts(&line, " ");
        text_quote(&line, arguments->words.items[i]);
    }
    return buffer_take(&line);
}

static void print_metrics(struct cli *cli, const struct trial_result *result, bool counters)
{
    size_t width = 0;
    char number[32];

    for (size_t i = 0; i < result->metric_count; i++) {
        size_t length = strlen(result->metrics[i].name);
        if ((counters || !result->metrics[i].counter) && length > width)
            width = length;
    }
    for (size_t i = 0; i < result->metric_count; i++) {
        const struct metric_value *metric = &result->metrics[i];

        if (metric->counter && !counters)
            continue;
        fprintf(cli->out, "%-*s  %12s %s\n", (int)width, metric->name,
                text_number(metric->value, number), metric->counter ? "" : metric->unit);
    }
}

static void print_result(struct cli *cli, const struct trial_result *result, bool counters,
                         const char *reason, const char *repeat)
{
    char time[UNITS_TEXT_SIZE];

    print_metrics(cli, result, counters);
    fprintf(cli->out, "outcome  %s", outcome_name(result->outcome));
    if (result->outcome != OUTCOME_OK)
        fprintf(cli->out, ": %s", result->message);
    fprintf(cli->out, "\nengine   %s", engine_name(result->engine));
    if (result->engine == ENGINE_DETERMINISTIC)
        fprintf(cli->out, ", shift %u", result->shift);
    fprintf(cli->out, " (%s)\ntime     %s\n", reason, format_duration_short(result->wall_ns, time));
    if (*result->digest)
        fprintf(cli->out, "digest   %s\n", result->digest);
    fprintf(cli->out, "repeat   %s\n", repeat);
}

/* A trial that is not ok is no error of this program's, but its status tells it. */
static int outcome_status(enum outcome outcome)
{
    switch (outcome) {
    case OUTCOME_OK:
        return CLI_DONE;
    case OUTCOME_TIMED_OUT:
        return culprit_code_exit_status(CULPRIT_TIMED_OUT);
    case OUTCOME_INFRA_FAILED:
        return culprit_code_exit_status(CULPRIT_UNAVAILABLE);
    case OUTCOME_CANCELLED:
        return culprit_code_exit_status(CULPRIT_CANCELLED);
    default:
        return culprit_code_exit_status(CULPRIT_FAILED);
    }
}

static int show_result(struct cli *cli, const struct arguments *arguments,
                       const struct attempt *attempt, const struct trial_result *result,
                       const char *reason, struct culprit_error *error)
{
    _cleanup_free_ char *repeat = repeat_line(arguments, attempt);
    json_t *value;

    if (!repeat)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot show the result: no memory");
    if (!cli->json) {
        print_result(cli, result, arguments_given(arguments, "counters"), reason, repeat);
        return outcome_status(result->outcome);
    }
    value = trial_result_json(result);
    if (value) {
        json_object_set_new(value, "engine_reason", json_string(reason));
        json_object_set_new(value, "repeat", json_string(repeat));
    }
    if (cli_print_json(cli, value, error) < 0)
        return -CULPRIT_IO;
    return outcome_status(result->outcome);
}

static int run(struct cli *cli, const struct arguments *arguments, struct culprit_error *error)
{
    CULPRIT_CLEANUP(trial_result_free) struct trial_result *result = NULL;
    CULPRIT_CLEANUP(attempt_clear) struct attempt attempt = {0};
    CULPRIT_CLEANUP(local_close) struct local local = {0};
    char reason[ENGINE_REASON_SIZE] = "";
    struct trial_spec spec;
    int r;

    r = read_attempt(arguments, &attempt, error);
    if (r == 0)
        r = local_open(arguments_value(arguments, "keep"), &local, error);
    if (r == 0)
        r = local_engine(&local, cli, attempt.kernel, attempt.engine, attempt.topology,
                         &attempt.engine, reason, error);
    if (r < 0)
        return r;
    spec = (struct trial_spec){
        .kernel = attempt.kernel,
        .guest_image = local.image,
        .topology = attempt.topology,
        .engine = attempt.engine,
        .shift = (unsigned)attempt.shift,
        .memory = attempt.memory,
        .cmdline = &attempt.cmdline,
        .sysctls = &attempt.sysctls,
        .features = &attempt.features,
        .workloads = &attempt.workload,
        .workload_count = 1,
        .seed = attempt.seed,
        .directory = local.directory,
        .label = "try",
    };
    r = trial_run(local.hypervisor, &spec, cli->cancel, &result, error);
    if (r < 0)
        return r;
    return show_result(cli, arguments, &attempt, result, reason, error);
}

const struct cli_command command_try = {
    .name = "try",
    .summary = "run one trial here, without a server",
    .usage = "--kernel BZIMAGE --topology NAME [OPTIONS] WORKLOAD [NAME=VALUE | --NAME VALUE] …",
    .help = "Boots the kernel once in a guest of that layout, runs the workload in it, and prints "
            "what it\nmeasured. In the deterministic engine the same command gives the same "
            "digest.\nOptions of the workload follow its name; "
            "\"culprit workload show NAME\" lists them.",
    .options = options,
    .keeps_unknown = true,
    .run = run,
};
