/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout that a guest reported, and its comparison with the one that was asked for: level by
 * level, so that a difference can be named. Pure; owned by the caller.
 */
#ifndef CULPRIT_TRIAL_COMPARE_H
#define CULPRIT_TRIAL_COMPARE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest/topology.h"

enum {
    SEEN_CPUS_MAXIMUM = 8192,
    SEEN_CACHES_MAXIMUM = 4 * SEEN_CPUS_MAXIMUM,
    SEEN_NODES_MAXIMUM = 1024,
    SEEN_DOMAINS_MAXIMUM = 4 * SEEN_CPUS_MAXIMUM,
    CPU_LIST_SIZE = 1024 /* bytes of a CPU list with its NUL */
};

struct seen_cpu {
    unsigned cpu, package, die, core, node;
    char *siblings;
};

struct seen_cache {
    unsigned level;
    char type[16];
    uint64_t size;
    char *shared;
};

struct seen_node {
    unsigned node;
    char *cpus;
    uint64_t memory;
};

struct seen_domain {
    unsigned level;
    char name[32]; /* "" where the kernel does not say */
    char *span;
};

struct seen_topology {
    struct seen_cpu *cpus;
    size_t cpu_count;
    struct seen_cache *caches;
    size_t cache_count;
    struct seen_node *nodes;
    size_t node_count;
    struct seen_domain *domains;
    size_t domain_count;
};

/* Each copies what it is given; false without memory or past the maximum of its kind. */
bool seen_add_cpu(struct seen_topology *seen, const struct seen_cpu *cpu);
bool seen_add_cache(struct seen_topology *seen, const struct seen_cache *cache);
bool seen_add_node(struct seen_topology *seen, const struct seen_node *node);
bool seen_add_domain(struct seen_topology *seen, const struct seen_domain *domain);

/* A new object: cpus, packages, siblings, caches, nodes, domains. NULL without memory. */
json_t *seen_topology_json(const struct seen_topology *seen);

void seen_topology_clear(struct seen_topology *seen);

struct topology_level {
    char name[64]; /* "CPUs", "SMT siblings", "L2 caches", "scheduler domain 0" */
    char *asked;   /* "0-1 2-3", or "none" */
    char *seen;
    bool same;
};

/* Levels in a fixed order: CPUs, packages, siblings, caches inside out, nodes, domains. */
struct topology_comparison {
    struct topology_level *levels;
    size_t count;
};

/*
 * What the expectation names is compared exactly. Beyond it: a cache of level 2 or more that was
 * not asked for is a difference, first-level caches are not; scheduler domains are compared only
 * if the expectation has any; a guest that tells nothing of NUMA nodes has one. Domain names differ
 * between kernels: those that the expectation allows, and "", are the same.
 * NO_MEMORY is the only error.
 */
int topology_compare(const struct topology *asked, const struct seen_topology *seen,
                     struct topology_comparison *ret, struct culprit_error *error);

bool topology_comparison_same(const struct topology_comparison *comparison);

/* "L2 caches: asked 0-1 2-3, seen 0-3; …": every difference, long lists shortened; "" if none. */
void topology_comparison_describe(const struct topology_comparison *comparison, char *text,
                                  size_t size);

/* A new array of {level, asked, seen, same}; NULL without memory. */
json_t *topology_comparison_json(const struct topology_comparison *comparison);

void topology_comparison_clear(struct topology_comparison *comparison);

#endif
