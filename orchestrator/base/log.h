/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Structured log lines, for the edges only (culpritd, the scheduler): to the journal when standard
 * error is connected to it, else as "level message KEY=value …" lines. Never a secret. Thread-safe.
 *
 *     log_info("trial ended", job_field, trial_field, NULL);
 */
#ifndef CULPRIT_BASE_LOG_H
#define CULPRIT_BASE_LOG_H

#include <syslog.h>

void log_set_level(int level); /* LOG_ERR … LOG_DEBUG; LOG_INFO at first */

/* Fields follow as complete "KEY=value" strings; NULL ends them. Control characters in the message
 * and in values are escaped. */
void log_write(int level, const char *message, ...) __attribute__((sentinel));

#define log_debug(...)   log_write(LOG_DEBUG, __VA_ARGS__)
#define log_info(...)    log_write(LOG_INFO, __VA_ARGS__)
#define log_warning(...) log_write(LOG_WARNING, __VA_ARGS__)
#define log_error(...)   log_write(LOG_ERR, __VA_ARGS__)

#endif
