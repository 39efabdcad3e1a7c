/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/cpu_mask.h"

#include <stdio.h>
#include <string.h>

void cpu_mask_set(struct cpu_mask *mask, unsigned cpu)
{
    mask->words[cpu / 64] |= UINT64_C(1) << (cpu % 64);
}

bool cpu_mask_has(const struct cpu_mask *mask, unsigned cpu)
{
    return cpu < CPU_MASK_MAXIMUM && (mask->words[cpu / 64] >> (cpu % 64) & 1);
}

bool cpu_mask_equal(const struct cpu_mask *a, const struct cpu_mask *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

unsigned cpu_mask_count(const struct cpu_mask *mask)
{
    unsigned count = 0;

    for (unsigned cpu = 0; cpu < CPU_MASK_MAXIMUM; cpu++)
        count += cpu_mask_has(mask, cpu);
    return count;
}

/* One CPU number at *cursor, which moves behind it. */
static bool parse_cpu(const char **cursor, unsigned *ret)
{
    unsigned cpu = 0;

    if (**cursor < '0' || **cursor > '9')
        return false;
    for (; **cursor >= '0' && **cursor <= '9'; (*cursor)++) {
        cpu = cpu * 10 + (unsigned)(**cursor - '0');
        if (cpu >= CPU_MASK_MAXIMUM)
            return false;
    }
    *ret = cpu;
    return true;
}

bool cpu_mask_parse_list(const char *text, struct cpu_mask *ret)
{
    struct cpu_mask mask = {{0}};
    unsigned first, last;

    while (*text) {
        if (!parse_cpu(&text, &first))
            return false;
        last = first;
        if (*text == '-') {
            text++;
            if (!parse_cpu(&text, &last) || last < first)
                return false;
        }
        for (unsigned cpu = first; cpu <= last; cpu++)
            cpu_mask_set(&mask, cpu);
        if (*text == ',' && text[1] != '\0')
            text++;
        else if (*text != '\0')
            return false;
    }
    *ret = mask;
    return true;
}

static int hexadecimal_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

bool cpu_mask_parse_hexadecimal(const char *text, struct cpu_mask *ret)
{
    struct cpu_mask mask = {{0}};
    size_t length = strlen(text);
    unsigned cpu = 0;

    if (length == 0)
        return false;
    /* From the least significant digit on: commas then need no alignment. */
    while (length-- > 0) {
        if (text[length] == ',')
            continue;
        int digit = hexadecimal_digit(text[length]);
        if (digit < 0)
            return false;
        for (unsigned bit = 0; bit < 4; bit++, cpu++) {
            if (!(digit >> bit & 1))
                continue;
            if (cpu >= CPU_MASK_MAXIMUM)
                return false;
            cpu_mask_set(&mask, cpu);
        }
    }
    *ret = mask;
    return true;
}

void cpu_mask_print(const struct cpu_mask *mask, char list[CPU_MASK_LIST_SIZE])
{
    size_t used = 0;

    list[0] = '\0';
    for (unsigned cpu = 0; cpu < CPU_MASK_MAXIMUM; cpu++) {
        if (!cpu_mask_has(mask, cpu))
            continue;
        unsigned first = cpu;
        while (cpu_mask_has(mask, cpu + 1))
            cpu++;
        int put = snprintf(list + used, CPU_MASK_LIST_SIZE - used,
                           first == cpu ? "%s%u" : "%s%u-%u", used ? "," : "", first, cpu);
        used += (size_t)put;
    }
}
