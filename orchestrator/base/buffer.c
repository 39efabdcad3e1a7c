/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALLEST_CAPACITY = 256 };

/* Makes room for `extra` bytes and the NUL; false leaves the reason in status. */
static bool reserve(struct buffer *buffer, size_t extra)
{
    size_t needed;
    size_t capacity = buffer->capacity ? buffer->capacity : SMALLEST_CAPACITY;
    char *data;

    if (buffer->status != CULPRIT_OK)
        return false;
    if (extra > buffer->maximum || buffer->length > buffer->maximum - extra) {
        buffer->status = CULPRIT_LIMIT;
        return false;
    }
    needed = buffer->length + extra + 1;
    if (needed <= buffer->capacity)
        return true;
    while (capacity < needed) {
        if (__builtin_mul_overflow(capacity, (size_t)2, &capacity))
            capacity = needed;
    }
    data = realloc(buffer->data, capacity);
    if (!data) {
        buffer->status = CULPRIT_NO_MEMORY;
        return false;
    }
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

void buffer_append(struct buffer *buffer, const void *bytes, size_t length)
{
    if (!reserve(buffer, length))
        return;
    if (length)
        memcpy(buffer->data + buffer->length, bytes, length);
    buffer->length += length;
    buffer->data[buffer->length] = '\0';
}

void buffer_puts(struct buffer *buffer, const char *text)
{
    buffer_append(buffer, text, strlen(text));
}

void buffer_printf(struct buffer *buffer, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    buffer_vprintf(buffer, format, arguments);
    va_end(arguments);
}

void buffer_vprintf(struct buffer *buffer, const char *format, va_list arguments)
{
    va_list again;
    int length;

    va_copy(again, arguments);
    length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0) {
        buffer->status = CULPRIT_NO_MEMORY;
        return;
    }
    if (!reserve(buffer, (size_t)length))
        return;
    vsnprintf(buffer->data + buffer->length, (size_t)length + 1, format, arguments);
    buffer->length += (size_t)length;
}

void buffer_reset(struct buffer *buffer)
{
    buffer->length = 0;
    buffer->status = CULPRIT_OK;
    if (buffer->data)
        buffer->data[0] = '\0';
}

int buffer_status(const struct buffer *buffer, const char *what, struct culprit_error *error)
{
    switch (buffer->status) {
    case CULPRIT_OK:
        return 0;
    case CULPRIT_LIMIT:
        return culprit_fail(error, CULPRIT_LIMIT, "%s is longer than %zu bytes", what,
                            buffer->maximum);
    default:
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for %s", what);
    }
}

char *buffer_take(struct buffer *buffer)
{
    char *data;

    if (buffer->status != CULPRIT_OK)
        return NULL;
    if (!buffer->data)
        return strdup("");
    data = buffer->data;
    buffer->data = NULL;
    buffer->length = 0;
    buffer->capacity = 0;
    return data;
}

void buffer_free(struct buffer *buffer)
{
    free(buffer->data);
    buffer->data = NULL;
    buffer->length = 0;
    buffer->capacity = 0;
}
