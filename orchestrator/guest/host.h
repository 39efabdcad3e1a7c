/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host's CPUs, their siblings, last-level caches and NUMA nodes, as sysfs shows them, and how
 * a guest's layout fits on them. Immutable once read.
 */
#ifndef CULPRIT_GUEST_HOST_H
#define CULPRIT_GUEST_HOST_H

#include <stddef.h>

#include "base/error.h"
#include "topology/topology.h"

enum { HOST_CPUS_MAXIMUM = 4096 };

struct host_cpu {
    unsigned cpu;
    unsigned core;  /* lowest CPU among its siblings */
    unsigned cache; /* lowest CPU among those that share its last-level cache */
    unsigned node;
};

struct host_layout {
    struct host_cpu *cpus; /* those online and allowed to this process, ascending */
    size_t count;
};

/* `sysfs` is "/sys" (a test gives a tree of its own); `allowed` is a CPU list or NULL for all. */
int host_layout_read(const char *sysfs, const char *allowed, struct host_layout **ret,
                     struct culprit_error *error);
void host_layout_free(struct host_layout *layout);
DEFINE_CLEANUP(struct host_layout *, host_layout_free);

/* The CPUs that this process may run on, as a list; the caller frees it. */
int host_allowed_cpus(char **ret_list, struct culprit_error *error);

/*
 * A host CPU for each guest CPU: guest siblings on siblings of one core, guest cores on cores of
 * their own, each of the guest's last-level caches within one of the host's and no two in the
 * same, nodes likewise; at least one host CPU stays free for QEMU's own threads.
 * ret_pins: topology_cpus() entries, the caller frees it. ret_rest: list of the CPUs left over.
 * UNSUPPORTED says what the host lacks.
 */
int host_pin(const struct topology *topology, const struct host_layout *layout, unsigned **ret_pins,
             char **ret_rest, struct culprit_error *error);

#endif
