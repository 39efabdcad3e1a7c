/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs and their events, as the server tells them, in words. The JSON is the server's: whatever is
 * missing or of another type reads as empty. */
#ifndef CULPRIT_CLI_JOB_TEXT_H
#define CULPRIT_CLI_JOB_TEXT_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "cli/cli.h"

/* "" when there is no such string. */
const char *json_text(const json_t *object, const char *key);
double json_number(const json_t *object, const char *key, double fallback);

/* "searching: 32 commits, 7 suspects; builds 3 new, 1 reused; trials 15; about 21m 00s left" */
void job_progress_text(const json_t *progress, struct buffer *text);

/* One line about an event; false when there is nothing to say about it. */
bool job_event_text(const char *type, const json_t *data, struct buffer *text);

/* What the job is and what came out, in some lines. */
void job_print(struct cli *cli, const json_t *job);

bool job_is_over(const json_t *job);
/* Its end was asked for, and its builds and guests have not stopped yet. */
bool job_is_cancelling(const json_t *job);

/* At least 0: the exit status that the job's end stands for. Below: failed or cancelled. */
int job_status(const json_t *job, struct culprit_error *error);

#endif
