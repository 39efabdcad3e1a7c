/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One workload with its options, checked against its schema, every option present with its value
 * in the plan's base units (nanoseconds, bytes, counts, "10%"): see docs/guest-protocol.md.
 */
#ifndef CULPRIT_JOB_WORKLOAD_H
#define CULPRIT_JOB_WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strv.h"
#include "workload_schema.h"

struct workload_option {
    const struct option_schema *schema;
    char *value;
};

struct workload_request {
    const struct workload_schema *schema;
    struct workload_option *options; /* in the schema's order, schema->option_count of them */
};

/* Every option at its default; UNSUPPORTED never; INVALID lists the workloads that there are, and
 * the nearest. An option without a default stays NULL until it is set. */
int workload_request_init(const char *name, struct workload_request *ret,
                          struct culprit_error *error);

/* Sets one option from the text a user writes ("30s", "10%", "2GiB"). */
int workload_request_set(struct workload_request *request, const char *option, const char *text,
                         struct culprit_error *error);

/* INVALID when an option that has no default is still missing. */
int workload_request_check(const struct workload_request *request, struct culprit_error *error);

/* The option as a user would write it ("30s", "64KiB"); it reads back equal. NULL when it is not
 * set or without memory; the caller frees. */
char *workload_option_text(const struct workload_option *option);

/* Guest time that the workload is meant to take, from its options; 0: not known. */
uint64_t workload_request_runtime(const struct workload_request *request);

void workload_request_clear(struct workload_request *request);

#endif
