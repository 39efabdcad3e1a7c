/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each workload is called, takes and gives. One table, compiled into the agent (which runs
 * the workloads) and into the host programs (which check jobs against it and document it), so that
 * the two cannot disagree. C11, no allocation, no I/O.
 *
 * Each workload keeps its schema in workloads/NAME_schema.c and its code in workloads/NAME.c.
 */
#ifndef CULPRIT_WORKLOAD_SCHEMA_H
#define CULPRIT_WORKLOAD_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_type {
    OPTION_COUNT,            /* a whole number */
    OPTION_COUNT_OR_PERCENT, /* a whole number, or "N%" of the guest's CPUs: rounded down, at least
                                1 */
    OPTION_DURATION,         /* "30s" in a job; nanoseconds in the plan */
    OPTION_SIZE,             /* "64KiB" in a job; bytes in the plan */
    OPTION_BOOLEAN,          /* "true" or "false" */
    OPTION_TEXT,             /* one line of at most 4096 bytes without control characters */
};

struct option_schema {
    const char *name;
    enum option_type type;
    const char *default_value; /* as a job would write it; NULL: must be given */
    uint64_t minimum, maximum; /* in base units (count, ns, bytes); for text: length */
    const char *summary;
    const char *const *choices; /* text only: the values allowed, ended by NULL; NULL: any */
};

enum metric_direction { BETTER_LOWER, BETTER_HIGHER, BETTER_NEITHER };

/* Which engines can see a metric: see docs/engines.md. */
enum metric_visibility {
    SEEN_BY_REALTIME = 1 << 0,
    SEEN_BY_DETERMINISTIC = 1 << 1,
    SEEN_BY_BOTH = SEEN_BY_REALTIME | SEEN_BY_DETERMINISTIC,
};

struct metric_schema {
    const char *name; /* full and stable: "wakeup.latency.p99" */
    const char *unit; /* "us", "1/s", "count", … */
    enum metric_direction better;
    unsigned visibility; /* of enum metric_visibility */
    const char *summary;
};

struct workload_schema {
    const char *name;
    const char *summary;
    const struct option_schema *options;
    size_t option_count;
    const struct metric_schema *metrics;
    size_t metric_count;
    /* Metrics under "NAME." that only the run itself can name (exec's parsers); else false. */
    bool open_metrics;
};

/* All workloads, ordered by name. */
extern const struct workload_schema *const workload_schemas[];
extern const size_t workload_schema_count;

/* Each gives NULL when there is no such name. */
const struct workload_schema *workload_schema_find(const char *name);
const struct option_schema *workload_option_find(const struct workload_schema *workload,
                                                 const char *name);
const struct metric_schema *workload_metric_find(const struct workload_schema *workload,
                                                 const char *name);

#endif
