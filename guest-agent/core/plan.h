/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan: what a trial does. Read strictly from the text of docs/guest-protocol.md, checked
 * against the schemas of the workloads, immutable afterwards. Pure: no I/O.
 */
#ifndef CULPRIT_AGENT_PLAN_H
#define CULPRIT_AGENT_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "workload_schema.h"

enum {
    PLAN_MAXIMUM = 64 * 1024,     /* bytes */
    PLAN_LINE_MAXIMUM = 8 * 1024, /* bytes, without the newline */
    PLAN_SETTINGS_MAXIMUM = 128,  /* sysctl and feature lines */
    PLAN_WORKLOADS_MAXIMUM = 64,
    PLAN_OPTIONS_MAXIMUM = 32, /* options of one workload */
};

enum plan_setting_kind { PLAN_SYSCTL, PLAN_FEATURE };

struct plan_setting {
    enum plan_setting_kind kind;
    const char *key;   /* "kernel.sched_schedstats", "NO_PLACE_LAG" */
    const char *value; /* of a sysctl; else NULL */
};

struct plan_option {
    const char *text; /* as the plan has it */
    uint64_t number;  /* count, nanoseconds, bytes, 0 or 1, or the per cent */
    bool percent;     /* number is a share of the CPUs */
};

struct plan_workload {
    const struct workload_schema *schema;
    struct plan_option options[PLAN_OPTIONS_MAXIMUM]; /* in the schema's order */
};

struct plan {
    uint64_t seed; /* below 2^63 */
    bool schedstats;
    struct plan_setting settings[PLAN_SETTINGS_MAXIMUM];
    size_t setting_count;
    struct plan_workload workloads[PLAN_WORKLOADS_MAXIMUM];
    size_t workload_count;
};

/* Reads `text`, which it takes apart and the plan keeps pointing into: it must live as long, and
 * have a NUL at text[length]. False with a sentence that names the line. */
bool plan_read(char *text, size_t length, struct plan *ret, char *message, size_t message_size);

/* An option as a count: a share becomes that part of `cpus`, rounded down, at least 1. */
uint64_t plan_option_count(const struct plan_option *option, unsigned cpus);

#endif
