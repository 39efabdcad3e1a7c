/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A real SMTP server on loopback (smtp_sink.py, on python3-aiosmtpd) that says what it took.
 * Failures fail the test. */
#ifndef CULPRIT_TESTS_SMTP_SINK_H
#define CULPRIT_TESTS_SMTP_SINK_H

#include <stdio.h>
#include <sys/types.h>

struct smtp_sink {
    pid_t pid;
    int in; /* it ends when this is closed */
    FILE *out;
    unsigned port;
    char line[64 * 1024];
};

/* arguments: of smtp_sink.py, NULL at the end. */
void smtp_sink_start(struct smtp_sink *sink, const char *const *arguments);
void smtp_sink_stop(struct smtp_sink *sink);

/* Its next message, as a line of JSON; lent until the next one. */
const char *smtp_sink_message(struct smtp_sink *sink);

#endif
