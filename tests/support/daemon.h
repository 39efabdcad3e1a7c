/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program culpritd under test: started, listened to, asked over HTTP, ended. */
#ifndef CULPRIT_TESTS_SUPPORT_DAEMON_H
#define CULPRIT_TESTS_SUPPORT_DAEMON_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct daemon {
    pid_t process;
    int output; /* what it says on both streams comes from here */
    char text[65536];
    size_t length;
};

/* Writes a configuration with state and cache below `directory`, a free port, and `extra` at its
 * end. The path is the caller's. */
char *daemon_configure(const char *directory, const char *repositories, const char *extra);

/* option: one more word on the command line; NULL: none. */
void daemon_start(struct daemon *daemon, const char *config, const char *option);
/* Reads what it says until `part` is there; false at the end of it. Fails the test after a minute
 * of silence. part NULL: to the end. */
bool daemon_read_until(struct daemon *daemon, const char *part);
/* Fails the test unless it becomes ready. */
void daemon_expect_ready(struct daemon *daemon);
/* Sends the signal (0: none) and waits: the exit status, or minus the signal that ended it. */
int daemon_finish(struct daemon *daemon, int signal);

/* The same with SIGTERM; fails the test with its words unless it ends with 0. */
void daemon_expect_end(struct daemon *daemon);

/* One request to a ready daemon; gives the HTTP status and the body. body NULL: GET. */
unsigned daemon_ask(const struct daemon *daemon, const char *path, const char *body, char *ret,
                    size_t size);
/* Reads the job's event stream until an event contains `part`; fails the test when the stream ends
 * without. */
void daemon_watch(const struct daemon *daemon, int job, const char *part);

#endif
