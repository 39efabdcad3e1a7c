/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout that a guest reported: its own words, bounded. Owned by the caller, filled item by
 * item from a zeroed struct.
 */
#ifndef CULPRIT_TOPOLOGY_SEEN_H
#define CULPRIT_TOPOLOGY_SEEN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
