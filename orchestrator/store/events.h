/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What happened to a job, in order: people watch it, nothing is decided from it. */
#ifndef CULPRIT_STORE_EVENTS_H
#define CULPRIT_STORE_EVENTS_H

#include <stddef.h>

#include "store/store.h"

struct stored_event {
    uint64_t sequence; /* from 1, without gaps, within the job */
    uint64_t time_ns;
    char *type;
    char *data; /* JSON object */
};

struct stored_events {
    struct stored_event *items;
    size_t count;
};

int store_event_add(struct store *store, int64_t job, const char *type, const char *data,
                    struct culprit_error *error);
/* Those after `after`, at most `limit`. */
int store_events_get(struct store *store, int64_t job, uint64_t after, unsigned limit,
                     struct stored_events *ret, struct culprit_error *error);
void stored_events_clear(struct stored_events *events);
DEFINE_CLEAR(struct stored_events, stored_events_clear);

#endif
