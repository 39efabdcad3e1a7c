/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A/A runs of one kernel, without a server: what identical builds differ by. */
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "cli/attempt.h"
#include "cli/commands/calibrations.h"
#include "cli/commands/commands.h"
#include "cli/series.h"
#include "trial/kernel_image.h"

enum { TRIALS_DEFAULT = 40, FAILURES_FIRST = 3 };

#define PROGRESS_INTERVAL_NS UINT64_C(60000000000)

static const struct cli_option options[] = {
    {"kernel", 'k', "BZIMAGE", "the kernel to boot (default: $CULPRIT_KERNEL)"},
    {"topology", 't', "NAME", "the guest's layout; a name with a slash is a file"},
    {"workload", '\0', "NAME", "the workload, unless it is the first word"},
    {"metric", '\0', "NAME", "only this metric (default: all that the engine can see)"},
    {"trials", 'n', "N", "boots, 6 to 2000 (default: 40, which carry all sizes)"},
    {"seed", 's', "N", "of the first trial; the others follow (default: 1)"},
    {"alpha", 'a', "LEVEL", "of the comparisons, 0.001 to 0.5 (default: 0.01)"},
    {"comparisons", '\0', "N", "A against A for each size, 100 to 10000 (default: 1000)"},
    {"engine", 'e', "ENGINE", "auto, realtime or deterministic (default: auto)"},
    {"shift", '\0', "N",
     "deterministic: 10^9 / 2^N instructions a second (default: the topology's)"},
    {"memory", 'm', "SIZE", "of the guest (default: the topology's)"},
    {"cmdline", '\0', "WORDS", "added to the kernel's command line"},
    {"sysctl", '\0', "KEY=VALUE", "set before the workload"},
    {"feature", '\0', "NAME", "scheduler feature, set before the workload"},
    {"store", '\0', NULL, "put it into the server, for jobs of the same setup (so does --server)"},
    {NULL, '\0', NULL, NULL},
};

static int read_options(const struct arguments *arguments, struct calibrating *ret,
                        struct culprit_error *error)
{
    const char *alpha = arguments_value(arguments, "alpha");
    uint64_t trials = TRIALS_DEFAULT, comparisons = CALIBRATION_COMPARISONS_DEFAULT;
    int r = arguments_count(arguments, "trials", CALIBRATION_TRIALS_MINIMUM, SAMPLES_MAXIMUM,
                            &trials, error);

    if (r == 0)
        r = arguments_count(arguments, "comparisons", CALIBRATION_COMPARISONS_MINIMUM,
                            CALIBRATION_COMPARISONS_MAXIMUM, &comparisons, error);
    if (r < 0)
        return r;
    if (alpha && parse_real(alpha, 0.001, 0.5, &ret->options.alpha, error) < 0)
        return culprit_error_prefix(error, "--alpha");
    ret->options.comparisons = (size_t)comparisons;
    ret->trials = (size_t)trials;
    ret->metric = arguments_value(arguments, "metric");
    ret->store = arguments_given(arguments, "store") || arguments_given(arguments, "server");
    return 0;
}

/* What would be found wrong only after all trials is found wrong now. */
static int check_request(const struct arguments *arguments, const struct calibrating *calibrating,
                         struct culprit_error *error)
{
    const struct attempt *attempt = &calibrating->attempt;
    const struct workload_schema *schema = attempt->workload.schema;
    const char *names[64];
    size_t count = 0;

    if (attempt->engine == ENGINE_FUNCTIONAL)
        return culprit_fail(error, CULPRIT_INVALID,
                            "--engine: the functional engine measures nothing");
    if (attempt->seed > INT64_MAX - calibrating->trials)
        return culprit_fail(error, CULPRIT_INVALID, "--seed: no room for %zu seeds behind it",
                            calibrating->trials);
    if (calibrating->store && strchr(arguments_value(arguments, "topology"), '/'))
        return cli_usage_error(&command_calibrate, error,
                               "a server knows topologies by their names, not by files: without "
                               "--store, or with the name of one that is installed");
    for (size_t i = 0; i < schema->metric_count && count < 64; i++)
        names[count++] = schema->metrics[i].name;
    if (!calibrating->metric || schema->open_metrics ||
        workload_metric_find(schema, calibrating->metric))
        return 0;
    culprit_fail(error, CULPRIT_INVALID, "--metric: workload %s gives no \"%.96s\"", schema->name,
                 calibrating->metric);
    return culprit_error_allow(error, names, count);
}

/* A server that cannot be reached, or that refuses, is found out before the trials. */
static int ask_server(struct cli *cli, struct calibrating *calibrating, struct culprit_error *error)
{
    json_t *list = NULL;
    int r;

    if (!calibrating->store)
        return 0;
    r = remote_open(cli, &calibrating->remote, error);
    if (r == 0)
        r = client_get_json(calibrating->remote.client, "/calibrations", &list, error);
    json_decref(list);
    return r;
}

struct progress {
    struct cli *cli;
    bool terminal;
    uint64_t told_ns;
};

