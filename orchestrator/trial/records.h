/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads what the agent wrote on the result port (docs/guest-protocol.md). The bytes are hostile
 * input: every line, count, name and number is bounded and checked, and reading stops at the first
 * byte that the protocol does not allow. What was read up to there stays, as evidence.
 */
#ifndef CULPRIT_TRIAL_RECORDS_H
#define CULPRIT_TRIAL_RECORDS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strv.h"
#include "topology/compare.h"
#include "trial/trial.h"

enum {
    RECORD_LINE_MAXIMUM = 4096, /* with the newline */
    RECORD_COUNT_MAXIMUM = 200000,
    RECORD_BYTES_MAXIMUM = 16 * 1024 * 1024,
    RECORD_LOG_MAXIMUM = 1024,
    RECORD_LOGS_KEPT = 64
};

struct guest_hello {
    unsigned protocol;
    char agent[64];
    uint64_t seed;
    char release[128];
    char version[256];
    char build_id[129]; /* hex; "" if the kernel has none */
    char cmdline[2049];
    unsigned cpus;
    uint64_t memory; /* bytes that the kernel has left */
    char clocksource[64];
};

/* A failure before the first workload: the plan could not be read, or a setting not be made. */
#define FAILURE_IN_SETUP UINT_MAX

/* How far the guest came. Each includes those before it, but that an agent which cannot read its
 * plan comes from hello to its end with nothing but a failure. */
enum guest_stage {
    STAGE_NOTHING, /* no hello */
    STAGE_HELLO,
    STAGE_READY, /* the topology is complete */
    STAGE_END,
};

struct guest_report {
    enum guest_stage stage;
    bool described; /* the ready record came: `seen` is complete */
    struct guest_hello hello;
    struct seen_topology seen;
    struct strv started;          /* names of the workloads, in the plan's order */
    size_t finished;              /* how many of them finished */
    bool failed;                  /* the agent reported a failure */
    unsigned failure_index;       /* of the workload in the plan, or FAILURE_IN_SETUP */
    char failure[1025];           /* its reason, escaped */
    struct metric_value *metrics; /* samples and counters, in order */
    size_t metric_count;
    struct strv logs;    /* escaped, the first RECORD_LOGS_KEPT */
    size_t record_count; /* good ones */
    size_t bytes;        /* of the good records, from the first byte of the port */
    char fault[512]; /* why reading stopped before the port's end: a sentence; "" if it did not */
    bool cut_line;   /* the port ends within a line */
};

/* 0 with a report, however bad the bytes; the only error is NO_MEMORY. */
int records_read(const char *bytes, size_t length, struct guest_report **ret,
                 struct culprit_error *error);

void guest_report_free(struct guest_report *report);
DEFINE_CLEANUP(struct guest_report *, guest_report_free);

#endif
