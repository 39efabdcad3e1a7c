/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/host.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "base/file.h"
#include "topology/cpulist.h"

enum { LIST_MAXIMUM = 64 * 1024, CACHE_INDEXES = 8, NODES_MAXIMUM = 256 };

static int no_memory(struct culprit_error *error)
{
    return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the host's layout");
}

void host_layout_free(struct host_layout *layout)
{
    if (!layout)
        return;
    free(layout->cpus);
    free(layout);
}

int host_allowed_cpus(char **ret_list, struct culprit_error *error)
{
    struct cpu_set set = {0};
    cpu_set_t *mask = CPU_ALLOC(HOST_CPUS_MAXIMUM);
    size_t size = CPU_ALLOC_SIZE(HOST_CPUS_MAXIMUM);

    if (!mask)
        return no_memory(error);
    if (sched_getaffinity(0, size, mask) < 0) {
        int cause = errno;
        CPU_FREE(mask);
        return culprit_fail_errno(error, cause, "cannot read on which CPUs this process may run");
    }
    for (unsigned cpu = 0; cpu < HOST_CPUS_MAXIMUM; cpu++)
        if (CPU_ISSET_S(cpu, size, mask))
            cpu_set_add(&set, cpu);
    CPU_FREE(mask);
    *ret_list = cpu_set_format(&set);
    return *ret_list ? 0 : no_memory(error);
}

__attribute__((format(printf, 3, 4))) static int
read_list(struct cpu_set *ret, struct culprit_error *error, const char *format, ...)
{
    char path[512];
    _cleanup_free_ char *text = NULL;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    int status = file_read(path, LIST_MAXIMUM, &text, NULL, error);
    if (status < 0)
        return status;
    if (cpu_set_parse(text, CPU_SET_SIZE, ret, error) < 0)
        return culprit_error_prefix(error, "%s", path);
    return 0;
}

/* The lowest CPU that shares the CPU's outermost cache; the CPU's core where sysfs shows none. */
static unsigned last_cache(const char *sysfs, unsigned cpu, unsigned core)
{
    unsigned found = core;
    unsigned long outermost = 0;

    for (unsigned index = 0; index < CACHE_INDEXES; index++) {
        char path[512];
        struct cpu_set shared;
        _cleanup_free_ char *level = NULL;
        snprintf(path, sizeof path, "%s/devices/system/cpu/cpu%u/cache/index%u/level", sysfs, cpu,
                 index);
        if (file_read(path, 16, &level, NULL, NULL) < 0)
            break;
        if (strtoul(level, NULL, 10) > outermost &&
            read_list(&shared, NULL, "%s/devices/system/cpu/cpu%u/cache/index%u/shared_cpu_list",
                      sysfs, cpu, index) == 0) {
            outermost = strtoul(level, NULL, 10);
            found = cpu_set_first(&shared);
        }
    }
    return found;
}

static int read_cpu(const char *sysfs, unsigned number, struct host_cpu *cpu,
                    struct culprit_error *error)
{
    struct cpu_set siblings;

    int status = read_list(&siblings, error,
                           "%s/devices/system/cpu/cpu%u/topology/thread_siblings_list", sysfs,
                           number);
    if (status < 0)
        return status;
    cpu->cpu = number;
    cpu->core = cpu_set_first(&siblings);
    cpu->cache = last_cache(sysfs, number, cpu->core);
    return 0;
}

/* A kernel without NUMA shows no nodes: then all CPUs are of node 0. */
static void read_nodes(const char *sysfs, struct host_layout *layout)
{
    for (unsigned node = 0; node < NODES_MAXIMUM; node++) {
        struct cpu_set set;
        if (read_list(&set, NULL, "%s/devices/system/node/node%u/cpulist", sysfs, node) < 0)
            continue;
        for (size_t i = 0; i < layout->count; i++)
            if (cpu_set_contains(&set, layout->cpus[i].cpu))
                layout->cpus[i].node = node;
    }
}

int host_layout_read(const char *sysfs, const char *allowed, struct host_layout **ret,
                     struct culprit_error *error)
{
    struct cpu_set online, permitted;

    int status = read_list(&online, error, "%s/devices/system/cpu/online", sysfs);
    if (status == 0 && allowed)
        status = cpu_set_parse(allowed, CPU_SET_SIZE, &permitted, error);
    if (status < 0)
        return status;
    CULPRIT_CLEANUP(host_layout_free) struct host_layout *layout = calloc(1, sizeof *layout);
    if (!layout)
        return no_memory(error);
    layout->cpus = calloc(cpu_set_count(&online) + 1, sizeof *layout->cpus);
    if (!layout->cpus)
        return no_memory(error);
    for (unsigned cpu = 0; cpu < CPU_SET_SIZE; cpu++) {
        if (!cpu_set_contains(&online, cpu) || (allowed && !cpu_set_contains(&permitted, cpu)))
            continue;
        status = read_cpu(sysfs, cpu, &layout->cpus[layout->count++], error);
        if (status < 0)
            return status;
    }
    read_nodes(sysfs, layout);
    *ret = take(layout);
    return 0;
}
