/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the guest reported of its layout: collecting it, and showing it as JSON. */
#include "topology/seen.h"

#include <stdlib.h>
#include <string.h>

/* Room for one more item; arrays grow by doubling, from 16, when the count is a power of two. */
static bool grow(void **items, size_t count, size_t size, size_t maximum)
{
    size_t capacity;
    void *larger;

    if (count >= maximum)
        return false;
    if (count != 0 && (count < 16 || (count & (count - 1)) != 0))
        return true;
    capacity = count == 0 ? 16 : count * 2;
    larger = reallocarray(*items, capacity, size);
    if (!larger)
        return false;
    *items = larger;
    return true;
}

bool seen_add_cpu(struct seen_topology *seen, const struct seen_cpu *cpu)
{
    char *siblings = strdup(cpu->siblings);

    if (!siblings || !grow((void **)&seen->cpus, seen->cpu_count, sizeof *cpu, SEEN_CPUS_MAXIMUM)) {
        free(siblings);
        return false;
    }
    seen->cpus[seen->cpu_count] = *cpu;
    seen->cpus[seen->cpu_count++].siblings = siblings;
    return true;
}

bool seen_add_cache(struct seen_topology *seen, const struct seen_cache *cache)
{
    char *shared = strdup(cache->shared);

    if (!shared ||
        !grow((void **)&seen->caches, seen->cache_count, sizeof *cache, SEEN_CACHES_MAXIMUM)) {
        free(shared);
        return false;
    }
    seen->caches[seen->cache_count] = *cache;
    seen->caches[seen->cache_count++].shared = shared;
    return true;
}

bool seen_add_node(struct seen_topology *seen, const struct seen_node *node)
{
    char *cpus = strdup(node->cpus);

    if (!cpus || !grow((void **)&seen->nodes, seen->node_count, sizeof *node, SEEN_NODES_MAXIMUM)) {
        free(cpus);
        return false;
    }
    seen->nodes[seen->node_count] = *node;
    seen->nodes[seen->node_count++].cpus = cpus;
    return true;
}

bool seen_add_domain(struct seen_topology *seen, const struct seen_domain *domain)
{
    char *span = strdup(domain->span);

    if (!span ||
        !grow((void **)&seen->domains, seen->domain_count, sizeof *domain, SEEN_DOMAINS_MAXIMUM)) {
        free(span);
        return false;
    }
    seen->domains[seen->domain_count] = *domain;
    seen->domains[seen->domain_count++].span = span;
    return true;
}

void seen_topology_clear(struct seen_topology *seen)
{
    for (size_t i = 0; i < seen->cpu_count; i++)
        free(seen->cpus[i].siblings);
    for (size_t i = 0; i < seen->cache_count; i++)
        free(seen->caches[i].shared);
    for (size_t i = 0; i < seen->node_count; i++)
        free(seen->nodes[i].cpus);
    for (size_t i = 0; i < seen->domain_count; i++)
        free(seen->domains[i].span);
    free(seen->cpus);
    free(seen->caches);
    free(seen->nodes);
    free(seen->domains);
    memset(seen, 0, sizeof *seen);
}

static json_t *cpus_json(const struct seen_topology *seen)
{
    json_t *array = json_array();

    for (size_t i = 0; i < seen->cpu_count; i++) {
        const struct seen_cpu *cpu = &seen->cpus[i];
        json_array_append_new(array,
                              json_pack("{s:i, s:i, s:i, s:i, s:i, s:s}", "cpu", cpu->cpu,
                                        "package", cpu->package, "die", cpu->die, "core", cpu->core,
                                        "node", cpu->node, "siblings", cpu->siblings));
    }
    return array;
}

static json_t *caches_json(const struct seen_topology *seen)
{
    json_t *array = json_array();

    for (size_t i = 0; i < seen->cache_count; i++) {
        const struct seen_cache *cache = &seen->caches[i];
        json_array_append_new(array, json_pack("{s:i, s:s, s:I, s:s}", "level", cache->level,
                                               "type", cache->type, "size", (json_int_t)cache->size,
                                               "shared", cache->shared));
    }
    return array;
}

static json_t *nodes_json(const struct seen_topology *seen)
{
    json_t *array = json_array();

    for (size_t i = 0; i < seen->node_count; i++) {
        const struct seen_node *node = &seen->nodes[i];
        json_array_append_new(array, json_pack("{s:i, s:s, s:I}", "node", node->node, "cpus",
                                               node->cpus, "memory", (json_int_t)node->memory));
    }
    return array;
}

static json_t *domains_json(const struct seen_topology *seen)
{
    json_t *array = json_array();

    for (size_t i = 0; i < seen->domain_count; i++) {
        const struct seen_domain *domain = &seen->domains[i];
        json_array_append_new(array, json_pack("{s:i, s:s, s:s}", "level", domain->level, "name",
                                               domain->name, "span", domain->span));
    }
    return array;
}

json_t *seen_topology_json(const struct seen_topology *seen)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "cpus", cpus_json(seen), "caches", caches_json(seen),
                     "nodes", nodes_json(seen), "domains", domains_json(seen));
}
