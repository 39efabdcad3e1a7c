/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing byte buffer that never passes its maximum. The content is always followed by a NUL
 * that is not counted. A failed append (no memory, over the maximum) is remembered, later
 * appends do nothing, and buffer_status() tells once at the end.
 */
#ifndef CULPRIT_BASE_BUFFER_H
#define CULPRIT_BASE_BUFFER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/error.h"

struct buffer {
    char *data; /* NULL until the first append */
    size_t length;
    size_t capacity;
    size_t maximum;
    enum culprit_code status; /* CULPRIT_OK, CULPRIT_LIMIT or CULPRIT_NO_MEMORY */
};

#define BUFFER_INIT(maximum_) \
    {                         \
        .maximum = (maximum_) \
    }

void buffer_append(struct buffer *buffer, const void *bytes, size_t length);
void buffer_puts(struct buffer *buffer, const char *text);
void buffer_printf(struct buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void buffer_vprintf(struct buffer *buffer, const char *format, va_list arguments);

/* Empties it and forgets a failure; keeps the memory. */
void buffer_reset(struct buffer *buffer);

/* 0, or -LIMIT / -NO_MEMORY with a message that names `what`. */
int buffer_status(const struct buffer *buffer, const char *what, struct culprit_error *error);

/* The content as a string that the caller frees; "" when empty; NULL when an append failed. */
char *buffer_take(struct buffer *buffer);

void buffer_free(struct buffer *buffer);

static inline void buffer_free_cleanup(struct buffer *buffer)
{
    buffer_free(buffer);
}

#define _cleanup_buffer_ CULPRIT_CLEANUP(buffer_free)

#endif
