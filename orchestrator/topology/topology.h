/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest's CPU, cache and NUMA layout: what QEMU is asked for, and what the guest must see.
 * Read from images/topologies/NAME.yaml; immutable afterwards. docs/topologies.md describes the
 * file.
 */
#ifndef CULPRIT_TOPOLOGY_TOPOLOGY_H
#define CULPRIT_TOPOLOGY_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/outcome.h"
#include "base/strv.h"

enum { TOPOLOGY_CPUS_MAXIMUM = 256 };

/* One level of what the guest must see. */
struct topology_cache {
    unsigned level;
    char type[16];      /* "Data", "Instruction", "Unified" */
    struct strv shared; /* one CPU list per instance, ordered by first CPU: "0-1", "2-3" */
};

struct topology_domain {
    unsigned level;    /* 0 innermost */
    struct strv names; /* allowed names, for kernels differ ("DIE", "PKG"); empty: any */
    struct strv spans; /* CPU list of each instance */
};

struct topology_expectation {
    unsigned cpus;
    unsigned packages;
    struct strv siblings; /* one CPU list per core */
    struct topology_cache *caches;
    size_t cache_count;
    struct strv nodes; /* one CPU list per NUMA node */
    struct topology_domain *domains;
    size_t domain_count;
};

struct topology {
    char *name;
    char *description;
    unsigned sockets, dies, cores, threads; /* per parent, as QEMU's -smp counts */
    unsigned nodes;                         /* NUMA nodes, CPUs split evenly in order */
    char *cpu_model;                        /* an Intel model under TCG */
    unsigned cpuid_level;                   /* 0: the model's */
    bool l3_cache;
    char *l2_shared_by; /* "core", "die", …: smp-cache topology of the L2; NULL: the model's */
    uint64_t memory;    /* bytes, default and minimum for a job that says none */
    uint64_t memory_maximum;
    unsigned shift;            /* deterministic engine: 10^9 / 2^shift instructions a second */
    unsigned second_shift;     /* the shift at which a verdict is confirmed */
    uint64_t boot_deadline_ns; /* host time that a boot may take, deterministic engine */
    struct topology_expectation expect;
};

/* Reads one file; errors name its line and column. */
int topology_load(const char *path, struct topology **ret, struct culprit_error *error);

/* By name from a directory of them; NOT_FOUND lists those there are, and the nearest. */
int topology_find(const char *directory, const char *name, struct topology **ret,
                  struct culprit_error *error);
int topology_list(const char *directory, struct strv *ret_names, struct culprit_error *error);

void topology_free(struct topology *topology);
DEFINE_CLEANUP(struct topology *, topology_free);

unsigned topology_cpus(const struct topology *topology);

#endif
