/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Removes old artefacts (images, logs, consoles) when the service starts, after each job, and once
 * an hour; never those of jobs that are not over. */
#ifndef CULPRIT_SCHED_HOUSEKEEPING_H
#define CULPRIT_SCHED_HOUSEKEEPING_H

#include "base/error.h"

struct service;
struct housekeeping;

/* The service outlives it. */
int housekeeping_new(struct service *service, struct housekeeping **ret,
                     struct culprit_error *error);
/* Only after the service's pools are gone. */
void housekeeping_free(struct housekeeping *housekeeping);

/* Soon; NULL does nothing. */
void housekeeping_kick(struct housekeeping *housekeeping);

#endif
