/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/schedstat, versions 14 to 17, added up over the CPUs: the totals of the cpu lines, and for
 * each level of scheduler domains the totals of that level. Versions differ in the number, order
 * and meaning of the columns (Documentation/scheduler/sched-stats.rst of each kernel). Pure.
 */
#ifndef CULPRIT_AGENT_SCHEDSTAT_H
#define CULPRIT_AGENT_SCHEDSTAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cpu_mask.h"

enum {
    SCHEDSTAT_LEVELS = 8,
    SCHEDSTAT_CPU_FIELDS = 12,    /* most of any version */
    SCHEDSTAT_DOMAIN_FIELDS = 45, /* most of any version */
    SCHEDSTAT_NAME_SIZE = 64,
    SCHEDSTAT_MAXIMUM = 4 * 1024 * 1024, /* bytes of text */
};

struct schedstat {
    unsigned version;
    unsigned levels; /* of the deepest chain */
    uint64_t cpu[SCHEDSTAT_CPU_FIELDS];
    uint64_t domains[SCHEDSTAT_LEVELS][SCHEDSTAT_DOMAIN_FIELDS];
};

/* Called for each domain line: `name` is "" before version 17. */
typedef void (*schedstat_visit)(unsigned cpu, unsigned level, const char *name,
                                const struct cpu_mask *span, void *userdata);

/* Takes `text` apart. `visit` may be NULL. False with a sentence for an unknown version or a line
 * that is not of its version. */
bool schedstat_parse(char *text, struct schedstat *ret, schedstat_visit visit, void *userdata,
                     char *message, size_t message_size);

/* Called with "schedstat.cpu.run_ns", "schedstat.domain0.lb_failed_idle" and so on. */
typedef void (*schedstat_emit)(const char *name, uint64_t value, void *userdata);

/* Each counter of `after` less that of `before`; both of one boot. Columns that the version keeps
 * but no longer counts are left out. */
void schedstat_difference(const struct schedstat *before, const struct schedstat *after,
                          schedstat_emit emit, void *userdata);

#endif
