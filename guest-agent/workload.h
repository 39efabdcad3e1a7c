/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a workload is to the agent: a schema, a limit and a function that runs in a process of its
 * own, and leaves what it found in memory shared with the agent. So a workload may crash, leak or
 * hang: the agent lives on and says so. Everything a workload can leave has a maximum.
 *
 * To add one: workloads/NAME_schema.c, workloads/NAME.c, and a line in each of the two tables
 * (workload_schema.c and workload.c).
 */
#ifndef CULPRIT_AGENT_WORKLOAD_H
#define CULPRIT_AGENT_WORKLOAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/histogram.h"
#include "core/plan.h"
#include "core/record.h"

enum {
    WORKLOAD_SAMPLES = 512,
    WORKLOAD_LOG_LINES = 32, /* the last ones are kept */
    WORKLOAD_NAME_SIZE = 97,
    WORKLOAD_UNIT_SIZE = 16,
};

struct workload_sample {
    char name[WORKLOAD_NAME_SIZE];
    char unit[WORKLOAD_UNIT_SIZE];
    enum metric_direction better;
    double value;
};

/* Written by the workload's process, read by the agent's once that has ended. */
struct workload_result {
    bool finished; /* run() came back */
    bool failed;
    char failure[RECORD_TEXT_MAXIMUM];
    size_t sample_count;
    struct workload_sample samples[WORKLOAD_SAMPLES];
    uint64_t log_count; /* all lines there were; line i is in log[i % WORKLOAD_LOG_LINES] */
    char log[WORKLOAD_LOG_LINES][RECORD_TEXT_MAXIMUM];
    char histogram_name[WORKLOAD_NAME_SIZE]; /* "": no histogram */
    struct histogram histogram;              /* of nanoseconds */
};

struct workload_context {
    const struct plan_workload *plan;
    uint64_t seed; /* of this workload: the plan's and its index, mixed */
    unsigned cpus; /* online */
    struct workload_result *result;
};

struct workload {
    const struct workload_schema *schema;
    /* Guest time, ns, that run() may take at the very most: it is killed then, and has failed. */
    int64_t (*limit)(const struct workload_context *context);
    void (*run)(struct workload_context *context);
};

/* Never NULL for a schema of the table. */
const struct workload *workload_find(const struct workload_schema *schema);

/* For the workloads' own code. Options are named by their place in the schema. */
uint64_t workload_number(const struct workload_context *context, size_t option);
const char *workload_text(const struct workload_context *context, size_t option);

/* A metric of the schema: its unit and direction come from there. */
void workload_sample(struct workload_context *context, const char *name, double value);
/* Any other; false when there are too many already. */
bool workload_add_sample(struct workload_context *context, const struct workload_sample *sample);
void workload_log(struct workload_context *context, const char *text);
/* The first failure is kept. */
__attribute__((format(printf, 2, 3))) void workload_fail(struct workload_context *context,
                                                         const char *format, ...);

#endif
