/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/sse.h"

#include <stdio.h>
#include <string.h>

enum { RETRY_MAXIMUM_MS = 60000 };

void sse_init(struct sse *sse, sse_handler handler, void *context)
{
    *sse = (struct sse){
        .line = BUFFER_INIT(SSE_LINE_MAXIMUM),
        .data = BUFFER_INIT(SSE_LINE_MAXIMUM),
        .handler = handler,
        .context = context,
    };
}

void sse_restart(struct sse *sse)
{
    buffer_reset(&sse->line);
    buffer_reset(&sse->data);
    sse->type[0] = '\0';
    sse->after_return = 0;
    memcpy(sse->next_id, sse->last_id, sizeof sse->next_id);
}

void sse_clear(struct sse *sse)
{
    buffer_free(&sse->line);
    buffer_free(&sse->data);
}

/* An empty line ends an event; one without data is none. */
static int dispatch(struct sse *sse, struct culprit_error *error)
{
    struct sse_event event = {.type = sse->type[0] ? sse->type : "message"};
    int r;

    memcpy(sse->last_id, sse->next_id, sizeof sse->last_id);
    if (sse->data.length == 0) {
        sse->type[0] = '\0';
        return 0;
    }
    sse->data.data[--sse->data.length] = '\0'; /* the newline after its last line */
    event.data = sse->data.data;
    r = sse->handler(&event, sse->context, error);
    buffer_reset(&sse->data);
    sse->type[0] = '\0';
    return r;
}

static void set_retry(struct sse *sse, const char *value)
{
    unsigned long retry = 0;

    if (*value == '\0' || value[strspn(value, "0123456789")] != '\0')
        return;
    for (; *value && retry < RETRY_MAXIMUM_MS; value++)
        retry = retry * 10 + (unsigned long)(*value - '0');
    sse->retry_ms = retry < RETRY_MAXIMUM_MS ? retry : RETRY_MAXIMUM_MS;
}

static int take_field(struct sse *sse, char *line, struct culprit_error *error)
{
    char *value = strchr(line, ':');

    if (value == line)
        return 0; /* a comment keeps the connection alive */
    if (value) {
        *value++ = '\0';
        value += *value == ' ';
    } else {
        value = line + strlen(line);
    }
    if (strcmp(line, "data") == 0) {
        buffer_puts(&sse->data, value);
        buffer_puts(&sse->data, "\n");
        return buffer_status(&sse->data, "an event of the server", error);
    }
    if (strcmp(line, "event") == 0)
        snprintf(sse->type, sizeof sse->type, "%s", value);
    else if (strcmp(line, "id") == 0)
        snprintf(sse->next_id, sizeof sse->next_id, "%s", value);
    else if (strcmp(line, "retry") == 0)
        set_retry(sse, value);
    return 0;
}

static int end_line(struct sse *sse, struct culprit_error *error)
{
    int r = buffer_status(&sse->line, "a line of the server's events", error);

    if (r == 0)
        r = sse->line.length == 0 ? dispatch(sse, error) : take_field(sse, sse->line.data, error);
    buffer_reset(&sse->line);
    return r;
}

int sse_feed(struct sse *sse, const char *bytes, size_t length, struct culprit_error *error)
{
    for (size_t i = 0; i < length;) {
        const char *rest = bytes + i;
        size_t plain = 0;
        int r;

        if (sse->after_return && *rest == '\n') {
            sse->after_return = 0;
            i++;
            continue;
        }
        sse->after_return = 0;
        while (plain < length - i && rest[plain] != '\n' && rest[plain] != '\r' &&
               rest[plain] != '\0')
            plain++;
        buffer_append(&sse->line, rest, plain);
        i += plain;
        if (i == length)
            break;
        sse->after_return = bytes[i] == '\r';
        if (bytes[i++] == '\0')
            continue; /* no text has it */
        r = end_line(sse, error);
        if (r != 0)
            return r;
    }
    return buffer_status(&sse->line, "a line of the server's events", error);
}
