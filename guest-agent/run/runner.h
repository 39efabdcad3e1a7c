/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs one workload in a process (and process group) of its own, reaps it and every orphan that
 * ends meanwhile, and kills what is left of it afterwards. Call runner_prepare() once before.
 */
#ifndef CULPRIT_AGENT_RUNNER_H
#define CULPRIT_AGENT_RUNNER_H

#include <stdbool.h>

#include "workload.h"

/* Zeroed memory that a workload's process and the agent share; NULL when there is none. */
struct workload_result *runner_result_new(void);
void runner_result_free(struct workload_result *result);

/* Blocks SIGCHLD, which runner_run() waits for, and has orphans of workloads come to this process
 * as they do to PID 1. */
void runner_prepare(void);

/* Comes back when the workload has ended or its limit has passed, and everything is reaped.
 * context->result then holds what it left; a crash, a limit and a process that could not be made
 * are failures there. `init`: this is PID 1, and every other process belongs to the workload. */
void runner_run(const struct workload *workload, struct workload_context *context, bool init);

#endif
