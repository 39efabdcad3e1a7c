/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Server-sent events (WHATWG HTML, section 9.2): bytes in pieces of any size in, events out. Pure.
 * Lines and events are bounded; a server that passes the bound ends the stream with LIMIT.
 */
#ifndef CULPRIT_CLI_SSE_H
#define CULPRIT_CLI_SSE_H

#include <stddef.h>

#include "base/buffer.h"

enum { SSE_LINE_MAXIMUM = 1024 * 1024, SSE_NAME_SIZE = 64 };

struct sse_event {
    const char *type; /* "message" when the server names none */
    const char *data; /* lines joined by newlines */
};

/* Lends the event for the time of the call. An answer other than 0 stops the feeding, which then
 * gives it too: negative with an error, or 1 when there is no more to wait for. */
typedef int (*sse_handler)(const struct sse_event *event, void *context,
                           struct culprit_error *error);

struct sse {
    struct buffer line, data;
    char type[SSE_NAME_SIZE];
    char last_id[SSE_NAME_SIZE]; /* what to say after Last-Event-ID: the last complete event's */
    char next_id[SSE_NAME_SIZE];
    unsigned long retry_ms; /* what the server wants, at most a minute; 0: it did not say */
    int after_return;       /* a line ended in CR: a LF that follows belongs to it */
    sse_handler handler;
    void *context;
};

void sse_init(struct sse *sse, sse_handler handler, void *context);
int sse_feed(struct sse *sse, const char *bytes, size_t length, struct culprit_error *error);

/* A new connection: forgets what was cut off, keeps last_id. */
void sse_restart(struct sse *sse);
void sse_clear(struct sse *sse);

#endif
