/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "api/stream.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>

enum {
    EVENTS_AT_ONCE = 64,
    PENDING_MAXIMUM = 1024 * 1024,
    STREAM_BLOCK_SIZE = 16 * 1024,
};

struct stream {
    struct streams *streams;
    struct stream *previous, *next;
    struct MHD_Connection *connection;
    struct service_subscription *subscription;
    sd_event_source *socket; /* watched for the client's end of it */
    int64_t job;
    uint64_t after;        /* sequence of the last event that was put into `pending` */
    struct buffer pending; /* being written */
    size_t written;        /* of it */
    bool suspended;
    bool heartbeat; /* due */
    bool ending;    /* after what is pending */
    bool gone;      /* nobody reads */
};

struct streams {
    sd_event *event;
    sd_event_source *timer;
    sd_event_source *turn; /* a turn of the HTTP library, after connections were resumed */
    struct MHD_Daemon *daemon;
    struct service *service;
    struct stream *first;
    unsigned count, maximum;
    uint64_t heartbeat_us;
};

static void resume(struct stream *stream)
{
    if (!stream->suspended)
        return;
    stream->suspended = false;
    MHD_resume_connection(stream->connection);
    sd_event_source_set_enabled(stream->streams->turn, SD_EVENT_ONESHOT);
}

/* Without a thread of its own the library does not notice by itself what was resumed. */
static int on_turn(sd_event_source *source, void *context)
{
    const struct streams *streams = context;

    (void)source;
    MHD_run(streams->daemon);
    return 0;
}

