/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of CPUs, in the two spellings of the kernel: lists ("0-3,8") and hexadecimal masks with a
 * comma between every 32 bits ("ff,ffffffff").
 */
#ifndef CULPRIT_AGENT_CPU_MASK_H
#define CULPRIT_AGENT_CPU_MASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CPU_MASK_MAXIMUM = 1024,  /* CPUs are numbered below this */
    CPU_MASK_LIST_SIZE = 2560 /* holds any list (every other CPU is the longest) and the NUL */
};

struct cpu_mask {
    uint64_t words[CPU_MASK_MAXIMUM / 64];
};

void cpu_mask_set(struct cpu_mask *mask, unsigned cpu); /* cpu < CPU_MASK_MAXIMUM */
bool cpu_mask_has(const struct cpu_mask *mask, unsigned cpu);
bool cpu_mask_equal(const struct cpu_mask *a, const struct cpu_mask *b);
unsigned cpu_mask_count(const struct cpu_mask *mask);

/* The whole text must be a list or a mask, and within CPU_MASK_MAXIMUM; "" is the empty list. */
bool cpu_mask_parse_list(const char *text, struct cpu_mask *ret);
bool cpu_mask_parse_hexadecimal(const char *text, struct cpu_mask *ret);

/* As a list with the fewest ranges; the empty set is "". */
void cpu_mask_print(const struct cpu_mask *mask, char list[CPU_MASK_LIST_SIZE]);

#endif
