/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/outcome.h"

#include <stddef.h>
#include <string.h>

static const char *const outcome_names[OUTCOME_COUNT] = {
    [OUTCOME_OK] = "ok",
    [OUTCOME_BUILD_FAILED] = "build_failed",
    [OUTCOME_BOOT_FAILED] = "boot_failed",
    [OUTCOME_KERNEL_CRASHED] = "kernel_crashed",
    [OUTCOME_WORKLOAD_FAILED] = "workload_failed",
    [OUTCOME_TIMED_OUT] = "timed_out",
    [OUTCOME_INFRA_FAILED] = "infra_failed",
    [OUTCOME_CANCELLED] = "cancelled",
};

static const char *const engine_names[ENGINE_COUNT] = {
    [ENGINE_AUTO] = "auto",
    [ENGINE_REALTIME] = "realtime",
    [ENGINE_DETERMINISTIC] = "deterministic",
    [ENGINE_FUNCTIONAL] = "functional",
};

/* The index of `name`, or -1. */
static int find_name(const char *const *names, int count, const char *name)
{
    for (int i = 0; name && i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return i;
    }
    return -1;
}

const char *outcome_name(enum outcome outcome)
{
    return (unsigned)outcome < OUTCOME_COUNT ? outcome_names[outcome] : "unknown";
}

bool outcome_from_name(const char *name, enum outcome *ret)
{
    int found = find_name(outcome_names, OUTCOME_COUNT, name);

    if (found >= 0)
        *ret = (enum outcome)found;
    return found >= 0;
}

const char *engine_name(enum engine engine)
{
    return (unsigned)engine < ENGINE_COUNT ? engine_names[engine] : "unknown";
}

bool engine_from_name(const char *name, enum engine *ret)
{
    int found = find_name(engine_names, ENGINE_COUNT, name);

    if (found >= 0)
        *ret = (enum engine)found;
    return found >= 0;
}
