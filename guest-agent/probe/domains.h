/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scheduler domains: spans from the masks on the domain lines of /proc/schedstat, names from
 * debugfs (v5.13 and later), from /proc/sys/kernel/sched_domain (before), or from /proc/schedstat
 * itself (version 17). A kernel that shows no spans gives no domain records, and a log record.
 */
#ifndef CULPRIT_AGENT_DOMAINS_H
#define CULPRIT_AGENT_DOMAINS_H

#include "core/record.h"

/* 0 or a negative errno, with a sentence. */
int domains_report(struct record_writer *writer, char *message, size_t message_size);

#endif
