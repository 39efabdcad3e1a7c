/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel makes of the machine: CPUs, caches, NUMA nodes (from sysfs) and scheduler
 * domains (probe/domains.h), as records.
 */
#ifndef CULPRIT_AGENT_TOPOLOGY_H
#define CULPRIT_AGENT_TOPOLOGY_H

#include "core/record.h"

/* 0 or a negative errno, with a sentence. */
int topology_report(struct record_writer *writer, char *message, size_t message_size);

#endif
