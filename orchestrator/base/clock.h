/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time as a port: the daemon uses the real clock, a test moves its own. */
#ifndef CULPRIT_BASE_CLOCK_H
#define CULPRIT_BASE_CLOCK_H

#include <stdint.h>

struct clock_ops {
    uint64_t (*realtime_ns)(void *context);  /* since 1970, UTC */
    uint64_t (*monotonic_ns)(void *context); /* for durations */
};

struct clock {
    const struct clock_ops *ops;
    void *context;
};

extern const struct clock clock_system;

static inline uint64_t clock_realtime(const struct clock *clock)
{
    return clock->ops->realtime_ns(clock->context);
}

static inline uint64_t clock_monotonic(const struct clock *clock)
{
    return clock->ops->monotonic_ns(clock->context);
}

enum { CLOCK_TEXT_SIZE = 32 };
/* "2026-01-02T03:04:05Z" */
const char *clock_format(uint64_t realtime_ns, char text[CLOCK_TEXT_SIZE]);

#endif
