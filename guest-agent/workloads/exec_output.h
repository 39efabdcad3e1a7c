/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a command prints, cut into lines: each is kept for the log, and with the `lines` parser
 * each line
 *
 *     culprit-metric NAME VALUE [UNIT [lower|higher|neither]]
 *
 * becomes the metric exec.NAME: NAME of [a-z0-9_.-], VALUE a finite decimal number, UNIT at most
 * 15 characters without blanks (default "count"), direction neither by default. A line that
 * begins with culprit-metric and is not of that form fails the workload. Pure: no I/O.
 */
#ifndef CULPRIT_WORKLOADS_EXEC_OUTPUT_H
#define CULPRIT_WORKLOADS_EXEC_OUTPUT_H

#include "workload.h"

struct exec_output {
    struct workload_context *context;
    bool metrics; /* lines may be metrics */
    size_t used;
    bool cut; /* the line is longer than the buffer: the rest of it is dropped */
    char line[RECORD_TEXT_MAXIMUM];
};

void exec_output_init(struct exec_output *output, struct workload_context *context, bool metrics);
void exec_output_add(struct exec_output *output, const char *bytes, size_t length);
/* The last line may lack its newline. */
void exec_output_finish(struct exec_output *output);

/* `line` (which it takes apart) as a metric: false if it is not one. */
bool exec_output_metric(char *line, struct workload_sample *ret);

#endif
