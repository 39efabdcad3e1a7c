/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts the agent's program with a plan, and keeps the records that it wrote. */
#ifndef CULPRIT_TESTS_INTEGRATION_AGENT_PROGRAM_H
#define CULPRIT_TESTS_INTEGRATION_AGENT_PROGRAM_H

#include <jansson.h>
#include <stddef.h>

struct program {
    char directory[64]; /* its own, removed by program_end() */
    int exit_status;
    json_t *records; /* array, in order */
};

/* cmocka set-up and tear-down: *state is a struct program. */
int program_begin(void **state);
int program_end(void **state);

/* Runs the plan that has `workloads` behind its head; fails the test if a line of the output is
 * not a record with the right number. `head` NULL: a plain one that changes nothing here. */
void program_run(struct program *program, const char *head, const char *workloads);
/* Runs with these arguments instead; records are not read. */
void program_start(struct program *program, const char *const arguments[]);

/* The first record of a type (and, if not NULL, of a name); fails the test if there is none. */
json_t *program_record(const struct program *program, const char *type, const char *name);
/* The text of the last log record; "" if there is none. */
const char *program_last_log(const struct program *program);
size_t program_count(const struct program *program, const char *type);

/* The one failure's reason, which `end` must follow, and exit status 1. */
const char *program_failure(const struct program *program);

#endif
