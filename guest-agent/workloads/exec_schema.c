/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/schemas.h"

static const char *const parsers[] = {"none", "lines", NULL};

static const struct option_schema options[] = {
    [EXEC_COMMAND] = {"command", OPTION_TEXT, NULL, 1, 4096,
                      "what the image's /bin/sh runs, as `sh -c` takes it", NULL},
    [EXEC_TIMEOUT] = {"timeout", OPTION_DURATION, "60s", 1000000, 86400000000000,
                      "guest time after which the command and its children are killed, and the "
                      "workload has failed",
                      NULL},
    [EXEC_PARSER] = {"parser", OPTION_TEXT, "none", 1, 16,
                     "how metrics are read from the standard output: `none`, or `lines`: each "
                     "line `culprit-metric NAME VALUE [UNIT [lower|higher|neither]]` is the "
                     "metric exec.NAME",
                     parsers},
    [EXEC_ALLOW_FAILURE] = {"allow_failure", OPTION_BOOLEAN, "false", 0, 0,
                            "whether a non-zero exit status is a result and not a failure of "
                            "the workload",
                            NULL},
};

_Static_assert(sizeof(options) / sizeof(options[0]) == EXEC_OPTION_COUNT,
               "enum exec_option names each option");

static const struct metric_schema metrics[] = {
    {"exec.duration", "s", BETTER_LOWER, SEEN_BY_BOTH,
     "guest time from the start of the command to its end"},
    {"exec.exit_status", "status", BETTER_NEITHER, SEEN_BY_BOTH,
     "exit status of the command; 128 and the signal's number where a signal ended it"},
};

const struct workload_schema exec_schema = {
    .name = "exec",
    .summary = "any command of the image, with its duration, exit status and printed metrics",
    .options = options,
    .option_count = EXEC_OPTION_COUNT,
    .metrics = metrics,
    .metric_count = sizeof(metrics) / sizeof(metrics[0]),
    .open_metrics = true,
};
