/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes what an agent would write on the result port, right or deliberately wrong. */
#ifndef CULPRIT_TESTS_TRIAL_SCRIPT_H
#define CULPRIT_TESTS_TRIAL_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "job/workload.h"
#include "topology/topology.h"

struct script {
    struct buffer bytes;
    unsigned count;
    uint32_t measured; /* digest of samples, counters and histograms */
};

#define SCRIPT_INIT                            \
    {                                          \
        .bytes = BUFFER_INIT(32 * 1024 * 1024) \
    }

/* One record: {"n":N,MEMBERS,"crc":"…"}, with the number and checksum that it should have. */
void script_add(struct script *script, const char *members, ...)
    __attribute__((format(printf, 2, 3)));

/* The right end record. */
void script_end(struct script *script);

/* hello to ready, of a guest with two CPUs that share an L3; `cmdline` as the kernel shows it. */
struct script_guest {
    const char *cmdline;
    uint64_t seed;
    const char *build_id;
    const char *l3;  /* shared list of the L3; NULL: "0-1" */
    uint64_t memory; /* 0: 500 MiB */
};
void script_describe(struct script *script, const struct script_guest *guest);

/* start, two samples, a counter, finish. */
void script_wakeup(struct script *script, double p50, double p99);

void script_clear(struct script *script);

static inline void script_clear_cleanup(struct script *script)
{
    script_clear(script);
}

#define _cleanup_script_ __attribute__((cleanup(script_clear_cleanup)))

/* The topology that script_describe()'s guest has: read from the project's pair.yaml. */
struct topology *script_pair(void);

/* The workload wakeup with its defaults. */
void script_request(struct workload_request *request);

#endif
