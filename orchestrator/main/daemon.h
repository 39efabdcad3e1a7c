/* SPDX-License-Identifier: GPL-2.0-or-later */
/* culpritd's parts, put together: what the configuration says, from the store up to the REST API,
 * on one event loop. */
#ifndef CULPRIT_MAIN_DAEMON_H
#define CULPRIT_MAIN_DAEMON_H

#include "main/config.h"

/* Runs until SIGTERM or SIGINT, then lets go of everything: 0. The signals must be blocked in
 * every thread by then: daemon_block_signals(). A second signal does not wait for what is in
 * flight. */
int daemon_run(const struct config *config, struct culprit_error *error);

/* Before any thread exists. */
void daemon_block_signals(void);

/* Looks at what the daemon will need of this host, without the store and without libvirt: for
 * --check. */
int daemon_check(const struct config *config, struct culprit_error *error);

#endif
