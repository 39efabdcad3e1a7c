/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A made-up host: what host_layout_read() finds below a directory that is laid out as sysfs. */
#ifndef CULPRIT_TESTS_HOST_FIXTURE_H
#define CULPRIT_TESTS_HOST_FIXTURE_H

#include <stdio.h>
#include <string.h>

#include "guest/host.h"
#include "scratch.h"

struct host_shape {
    unsigned nodes, caches_per_node, cores_per_cache, threads;
};

static inline void put_file(const char *root, const char *name, const char *text)
{
    struct culprit_error error = {0};
    _cleanup_free_ char *path = path_join(root, name);
    char *slash = strrchr(path, '/');

    *slash = '\0';
    assert_success(file_make_directories(path, 0700, &error));
    *slash = '/';
    _cleanup_fclose_ FILE *stream = fopen(path, "we");
    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
}

/* CPUs in order: node, cache, core, thread. An L1 of the core and a last-level cache above it. */
static inline void make_host(const char *root, const struct host_shape *shape)
{
    unsigned per_cache = shape->cores_per_cache * shape->threads;
    unsigned per_node = per_cache * shape->caches_per_node;
    unsigned cpus = per_node * shape->nodes;
    char name[128], text[64];

    snprintf(text, sizeof text, "0-%u\n", cpus - 1);
    put_file(root, "devices/system/cpu/online", text);
    unsigned last = cpus <= 32; /* index of the last-level cache: small hosts have an L1 too */
    for (unsigned cpu = 0; cpu < cpus; cpu++) {
        unsigned core = cpu / shape->threads * shape->threads;
        unsigned cache = cpu / per_cache * per_cache;
        snprintf(name, sizeof name, "devices/system/cpu/cpu%u/topology/thread_siblings_list", cpu);
        snprintf(text, sizeof text, "%u-%u\n", core, core + shape->threads - 1);
        put_file(root, name, text);
        if (cpus <= 32) {
            snprintf(name, sizeof name, "devices/system/cpu/cpu%u/cache/index0/shared_cpu_list",
                     cpu);
            put_file(root, name, text);
            snprintf(name, sizeof name, "devices/system/cpu/cpu%u/cache/index0/level", cpu);
            put_file(root, name, "1\n");
        }
        snprintf(name, sizeof name, "devices/system/cpu/cpu%u/cache/index%u/shared_cpu_list", cpu,
                 last);
        snprintf(text, sizeof text, "%u-%u\n", cache, cache + per_cache - 1);
        put_file(root, name, text);
        snprintf(name, sizeof name, "devices/system/cpu/cpu%u/cache/index%u/level", cpu, last);
        put_file(root, name, "3\n");
    }
    for (unsigned node = 0; node < shape->nodes; node++) {
        snprintf(name, sizeof name, "devices/system/node/node%u/cpulist", node);
        snprintf(text, sizeof text, "%u-%u\n", node * per_node, (node + 1) * per_node - 1);
        put_file(root, name, text);
    }
}

#endif
