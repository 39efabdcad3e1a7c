/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One trial without a server. */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/attempt.h"
#include "cli/commands/commands.h"
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

    r = attempt_read(&command_try, arguments, &attempt, error);
    if (r == 0)
        r = local_open(arguments_value(arguments, "keep"), &local, error);
    if (r == 0)
        r = local_engine(&local, cli, attempt.kernel, attempt.engine, attempt.topology,
                         &attempt.engine, reason, error);
    if (r < 0)
        return r;
    attempt_spec(&attempt, &local, "try", &spec);
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
