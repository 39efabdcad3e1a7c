/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/clock.h"

#include <stdio.h>
#include <time.h>

static const uint64_t NS_PER_SECOND = 1000000000;

static uint64_t read_clock(clockid_t id)
{
    struct timespec now;

    /* Both clocks always exist on Linux; a failure could only be a bad pointer. */
    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

static uint64_t system_realtime(void *context)
{
    (void)context;
    return read_clock(CLOCK_REALTIME);
}

static uint64_t system_monotonic(void *context)
{
    (void)context;
    return read_clock(CLOCK_MONOTONIC);
}

static const struct clock_ops system_ops = {
    .realtime_ns = system_realtime,
    .monotonic_ns = system_monotonic,
};

const struct clock clock_system = {.ops = &system_ops};

const char *clock_format(uint64_t realtime_ns, char text[CLOCK_TEXT_SIZE])
{
    time_t seconds = (time_t)(realtime_ns / NS_PER_SECOND);
    struct tm utc;

    gmtime_r(&seconds, &utc);
    if (!strftime(text, CLOCK_TEXT_SIZE, "%Y-%m-%dT%H:%M:%SZ", &utc))
        text[0] = '\0';
    return text;
}
