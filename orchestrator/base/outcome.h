/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a build or a trial ended. Broken is not bad: only OK carries numbers, and an infrastructure
 * failure is retried and never decides anything. */
#ifndef CULPRIT_BASE_OUTCOME_H
#define CULPRIT_BASE_OUTCOME_H

#include <stdbool.h>

enum outcome {
    OUTCOME_OK = 0,
    OUTCOME_BUILD_FAILED,
    OUTCOME_BOOT_FAILED,
    OUTCOME_KERNEL_CRASHED,
    OUTCOME_WORKLOAD_FAILED,
    OUTCOME_TIMED_OUT,
    OUTCOME_INFRA_FAILED,
    OUTCOME_CANCELLED,
    OUTCOME_COUNT
};

/* "ok", "build_failed", … as in the store, in JSON and in reports. */
const char *outcome_name(enum outcome outcome);
bool outcome_from_name(const char *name, enum outcome *ret);

/* How guests are run; see docs/engines.md. */
enum engine {
    ENGINE_AUTO = 0,
    ENGINE_REALTIME,
    ENGINE_DETERMINISTIC,
    ENGINE_FUNCTIONAL,
    ENGINE_COUNT
};

const char *engine_name(enum engine engine);
bool engine_from_name(const char *name, enum engine *ret);

#endif
