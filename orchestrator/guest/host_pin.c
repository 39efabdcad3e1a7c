/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A guest's layout on a host's: last-level caches first, cores in them, siblings in those. */
#include <string.h>

#include "guest/host.h"
#include "topology/cpulist.h"

struct fit {
    const struct topology *topology;
    const struct host_layout *layout;
    unsigned *pins;
    struct cpu_set used_caches; /* by their lowest CPU */
    struct cpu_set used_cpus;
};

/* The guest's last-level caches, each a CPU list. */
static const struct strv *guest_caches(const struct topology *topology)
{
    const struct topology_cache *last = NULL;

    for (size_t i = 0; i < topology->expect.cache_count; i++)
        if (!last || topology->expect.caches[i].level > last->level)
            last = &topology->expect.caches[i];
    return last ? &last->shared : &topology->expect.siblings;
}

/* Host CPUs of one core within one cache, ascending, at most `maximum`. */
static unsigned core_cpus(const struct fit *fit, unsigned core, unsigned *ret, unsigned maximum)
{
    unsigned count = 0;

    for (size_t i = 0; i < fit->layout->count && count < maximum; i++)
        if (fit->layout->cpus[i].core == core &&
            !cpu_set_contains(&fit->used_cpus, fit->layout->cpus[i].cpu))
            ret[count++] = fit->layout->cpus[i].cpu;
    return count;
}

/* Places the guest's cores first, first + threads, … on cores of one host cache. Gives how many
 * found room; nothing is marked as used when that is not all of them. */
static unsigned place_in_cache(struct fit *fit, unsigned cache, const struct cpu_set *guest)
{
    unsigned threads = fit->topology->threads;
    unsigned wanted = cpu_set_count(guest) / threads;
    unsigned placed = 0;
    unsigned next = cpu_set_first(guest);
    struct cpu_set cores = {0}, taken = {0};

    for (size_t i = 0; i < fit->layout->count && placed < wanted; i++) {
        const struct host_cpu *cpu = &fit->layout->cpus[i];
        unsigned siblings[2];
        if (cpu->cache != cache || cpu_set_contains(&cores, cpu->core))
            continue;
        cpu_set_add(&cores, cpu->core);
        if (core_cpus(fit, cpu->core, siblings, threads) < threads)
            continue;
        for (unsigned thread = 0; thread < threads; thread++) {
            fit->pins[next++] = siblings[thread];
            cpu_set_add(&taken, siblings[thread]);
        }
        placed++;
    }
    if (placed == wanted) {
        cpu_set_merge(&fit->used_cpus, &taken);
        cpu_set_add(&fit->used_caches, cache);
    }
    return placed;
}

/* One guest cache into the first host cache of the node with room. */
static bool place_cache(struct fit *fit, unsigned node, bool any_node, const struct cpu_set *guest)
{
    unsigned wanted = cpu_set_count(guest) / fit->topology->threads;
    struct cpu_set tried = {0};

    for (size_t i = 0; i < fit->layout->count; i++) {
        const struct host_cpu *cpu = &fit->layout->cpus[i];
        if ((!any_node && cpu->node != node) || cpu_set_contains(&tried, cpu->cache) ||
            cpu_set_contains(&fit->used_caches, cpu->cache))
            continue;
        cpu_set_add(&tried, cpu->cache);
        if (place_in_cache(fit, cpu->cache, guest) == wanted)
            return true;
    }
    return false;
}

/* All of a guest node's caches into one host node; what was placed is undone if not all fit. */
static bool place_node(struct fit *fit, unsigned host_node, bool any_node,
                       const struct cpu_set *guest_node)
{
    const struct strv *caches = guest_caches(fit->topology);
    struct cpu_set used_caches = fit->used_caches, used_cpus = fit->used_cpus;

    for (size_t i = 0; i < caches->count; i++) {
        struct cpu_set cache;
        if (cpu_set_parse(caches->items[i], CPU_SET_SIZE, &cache, NULL) < 0)
            return false;
        if (cpu_set_overlap(&cache, guest_node) && !place_cache(fit, host_node, any_node, &cache)) {
            fit->used_caches = used_caches;
            fit->used_cpus = used_cpus;
            return false;
        }
    }
    return true;
}

