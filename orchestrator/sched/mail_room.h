/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Delivers the outbox, one message at a time, oldest first, with growing pauses after failures.
 * A message is delivered at least once: when the daemon dies between delivery and its record, it
 * goes out again under the same Message-ID. */
#ifndef CULPRIT_SCHED_MAIL_ROOM_H
#define CULPRIT_SCHED_MAIL_ROOM_H

#include "base/cleanup.h"
#include "base/error.h"

struct service;
struct mail_room;

/* The service outlives it. */
int mail_room_new(struct service *service, struct mail_room **ret, struct culprit_error *error);
/* Only when nothing of it is in a worker: after the service's pools are gone. */
void mail_room_free(struct mail_room *room);

/* There may be something to deliver. NULL does nothing. */
void mail_room_kick(struct mail_room *room);

#endif
