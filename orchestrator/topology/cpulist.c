/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "topology/cpulist.h"

#include <string.h>

#include "base/buffer.h"

void cpu_set_add(struct cpu_set *set, unsigned cpu)
{
    if (cpu < CPU_SET_SIZE)
        set->words[cpu / 64] |= UINT64_C(1) << (cpu % 64);
}

void cpu_set_remove(struct cpu_set *set, unsigned cpu)
{
    if (cpu < CPU_SET_SIZE)
        set->words[cpu / 64] &= ~(UINT64_C(1) << (cpu % 64));
}

bool cpu_set_contains(const struct cpu_set *set, unsigned cpu)
{
    return cpu < CPU_SET_SIZE && (set->words[cpu / 64] >> (cpu % 64) & 1);
}

unsigned cpu_set_count(const struct cpu_set *set)
{
    unsigned count = 0;
    for (unsigned i = 0; i < CPU_SET_SIZE / 64; i++)
        count += (unsigned)__builtin_popcountll(set->words[i]);
    return count;
}

unsigned cpu_set_first(const struct cpu_set *set)
{
    for (unsigned i = 0; i < CPU_SET_SIZE / 64; i++)
        if (set->words[i])
            return i * 64 + (unsigned)__builtin_ctzll(set->words[i]);
    return CPU_SET_SIZE;
}

bool cpu_set_overlap(const struct cpu_set *one, const struct cpu_set *other)
{
    for (unsigned i = 0; i < CPU_SET_SIZE / 64; i++)
        if (one->words[i] & other->words[i])
            return true;
    return false;
}

void cpu_set_merge(struct cpu_set *into, const struct cpu_set *from)
{
    for (unsigned i = 0; i < CPU_SET_SIZE / 64; i++)
        into->words[i] |= from->words[i];
}

/* Reads digits at *at and moves past them; CPU_SET_SIZE when there are none or too many. */
static unsigned read_number(const char **at)
{
    unsigned value = 0;
    if (**at < '0' || **at > '9')
        return CPU_SET_SIZE;
    for (; **at >= '0' && **at <= '9'; (*at)++) {
        value = value * 10 + (unsigned)(**at - '0');
        if (value >= CPU_SET_SIZE)
            return CPU_SET_SIZE;
    }
    return value;
}

int cpu_set_parse(const char *text, unsigned cpus, struct cpu_set *ret, struct culprit_error *error)
{
    struct cpu_set set = {0};
    const char *at = text;
    for (;;) {
        unsigned first = read_number(&at);
        unsigned last = first;
        if (*at == '-') {
            at++;
            last = read_number(&at);
        }
        if (first >= cpus || last >= cpus || last < first)
            return culprit_fail(error, CULPRIT_INVALID,
                                "\"%.64s\" is no list of CPUs below %u (as in \"0-3,8\")", text,
                                cpus);
        for (unsigned cpu = first; cpu <= last; cpu++)
            cpu_set_add(&set, cpu);
        if (*at != ',')
            break;
        at++;
    }
    if (*at == '\n')
        at++;
    if (*at)
        return culprit_fail(error, CULPRIT_INVALID,
                            "\"%.64s\" is no list of CPUs (as in \"0-3,8\")", text);
    *ret = set;
    return 0;
}

char *cpu_set_format(const struct cpu_set *set)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(65536);
    const char *separator = "";
    for (unsigned cpu = 0; cpu < CPU_SET_SIZE; cpu++) {
        if (!cpu_set_contains(set, cpu))
            continue;
        unsigned first = cpu;
        while (cpu_set_contains(set, cpu + 1))
            cpu++;
        buffer_printf(&text, first == cpu ? "%s%u" : "%s%u-%u", separator, first, cpu);
        separator = ",";
    }
    return buffer_take(&text);
}
