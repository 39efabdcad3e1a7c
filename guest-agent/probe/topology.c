/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe/topology.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cpu_mask.h"
#include "core/text.h"
#include "probe/domains.h"

#define SYSTEM_CPU  "/sys/devices/system/cpu"
#define SYSTEM_NODE "/sys/devices/system/node"

enum {
    CACHES_MAXIMUM = 2 * CPU_MASK_MAXIMUM + 256, /* distinct ones */
    CACHE_INDEXES = 16,                          /* of one CPU */
    NODES_MAXIMUM = 256,
};

struct cache {
    unsigned level;
    char type[16];
    struct cpu_mask shared;
};

__attribute__((format(printf, 3, 4))) static int read_at(char *line, size_t size,
                                                         const char *format, ...)
{
    char path[192];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(path, sizeof(path), format, arguments);
    va_end(arguments);
    return text_read_line(path, line, size);
}

/* A number of sysfs; `otherwise` where the kernel does not say, or says -1. */
static int64_t number_of(const char *text, int64_t otherwise)
{
    uint64_t value;

    return text_unsigned(text, &value) && value <= INT64_MAX ? (int64_t)value : otherwise;
}

static int read_mask(const char *path, struct cpu_mask *ret)
{
    char list[CPU_MASK_LIST_SIZE];
    int result = text_read_line(path, list, sizeof(list));

    if (result < 0)
        return result;
    return cpu_mask_parse_list(list, ret) ? 0 : -EINVAL;
}

static void put_mask(struct record_writer *writer, const char *name, const struct cpu_mask *mask)
{
    char list[CPU_MASK_LIST_SIZE];

    cpu_mask_print(mask, list);
    record_text(writer, name, list, sizeof(list));
}

/* The node that holds `cpu`; 0 on kernels without NUMA. */
static unsigned node_of(const struct cpu_mask *nodes, unsigned count, unsigned cpu)
{
    for (unsigned node = 0; node < count; node++)
        if (cpu_mask_has(&nodes[node], cpu))
            return node;
    return 0;
}

static int64_t read_topology(unsigned cpu, const char *name, int64_t otherwise)
{
    char text[64];

    read_at(text, sizeof(text), SYSTEM_CPU "/cpu%u/topology/%s", cpu, name);
    return number_of(text, otherwise);
}

static void report_cpu(struct record_writer *writer, unsigned cpu, unsigned node)
{
    struct cpu_mask siblings = {{0}};
    char path[128];

    text_print(path, sizeof(path), SYSTEM_CPU "/cpu%u/topology/thread_siblings_list", cpu);
    if (read_mask(path, &siblings) < 0)
        cpu_mask_set(&siblings, cpu); /* a kernel without topology files: a CPU is a core */

    record_begin(writer, "cpu");
    record_unsigned(writer, "cpu", cpu);
    record_signed(writer, "package", read_topology(cpu, "physical_package_id", 0));
    record_signed(writer, "die", read_topology(cpu, "die_id", 0)); /* since v5.2 */
    record_signed(writer, "core", read_topology(cpu, "core_id", cpu));
    put_mask(writer, "siblings", &siblings);
    record_unsigned(writer, "node", node);
    record_finish(writer);
}

/* "32K", "8192K": sysfs has no other unit. */
static uint64_t cache_size(const char *text)
{
    char digits[32];
    uint64_t size;

    text_print(digits, sizeof(digits), "%.*s", (int)strcspn(text, "K"), text);
    return text_unsigned(digits, &size) ? size * 1024 : 0;
}

static bool is_known(const struct cache *caches, size_t count, const struct cache *cache)
{
    for (size_t i = 0; i < count; i++)
        if (caches[i].level == cache->level && strcmp(caches[i].type, cache->type) == 0 &&
            cpu_mask_equal(&caches[i].shared, &cache->shared))
            return true;
    return false;
}

