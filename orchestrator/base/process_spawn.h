/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The start of a child process, for process.c alone. */
#ifndef CULPRIT_BASE_PROCESS_SPAWN_H
#define CULPRIT_BASE_PROCESS_SPAWN_H

#include <sys/types.h>

#include "base/process.h"

struct child {
    pid_t pid; /* also its process group and session */
    int pidfd;
    int output; /* read end, non-blocking: standard output (and error, unless apart) */
    int error;  /* read end of standard error when it is apart, else -1 */
};

/* Returns when the program has been executed, or with the reason why it was not. */
int child_spawn(const struct strv *argv, const struct process_options *options, bool error_apart,
                struct child *ret, struct culprit_error *error);

/* SIGTERM, SIGKILL… to the whole group. The leader must not have been reaped. */
void child_signal(const struct child *child, int signal);

/* Reaps the leader, which has ended or is about to. */
int child_reap(struct child *child, struct process_result *ret, struct culprit_error *error);

/* Closes what is open; kills and reaps what still runs. */
void child_release(struct child *child);

#endif