static bool place_all(struct fit *fit)
{
    const struct strv *nodes = &fit->topology->expect.nodes;
    struct cpu_set used_nodes = {0};

    for (size_t i = 0; i < nodes->count; i++) {
        struct cpu_set guest;
        bool placed = false;
        if (cpu_set_parse(nodes->items[i], CPU_SET_SIZE, &guest, NULL) < 0)
            return false;
        for (size_t j = 0; j < fit->layout->count && !placed; j++) {
            unsigned node = fit->layout->cpus[j].node;
            if (cpu_set_contains(&used_nodes, node))
                continue;
            placed = place_node(fit, node, false, &guest);
            if (placed)
                cpu_set_add(&used_nodes, node);
        }
        /* A guest of one node may stretch over several of the host's if no single one suffices. */
        if (!placed && (nodes->count > 1 || !place_node(fit, 0, true, &guest)))
            return false;
    }
    return true;
}

/* What the host has, for the message. */
static void count_host(const struct host_layout *layout, unsigned *cores, unsigned *caches,
                       unsigned *nodes)
{
    struct cpu_set core_set = {0}, cache_set = {0}, node_set = {0};

    for (size_t i = 0; i < layout->count; i++) {
        cpu_set_add(&core_set, layout->cpus[i].core);
        cpu_set_add(&cache_set, layout->cpus[i].cache);
        cpu_set_add(&node_set, layout->cpus[i].node);
    }
    *cores = cpu_set_count(&core_set);
    *caches = cpu_set_count(&cache_set);
    *nodes = cpu_set_count(&node_set);
}

static int fail_layout(const struct topology *topology, const struct host_layout *layout,
                       struct culprit_error *error)
{
    unsigned cores, caches, nodes;

    count_host(layout, &cores, &caches, &nodes);
    return culprit_fail(
        error, CULPRIT_UNSUPPORTED,
        "topology %s needs %zu last-level caches of %u cores with %u threads each in %u nodes; "
        "this host has %zu CPUs on %u cores, %u last-level caches, %u nodes",
        topology->name, guest_caches(topology)->count,
        topology_cpus(topology) / topology->threads / (unsigned)guest_caches(topology)->count,
        topology->threads, topology->nodes, layout->count, cores, caches, nodes);
}

static int list_rest(const struct fit *fit, char **ret, struct culprit_error *error)
{
    struct cpu_set rest = {0};

    for (size_t i = 0; i < fit->layout->count; i++)
        if (!cpu_set_contains(&fit->used_cpus, fit->layout->cpus[i].cpu))
            cpu_set_add(&rest, fit->layout->cpus[i].cpu);
    *ret = cpu_set_format(&rest);
    return *ret ? 0 : culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a CPU list");
}

int host_pin(const struct topology *topology, const struct host_layout *layout, unsigned **ret_pins,
             char **ret_rest, struct culprit_error *error)
{
    unsigned cpus = topology_cpus(topology);

    if (layout->count < (size_t)cpus + 1)
        return culprit_fail(error, CULPRIT_UNSUPPORTED,
                            "topology %s needs %u host CPUs for its own and one for QEMU; this "
                            "host has %zu",
                            topology->name, cpus, layout->count);
    _cleanup_free_ unsigned *pins = calloc(cpus, sizeof *pins);
    if (!pins)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a guest's CPUs");
    struct fit fit = {.topology = topology, .layout = layout, .pins = pins};
    if (!place_all(&fit))
        return fail_layout(topology, layout, error);
    int status = list_rest(&fit, ret_rest, error);
    if (status < 0)
        return status;
    *ret_pins = take(pins);
    return 0;
}