/* On a terminal one line that changes; elsewhere a line now and then, and after the first trial,
 * which tells how long it will take. */
static void show_progress(struct progress *progress, const struct series *series)
{
    size_t over = series->ok + series->failed;
    uint64_t now = clock_monotonic(&clock_system);
    char left[UNITS_TEXT_SIZE], each[UNITS_TEXT_SIZE];

    if (!progress->terminal && over != series->wanted && progress->told_ns != 0 &&
        now - progress->told_ns < PROGRESS_INTERVAL_NS)
        return;
    progress->told_ns = now;
    fprintf(progress->cli->err, "%strial %zu of %zu", progress->terminal ? "\r\033[K" : "", over,
            series->wanted);
    if (series->failed > 0)
        fprintf(progress->cli->err, ", %zu without a result", series->failed);
    fprintf(progress->cli->err, ", %s", format_duration_short(series->wall_ns[over - 1], each));
    if (over < series->wanted)
        fprintf(progress->cli->err, "; about %s left",
                format_duration_short(series_time_left(series), left));
    if (!progress->terminal || over == series->wanted)
        fputc('\n', progress->cli->err);
    fflush(progress->cli->err);
}

/* Nothing but failures from the start: more of them would tell nothing. */
static int check_start(const struct series *series, struct culprit_error *error)
{
    if (series->ok > 0 || series->failed < FAILURES_FIRST)
        return 0;
    return culprit_fail(error, CULPRIT_FAILED, "the first %zu trials gave no result: %s",
                        series->failed, series->message);
}

static int run_trials(struct cli *cli, struct local *local, const struct calibrating *calibrating,
                      struct series *series, struct culprit_error *error)
{
    struct progress progress = {.cli = cli, .terminal = isatty(fileno(cli->err)) == 1};
    struct trial_spec spec;
    int r = 0;

    attempt_spec(&calibrating->attempt, local, "calibrate", &spec);
    for (size_t i = 0; r == 0 && i < calibrating->trials; i++) {
        CULPRIT_CLEANUP(trial_result_free) struct trial_result *result = NULL;

        spec.seed = calibrating->attempt.seed + i;
        r = trial_run(local->hypervisor, &spec, cli->cancel, &result, error);
        if (r < 0)
            return r;
        if (result->outcome == OUTCOME_CANCELLED)
            return culprit_fail(error, CULPRIT_CANCELLED, "stopped after %zu of %zu trials", i,
                                calibrating->trials);
        r = series_add(series, result, error);
        if (r == 0)
            show_progress(&progress, series);
        if (r == 0)
            r = check_start(series, error);
    }
    return r;
}

static int open_all(struct cli *cli, const struct arguments *arguments,
                    struct calibrating *calibrating, struct local *local,
                    struct culprit_error *error)
{
    int r = read_options(arguments, calibrating, error);

    if (r == 0)
        r = attempt_read(&command_calibrate, arguments, &calibrating->attempt, error);
    if (r == 0)
        r = check_request(arguments, calibrating, error);
    if (r == 0)
        r = ask_server(cli, calibrating, error);
    if (r == 0)
        r = local_open(NULL, local, error);
    if (r == 0)
        r = local_engine(local, cli, calibrating->attempt.kernel, calibrating->attempt.engine,
                         calibrating->attempt.topology, &calibrating->attempt.engine,
                         calibrating->reason, error);
    if (r == 0 && calibrating->metric && !calibrating_sees(calibrating, calibrating->metric))
        r = culprit_fail(error, CULPRIT_INVALID, "--metric: the %s engine cannot see \"%.96s\"",
                         engine_name(calibrating->attempt.engine), calibrating->metric);
    return r;
}

static int run(struct cli *cli, const struct arguments *arguments, struct culprit_error *error)
{
    CULPRIT_CLEANUP(calibrating_clear)
    struct calibrating calibrating = {.options = CALIBRATION_OPTIONS_DEFAULT};
    CULPRIT_CLEANUP(local_close) struct local local = {0};
    CULPRIT_CLEANUP(series_clear) struct series series = {0};
    int r = open_all(cli, arguments, &calibrating, &local, error);

    if (r == 0)
        r = series_new(calibrating.trials, &series, error);
    if (r == 0)
        r = run_trials(cli, &local, &calibrating, &series, error);
    return r < 0 ? r : calibrating_finish(cli, &calibrating, &series, error);
}

const struct cli_command command_calibrate = {
    .name = "calibrate",
    .summary = "measure what identical builds differ by, without a server",
    .usage = "--kernel BZIMAGE --topology NAME [OPTIONS] WORKLOAD [NAME=VALUE | --NAME VALUE] …",
    .help = "Boots one kernel again and again, each time with another seed, and compares the "
            "trials with each\nother as the service compares two kernels. Prints for 3, 5, 10 and "
            "20 trials a side how often that\nfinds a difference where there is none, and the "
            "smallest difference that it finds nine times in\nten (MDE). With --store the server "
            "keeps it for the jobs of the same setup.",
    .options = options,
    .keeps_unknown = true,
    .run = run,
};
