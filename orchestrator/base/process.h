/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs one program to its end, with limits. Blocking: for worker threads and the command line.
 * The child leads its own process group and dies with the calling thread's process
 * (PR_SET_PDEATHSIG); on a limit or a cancellation the whole group gets SIGTERM, then SIGKILL
 * after a grace of two seconds. Waits on a pidfd: no polling, no SIGCHLD handler.
 */
#ifndef CULPRIT_BASE_PROCESS_H
#define CULPRIT_BASE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/strv.h"

struct process_options {
    const char *const *environment; /* NULL-terminated; NULL: inherit */
    const char *directory;          /* NULL: inherit */
    const char *output_path;        /* stdout and stderr go here, appended; NULL: discarded */
    uint64_t output_maximum;        /* bytes; more ends the run with LIMIT; 0: 64 MiB */
    uint64_t timeout_ns;            /* 0: none */
    int nice;                       /* added to the child's */
    struct cancel *cancel;          /* may be NULL */
};

struct process_result {
    bool exited; /* false: ended by signal */
    int status;  /* exit status, or the signal */
};

/* 0 when the program ran to its end, whatever its status; CANCELLED, TIMED_OUT, LIMIT, or the
 * error that kept it from starting (NOT_FOUND names the program). */
int process_run(const struct strv *argv, const struct process_options *options,
                struct process_result *ret_result, struct culprit_error *error);

/* Runs it and returns its standard output (at most `maximum` bytes); FAILED with the last line of
 * its standard error when the status is not 0. */
int process_capture(const struct strv *argv, const struct process_options *options, size_t maximum,
                    char **ret_output, struct culprit_error *error);

#endif
