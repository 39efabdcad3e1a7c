/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A request must have arrived whole within a fixed time from when its connection was opened, or
 * the last reply on it ended. The HTTP library's own time-out begins anew with every byte, so a
 * client that drips bytes would hold a connection for ever.
 */
#ifndef CULPRIT_API_DEADLINES_H
#define CULPRIT_API_DEADLINES_H

#include <stdint.h>

#include <microhttpd.h>
#include <systemd/sd-event.h>

#include "base/error.h"

struct deadlines;

int deadlines_new(sd_event *event, uint64_t limit_ns, struct deadlines **ret,
                  struct culprit_error *error);
/* After all connections are gone. */
void deadlines_free(struct deadlines *deadlines);

/* For MHD_OPTION_NOTIFY_CONNECTION, with the struct deadlines as its context. */
void deadlines_notify(void *deadlines, struct MHD_Connection *connection, void **socket_context,
                      enum MHD_ConnectionNotificationCode code);

/* The request is here: none until its reply has ended. */
void deadlines_stop(struct MHD_Connection *connection);
/* The reply has ended: the next request may come. */
void deadlines_start(struct MHD_Connection *connection);

#endif
