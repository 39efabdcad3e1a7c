/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Server-sent events: one stream a client, fed from the store. A stream holds only its place (the
 * sequence number of the last event sent) and the few events that are being written, so a slow
 * client costs no memory; while there is nothing to send its connection sleeps. A client that goes
 * away gives its place back at once.
 */
#ifndef CULPRIT_API_STREAM_H
#define CULPRIT_API_STREAM_H

#include <stdint.h>

#include <systemd/sd-event.h>

#include "api/reply.h"
#include "api/request.h"
#include "base/error.h"
#include "sched/service.h"

struct streams;

int streams_new(sd_event *event, struct service *service, unsigned maximum, uint64_t heartbeat_ns,
                struct streams **ret, struct culprit_error *error);

/* Lets every stream end at its next turn; must come before the HTTP library is stopped. */
void streams_end(struct streams *streams);

/* After all connections are gone. */
void streams_free(struct streams *streams);

/* A reply that carries the job's events above `after`, and those to come. UNAVAILABLE when there
 * are as many streams as there may be. */
int stream_open(struct streams *streams, struct MHD_Connection *connection, int64_t job,
                uint64_t after, struct reply *reply, struct culprit_error *error);

#endif
