/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One trial from the inside: describes the machine, applies the plan's settings, runs its
 * workloads one after another, and reports all of it as records, from `hello` to `end`.
 */
#ifndef CULPRIT_AGENT_SESSION_H
#define CULPRIT_AGENT_SESSION_H

#include <stdbool.h>

#include "core/record.h"

/* True when every workload succeeded. Whatever goes wrong is a `failure` record; false also when
 * records could not be written (record_error()). Ends with the port drained. */
bool session_run(const char *plan_path, struct record_writer *writer, bool init);

#endif
