/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a plan sets before its first workload: scheduler statistics, sysctls, scheduler features.
 */
#ifndef CULPRIT_AGENT_SETTINGS_H
#define CULPRIT_AGENT_SETTINGS_H

#include <stddef.h>

#include "core/plan.h"

/* 0, or a negative errno with a sentence that names the setting. A sysctl or feature that this
 * kernel does not have is an error; missing scheduler statistics are not. */
int settings_apply(const struct plan *plan, char *message, size_t message_size);

#endif
