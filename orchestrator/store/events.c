/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/events.h"

#include <string.h>

#include "store/database.h"

void stored_events_clear(struct stored_events *events)
{
    for (size_t i = 0; i < events->count; i++) {
        free(events->items[i].type);
        free(events->items[i].data);
    }
    free(events->items);
    *events = (struct stored_events){0};
}

int store_event_add(struct store *store, int64_t job, const char *type, const char *data,
                    struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(
        store,
        "INSERT INTO events (job, sequence, time_ns, type, data) VALUES (?1,"
        " (SELECT coalesce(max(sequence), 0) + 1 FROM events WHERE job = ?1), ?2, ?3, ?4)",
        "keep the event", &statement, error);
    if (status < 0)
        return status;
    bind_integer(&statement, job);
    bind_integer(&statement, (int64_t)clock_realtime(store->clock));
    bind_text(&statement, type);
    bind_text(&statement, data);
    return statement_run(&statement, error);
}

int store_events_get(struct store *store, int64_t job, uint64_t after, unsigned limit,
                     struct stored_events *ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(stored_events_clear) struct stored_events events = {0};
    _cleanup_statement_ struct statement statement = {0};

    int status = statement_prepare(store,
                                   "SELECT sequence, time_ns, type, data FROM events"
                                   " WHERE job = ? AND sequence > ? ORDER BY sequence LIMIT ?",
                                   "read the job's events", &statement, error);
    if (status < 0)
        return status;
    bind_integer(&statement, job);
    bind_integer(&statement, after > INT64_MAX ? INT64_MAX : (int64_t)after);
    bind_integer(&statement, limit);
    while ((status = statement_step(&statement, error)) > 0) {
        struct stored_event *event = array_grow((void **)&events.items, &events.count,
                                                sizeof *event);
        if (!event)
            return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot read events: out of memory");
        event->sequence = (uint64_t)read_integer(&statement);
        event->time_ns = (uint64_t)read_integer(&statement);
        event->type = read_text(&statement);
        event->data = read_text(&statement);
        status = statement_status(&statement, error);
        if (status < 0)
            return status;
    }
    if (status < 0)
        return status;
    *ret = events;
    memset(&events, 0, sizeof events);
    return 0;
}
