/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trial: one boot of one kernel with one seed, from a specification to its metrics and result
 * digest. trial_run() blocks; run it in a worker. The result is a fact: it holds everything that
 * was measured and all that is needed to have it again.
 */
#ifndef CULPRIT_TRIAL_TRIAL_H
#define CULPRIT_TRIAL_TRIAL_H

#include <jansson.h>

#include "base/digest.h"
#include "guest/console.h"
#include "guest/hypervisor.h"
#include "job/workload.h"
#include "topology/compare.h"

struct trial_spec {
    const char *kernel;      /* bzImage */
    const char *build_id;    /* hex; NULL or "": not checked (a kernel that was not built here) */
    const char *guest_image; /* initramfs without the plan */
    const struct topology *topology;
    enum engine engine; /* resolved: not ENGINE_AUTO */
    unsigned shift;
    uint64_t memory;
    const struct strv *cmdline;  /* the job's additions; may be NULL */
    const struct strv *sysctls;  /* "key value"; may be NULL */
    const struct strv *features; /* scheduler features; may be NULL */
    const struct workload_request *workloads;
    size_t workload_count; /* 0: boot, describe the topology, power off */
    uint64_t seed;         /* < 2^63 */
    uint64_t deadline_ns;  /* host time; 0: from topology, engine and the workloads' runtime */
    const char *console_pattern; /* as base/line_pattern.h; NULL: the console is not searched */
    const char *directory; /* must exist; gets plan.cpio, initrd, console.log, records.jsonl */
    const char *label;
};

struct metric_value {
    char name[97];
    char unit[16];
    enum metric_direction better;
    double value;
    unsigned index; /* of the workload in the plan */
    bool counter;
};

struct trial_result {
    enum outcome outcome;
    char message[512]; /* a sentence; "" when ok */
    bool by_workload;  /* WORKLOAD_FAILED: by a workload, not by what is around it */
    bool console_matched;
    char console_line[CONSOLE_LINE_MAXIMUM]; /* the first one that did, without its time stamp */
    struct metric_value *metrics;
    size_t metric_count;
    char digest[DIGEST_HEX_SIZE]; /* of the result; "" unless ok */
    char kernel_digest[DIGEST_HEX_SIZE];
    char image_digest[DIGEST_HEX_SIZE];
    uint64_t seed;
    enum engine engine;
    unsigned shift;
    uint64_t wall_ns;
    json_t *identity; /* object: all that makes the trial repeatable */
    json_t *topology; /* object: what the guest saw; NULL if it did not come that far */
    struct topology_comparison comparison; /* asked and seen; empty if it did not come that far */
};

/* 0 with a result, whatever the trial's outcome; an error only when not even a result could be
 * made (no memory, a spec that is not one). Infrastructure trouble is OUTCOME_INFRA_FAILED. */
int trial_run(struct hypervisor *hypervisor, const struct trial_spec *spec, struct cancel *cancel,
              struct trial_result **ret, struct culprit_error *error);

void trial_result_free(struct trial_result *result);
DEFINE_CLEANUP(struct trial_result *, trial_result_free);

/* The value of a metric by its full name; false when the trial has none. */
bool trial_result_metric(const struct trial_result *result, const char *name, double *ret);

/* Everything as one JSON object (the form of `try --json` and of the REST API). */
json_t *trial_result_json(const struct trial_result *result);

#endif
