/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "shifted_clock.h"

static uint64_t realtime(void *context)
{
    const int64_t *offset_ns = context;
    return clock_realtime(&clock_system) + (uint64_t)*offset_ns;
}

static uint64_t monotonic(void *context)
{
    (void)context;
    return clock_monotonic(&clock_system);
}

struct clock shifted_clock(int64_t *offset_ns)
{
    static const struct clock_ops ops = {realtime, monotonic};

    return (struct clock){&ops, offset_ns};
}
