/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The workloads that the agent can run; each is described by its schema (workloads/schemas.h).
 */
#ifndef CULPRIT_WORKLOADS_WORKLOADS_H
#define CULPRIT_WORKLOADS_WORKLOADS_H

#include "workload.h"

extern const struct workload exec_workload;
extern const struct workload wakeup_workload;

#endif
