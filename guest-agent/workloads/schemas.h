/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The schema of each workload, for the table in workload_schema.c and for the workload's own
 * code. The enums give an option's place in its schema, so that the code reads options by place
 * and the compiler checks that the two agree in number.
 */
#ifndef CULPRIT_WORKLOADS_SCHEMAS_H
#define CULPRIT_WORKLOADS_SCHEMAS_H

#include "workload_schema.h"

enum exec_option {
    EXEC_COMMAND,
    EXEC_TIMEOUT,
    EXEC_PARSER,
    EXEC_ALLOW_FAILURE,
    EXEC_OPTION_COUNT,
};

enum wakeup_option {
    WAKEUP_MESSAGE_THREADS,
    WAKEUP_WORKERS,
    WAKEUP_RUNTIME,
    WAKEUP_WARMUP,
    WAKEUP_ZERO_INTERVAL,
    WAKEUP_THINK,
    WAKEUP_MESSAGE_THINK,
    WAKEUP_SLEEP,
    WAKEUP_TRANSFER,
    WAKEUP_REQUESTS_PER_SECOND,
    WAKEUP_OPTION_COUNT,
};

extern const struct workload_schema exec_schema;
extern const struct workload_schema wakeup_schema;

#endif
