/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "api/deadlines.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

/* What a connection carries as the library's socket context. */
struct deadline {
    struct deadlines *owner;
    struct deadline *previous, *next; /* when queued */
    bool queued;
    uint64_t at; /* microseconds, monotonic */
    int fd;
};

/* All limits are equal, so the queue is in the order of the deadlines. */
struct deadlines {
    sd_event *event;
    sd_event_source *timer;
    uint64_t limit_us;
    struct deadline *first, *last;
};

static void set_timer(struct deadlines *deadlines)
{
    if (!deadlines->first) {
        sd_event_source_set_enabled(deadlines->timer, SD_EVENT_OFF);
        return;
    }
    sd_event_source_set_time(deadlines->timer, deadlines->first->at);
    sd_event_source_set_enabled(deadlines->timer, SD_EVENT_ONESHOT);
}

static void unqueue(struct deadline *deadline)
{
    struct deadlines *owner = deadline->owner;

    if (!deadline->queued)
        return;
    if (deadline->previous)
        deadline->previous->next = deadline->next;
    else
        owner->first = deadline->next;
    if (deadline->next)
        deadline->next->previous = deadline->previous;
    else
        owner->last = deadline->previous;
    deadline->previous = deadline->next = NULL;
    deadline->queued = false;
}

static void queue(struct deadline *deadline)
{
    struct deadlines *owner = deadline->owner;
    uint64_t now = 0;

    unqueue(deadline);
    sd_event_now(owner->event, CLOCK_MONOTONIC, &now);
    deadline->at = now + owner->limit_us;
    deadline->previous = owner->last;
    if (owner->last)
        owner->last->next = deadline;
    else
        owner->first = deadline;
    owner->last = deadline;
    deadline->queued = true;
}

/* The library sees the end of the stream, and closes the connection. */
static int on_timer(sd_event_source *source, uint64_t usec, void *context)
{
    struct deadlines *deadlines = context;

    (void)source;
    while (deadlines->first && deadlines->first->at <= usec) {
        struct deadline *deadline = deadlines->first;

        unqueue(deadline);
        shutdown(deadline->fd, SHUT_RDWR);
    }
    set_timer(deadlines);
    return 0;
}

int deadlines_new(sd_event *event, uint64_t limit_ns, struct deadlines **ret,
                  struct culprit_error *error)
{
    struct deadlines *deadlines = calloc(1, sizeof *deadlines);
    int r;

    if (!deadlines)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for connections");
    deadlines->limit_us = limit_ns / 1000;
    r = sd_event_add_time(event, &deadlines->timer, CLOCK_MONOTONIC, 0, 100000, on_timer,
                          deadlines);
    if (r >= 0)
        r = sd_event_source_set_enabled(deadlines->timer, SD_EVENT_OFF);
    if (r < 0) {
        deadlines_free(deadlines);
        return culprit_fail_errno(error, -r, "cannot set a timer for connections");
    }
    deadlines->event = sd_event_ref(event);
    *ret = deadlines;
    return 0;
}

void deadlines_free(struct deadlines *deadlines)
{
    if (!deadlines)
        return;
    sd_event_source_disable_unref(deadlines->timer);
    sd_event_unref(deadlines->event);
    free(deadlines);
}

static void begin(struct deadlines *deadlines, struct MHD_Connection *connection,
                  void **socket_context)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(
        connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct deadline *deadline = calloc(1, sizeof *deadline);

    *socket_context = deadline;
    if (!deadline)
        return;
    deadline->owner = deadlines;
    deadline->fd = info->connect_fd;
    queue(deadline);
    set_timer(deadlines);
}

void deadlines_notify(void *context, struct MHD_Connection *connection, void **socket_context,
                      enum MHD_ConnectionNotificationCode code)
{
    struct deadline *deadline = *socket_context;

    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        begin(context, connection, socket_context);
    } else if (deadline) {
        unqueue(deadline);
        set_timer(deadline->owner);
        free(deadline);
        *socket_context = NULL;
    }
}

static struct deadline *deadline_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(
        connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info ? info->socket_context : NULL;
}

void deadlines_stop(struct MHD_Connection *connection)
{
    struct deadline *deadline = deadline_of(connection);

    if (!deadline)
        return;
    unqueue(deadline);
    set_timer(deadline->owner);
}

void deadlines_start(struct MHD_Connection *connection)
{
    struct deadline *deadline = deadline_of(connection);

    if (!deadline)
        return;
    queue(deadline);
    set_timer(deadline->owner);
}