static void report_cache(struct record_writer *writer, const struct cache *cache, uint64_t size)
{
    record_begin(writer, "cache");
    record_unsigned(writer, "level", cache->level);
    record_text(writer, "type", cache->type, sizeof(cache->type));
    record_unsigned(writer, "size", size);
    put_mask(writer, "shared", &cache->shared);
    record_finish(writer);
}

/* Index `index` of the caches of `cpu`; false when there is no such index. */
static bool read_cache(unsigned cpu, unsigned index, struct cache *ret, uint64_t *ret_size)
{
    char text[64], path[128];

    memset(ret, 0, sizeof(*ret));
    if (read_at(text, sizeof(text), SYSTEM_CPU "/cpu%u/cache/index%u/level", cpu, index) < 0)
        return false;
    ret->level = (unsigned)number_of(text, 0);
    read_at(ret->type, sizeof(ret->type), SYSTEM_CPU "/cpu%u/cache/index%u/type", cpu, index);
    read_at(text, sizeof(text), SYSTEM_CPU "/cpu%u/cache/index%u/size", cpu, index);
    *ret_size = cache_size(text);
    text_print(path, sizeof(path), SYSTEM_CPU "/cpu%u/cache/index%u/shared_cpu_list", cpu, index);
    return read_mask(path, &ret->shared) == 0;
}

static int report_caches(struct record_writer *writer, const struct cpu_mask *online)
{
    struct cache *caches = calloc(CACHES_MAXIMUM, sizeof(*caches));
    size_t count = 0;

    if (!caches)
        return -ENOMEM;
    for (unsigned cpu = 0; cpu < CPU_MASK_MAXIMUM; cpu++)
        for (unsigned index = 0; cpu_mask_has(online, cpu) && index < CACHE_INDEXES; index++) {
            struct cache cache;
            uint64_t size;
            if (!read_cache(cpu, index, &cache, &size))
                break;
            if (count == CACHES_MAXIMUM || is_known(caches, count, &cache))
                continue;
            caches[count++] = cache;
            report_cache(writer, &cache, size);
        }
    free(caches);
    return 0;
}

/* CPU lists of the nodes, which sysfs numbers without gaps on a machine that was just booted. */
static unsigned read_nodes(struct cpu_mask *nodes)
{
    unsigned count = 0;
    char path[128];

    for (; count < NODES_MAXIMUM; count++) {
        text_print(path, sizeof(path), SYSTEM_NODE "/node%u/cpulist", count);
        if (read_mask(path, &nodes[count]) < 0)
            break;
    }
    return count;
}

static uint64_t node_memory(unsigned node)
{
    char line[128];
    unsigned long long kibibytes = 0;

    read_at(line, sizeof(line), SYSTEM_NODE "/node%u/meminfo", node);
    return sscanf(line, "Node %*u MemTotal: %llu kB", &kibibytes) == 1 ? kibibytes * 1024ull : 0;
}

int topology_report(struct record_writer *writer, char *message, size_t message_size)
{
    static struct cpu_mask nodes[NODES_MAXIMUM];
    struct cpu_mask online;
    unsigned count = read_nodes(nodes);

    int result = read_mask(SYSTEM_CPU "/online", &online);
    if (result < 0) {
        text_print(message, message_size,
                   "cannot read which CPUs are online (" SYSTEM_CPU "/online): %s",
                   strerror(-result));
        return result;
    }
    for (unsigned cpu = 0; cpu < CPU_MASK_MAXIMUM; cpu++)
        if (cpu_mask_has(&online, cpu))
            report_cpu(writer, cpu, node_of(nodes, count, cpu));
    result = report_caches(writer, &online);
    if (result < 0) {
        text_print(message, message_size, "cannot report caches: %s", strerror(-result));
        return result;
    }
    for (unsigned node = 0; node < count; node++) {
        record_begin(writer, "node");
        record_unsigned(writer, "node", node);
        put_mask(writer, "cpus", &nodes[node]);
        record_unsigned(writer, "memory", node_memory(node));
        record_finish(writer);
    }
    return domains_report(writer, message, message_size);
}
