/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of CPUs and their text as the kernel writes it: "0-3,8". Plain values, nothing to free. */
#ifndef CULPRIT_TOPOLOGY_CPULIST_H
#define CULPRIT_TOPOLOGY_CPULIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { CPU_SET_SIZE = 4096 };

struct cpu_set {
    uint64_t words[CPU_SET_SIZE / 64];
};

void cpu_set_add(struct cpu_set *set, unsigned cpu);
void cpu_set_remove(struct cpu_set *set, unsigned cpu);
bool cpu_set_contains(const struct cpu_set *set, unsigned cpu);
unsigned cpu_set_count(const struct cpu_set *set);
/* The lowest member; CPU_SET_SIZE when it is empty. */
unsigned cpu_set_first(const struct cpu_set *set);
bool cpu_set_overlap(const struct cpu_set *one, const struct cpu_set *other);
void cpu_set_merge(struct cpu_set *into, const struct cpu_set *from);

/* Every CPU below `cpus`; a trailing newline is allowed, an empty list is not. INVALID otherwise.
 */
int cpu_set_parse(const char *text, unsigned cpus, struct cpu_set *ret,
                  struct culprit_error *error);

/* The shortest ascending form; the caller frees it; NULL without memory. */
char *cpu_set_format(const struct cpu_set *set);

#endif
