/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout that a guest reported beside the one that was asked for: level by level, so that a
 * difference can be named. Pure; owned by the caller.
 */
#ifndef CULPRIT_TOPOLOGY_COMPARE_H
#define CULPRIT_TOPOLOGY_COMPARE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "topology/seen.h"
#include "topology/topology.h"

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
