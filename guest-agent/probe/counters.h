/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's own counters around a workload: /proc/schedstat, /proc/stat and a list of
 * /proc/vmstat. What this kernel does not have is left out; what it has is reported even when the
 * difference is zero, so that two kernels' trials have the same metrics.
 */
#ifndef CULPRIT_AGENT_COUNTERS_H
#define CULPRIT_AGENT_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/record.h"
#include "probe/schedstat.h"

enum { COUNTERS_MAXIMUM = 32 };

struct counters {
    bool has_schedstat;
    struct schedstat schedstat;
    /* /proc/stat and /proc/vmstat, by place in the tables of counters.c. */
    bool present[COUNTERS_MAXIMUM];
    uint64_t values[COUNTERS_MAXIMUM];
};

/* 0, or a negative errno with a sentence when /proc is there but cannot be understood. */
int counters_read(struct counters *ret, char *message, size_t message_size);

/* One `counter` record each for workload `index`. */
void counters_report(struct record_writer *writer, uint64_t index, const struct counters *before,
                     const struct counters *after);

#endif