static int on_heartbeat(sd_event_source *source, uint64_t usec, void *context)
{
    struct streams *streams = context;

    for (struct stream *stream = streams->first; stream; stream = stream->next) {
        stream->heartbeat = true;
        resume(stream);
    }
    if (!streams->first)
        return 0;
    sd_event_source_set_time(source, usec + streams->heartbeat_us);
    return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

/*
 * The library does not watch a connection that sleeps. A client that has closed its socket and one
 * that has only nothing more to say look alike at first: EPOLLRDHUP. A sign of life tells them
 * apart, for the kernel of the first answers it with a reset: EPOLLHUP, which is always reported.
 */
static int on_socket(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct stream *stream = context;

    (void)fd;
    if (events & (EPOLLHUP | EPOLLERR)) {
        stream->gone = true;
        sd_event_source_set_enabled(source, SD_EVENT_OFF);
    } else {
        stream->heartbeat = true;
        sd_event_source_set_io_events(source, 0);
    }
    resume(stream);
    return 0;
}

static void start_timer(struct streams *streams)
{
    sd_event_source_set_time_relative(streams->timer, streams->heartbeat_us);
    sd_event_source_set_enabled(streams->timer, SD_EVENT_ONESHOT);
}

int streams_new(sd_event *event, struct service *service, unsigned maximum, uint64_t heartbeat_ns,
                struct streams **ret, struct culprit_error *error)
{
    struct streams *streams = calloc(1, sizeof *streams);
    int r;

    if (!streams)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for event streams");
    streams->service = service;
    streams->maximum = maximum;
    streams->heartbeat_us = heartbeat_ns / 1000;
    r = sd_event_add_time_relative(event, &streams->timer, CLOCK_MONOTONIC, streams->heartbeat_us,
                                   0, on_heartbeat, streams);
    if (r >= 0)
        r = sd_event_source_set_enabled(streams->timer, SD_EVENT_OFF);
    if (r >= 0)
        r = sd_event_add_defer(event, &streams->turn, on_turn, streams);
    if (r >= 0)
        r = sd_event_source_set_enabled(streams->turn, SD_EVENT_OFF);
    if (r < 0) {
        streams_free(streams);
        return culprit_fail_errno(error, -r, "cannot set a timer for event streams");
    }
    streams->event = sd_event_ref(event);
    *ret = streams;
    return 0;
}

void streams_end(struct streams *streams)
{
    if (!streams)
        return;
    for (struct stream *stream = streams->first; stream; stream = stream->next) {
        stream->ending = true;
        resume(stream);
    }
}

void streams_free(struct streams *streams)
{
    if (!streams)
        return;
    sd_event_source_disable_unref(streams->timer);
    sd_event_source_disable_unref(streams->turn);
    sd_event_unref(streams->event);
    free(streams);
}

/* Called by the HTTP library when the connection is done with the reply. */
static void stream_free(void *context)
{
    struct stream *stream = context;
    struct streams *streams = stream->streams;

    service_unsubscribe(stream->subscription);
    sd_event_source_disable_unref(stream->socket);
    if (stream->previous)
        stream->previous->next = stream->next;
    else
        streams->first = stream->next;
    if (stream->next)
        stream->next->previous = stream->previous;
    streams->count--;
    buffer_free(&stream->pending);
    free(stream);
}

static void on_wake(int64_t job, void *context)
{
    (void)job;
    resume(context);
}

static int write_event(struct buffer *buffer, const json_t *event, uint64_t *ret_sequence)
{
    const json_t *sequence = json_object_get(event, "sequence");
    const char *type = json_string_value(json_object_get(event, "type"));
    _cleanup_free_ char *text = json_dumps(event, JSON_COMPACT);

    if (!text || !type || !json_is_integer(sequence))
        return -(int)CULPRIT_INTERNAL;
    *ret_sequence = (uint64_t)json_integer_value(sequence);
    buffer_printf(buffer, "id: %" PRIu64 "\nevent: %s\ndata: %s\n\n", *ret_sequence, type, text);
    return buffer->status == CULPRIT_OK ? 0 : -(int)buffer->status;
}

/* Puts what is new into `pending`; a negative code ends the stream. */
static int fetch(struct stream *stream)
{
    json_t *events = NULL, *event;
    bool final = false;
    size_t i;
    int r = service_events(stream->streams->service, stream->job, stream->after, EVENTS_AT_ONCE,
                           &events, &final, NULL);

    if (r < 0)
        return r;
    json_array_foreach (events, i, event) {
        r = write_event(&stream->pending, event, &stream->after);
        if (r < 0)
            break;
    }
    json_decref(events);
    /* The client sees an end that was meant, and need not come back. */
    if (r == 0 && final) {
        buffer_puts(&stream->pending, "event: end\ndata: {}\n\n");
        stream->ending = true;
    }
    return r;
}

static ssize_t copy_pending(struct stream *stream, char *buffer, size_t size)
{
    size_t left = stream->pending.length - stream->written;
    size_t length = left < size ? left : size;

    memcpy(buffer, stream->pending.data + stream->written, length);
    stream->written += length;
    if (stream->written == stream->pending.length) {
        buffer_reset(&stream->pending);
        stream->written = 0;
    }
    return (ssize_t)length;
}

static ssize_t read_stream(void *context, uint64_t position, char *buffer, size_t size)
{
    struct stream *stream = context;

    (void)position;
    if (stream->gone)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (stream->pending.length == 0 && stream->ending)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (stream->pending.length == 0 && fetch(stream) < 0)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (stream->pending.length == 0 && stream->heartbeat)
        buffer_puts(&stream->pending, ": alive\n\n");
    stream->heartbeat = false;
    if (stream->pending.length > 0)
        return copy_pending(stream, buffer, size);
    stream->suspended = true;
    MHD_suspend_connection(stream->connection);
    return 0;
}

static void link_stream(struct streams *streams, struct stream *stream)
{
    stream->next = streams->first;
    if (stream->next)
        stream->next->previous = stream;
    streams->first = stream;
    if (streams->count++ == 0)
        start_timer(streams);
}

static int watch_socket(struct stream *stream, struct culprit_error *error)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(
        stream->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    int r = sd_event_add_io(stream->streams->event, &stream->socket, info->connect_fd, EPOLLRDHUP,
                            on_socket, stream);

    return r < 0 ? culprit_fail_errno(error, -r, "cannot watch an event stream") : 0;
}

static int stream_new(struct streams *streams, struct MHD_Connection *connection, int64_t job,
                      uint64_t after, struct stream **ret, struct culprit_error *error)
{
    struct stream *stream = NULL;
    int r;

    if (streams->count >= streams->maximum)
        return culprit_fail(error, CULPRIT_UNAVAILABLE,
                            "all %u event streams are in use; try again later", streams->maximum);
    stream = calloc(1, sizeof *stream);
    if (!stream)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for an event stream");
    streams->daemon = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_DAEMON)->daemon;
    stream->streams = streams;
    stream->connection = connection;
    stream->job = job;
    stream->after = after;
    stream->pending = (struct buffer)BUFFER_INIT(PENDING_MAXIMUM);
    link_stream(streams, stream);
    r = service_subscribe(streams->service, job, on_wake, stream, &stream->subscription, error);
    if (r == 0)
        r = watch_socket(stream, error);
    if (r < 0) {
        stream_free(stream);
        return r;
    }
    *ret = stream;
    return 0;
}

int stream_open(struct streams *streams, struct MHD_Connection *connection, int64_t job,
                uint64_t after, struct reply *reply, struct culprit_error *error)
{
    struct stream *stream = NULL;
    struct MHD_Response *response;
    int r = stream_new(streams, connection, job, after, &stream, error);

    if (r < 0)
        return r;
    /* Something to read at once, so that clients and proxies see the headers. */
    buffer_puts(&stream->pending, "retry: 2000\n\n");
    response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK_SIZE, read_stream,
                                                 stream, stream_free);
    if (!response)
        stream_free(stream);
    r = reply_response(reply, MHD_HTTP_OK, "text/event-stream", response, error);
    if (r == 0)
        r = reply_header(reply, "X-Accel-Buffering", "no", error);
    return r;
}
