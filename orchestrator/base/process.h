/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs one program to its end, with limits. Blocking: for worker threads and the command line.
 *
 * The child leads a session and process group of its own, without a terminal, and starts with
 * default signals, an empty standard input and no other descriptor. On a limit or a cancellation
 * the whole group gets SIGTERM, and SIGKILL after a grace of two seconds; what is left of the
 * group when its leader ends is killed too. Waits on a pidfd: no polling, no SIGCHLD handler.
 *
 * A killed daemon takes the leader with it, and the leader alone: PR_SET_PDEATHSIG kills it when
 * the thread that called here ends, however it ends. That signal goes to nobody whom the leader has
 * started, and is switched off by the exec() of a set-user-ID program or one with file
 * capabilities. What must die as a whole therefore runs under a leader that sees to it, as kernel
 * builds do in a process namespace (build/sandbox.h).
 *
 * Output passes through a pipe that the caller's thread empties, so its maximum holds exactly and
 * for all processes of the group together.
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
    uint64_t output_maximum;        /* bytes of this run; more ends it with LIMIT; 0: 64 MiB */
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

/* Runs it and returns its standard output, which the caller frees; LIMIT over `maximum` bytes;
 * FAILED with the last line of its standard error when the status is not 0. output_path and
 * output_maximum are not used. */
int process_capture(const struct strv *argv, const struct process_options *options, size_t maximum,
                    char **ret_output, struct culprit_error *error);

#endif
