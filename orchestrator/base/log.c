/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <systemd/sd-journal.h>

#include "base/buffer.h"

enum { FIELDS_MAXIMUM = 32, LINE_MAXIMUM = 16 * 1024 };

static atomic_int maximum_level = LOG_INFO;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool to_journal;

/* $JOURNAL_STREAM names the device and inode of the stream that the journal reads; it counts only
 * while standard error is still that stream (systemd.exec(5)). */
static void find_journal(void)
{
    const char *stream = secure_getenv("JOURNAL_STREAM");
    unsigned long long device, inode;
    struct stat status;

    if (stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 && fstat(2, &status) == 0)
        to_journal = status.st_dev == device && status.st_ino == inode;
}

void log_set_level(int level)
{
    atomic_store(&maximum_level, level);
}

static const char *level_name(int level)
{
    static const char *const names[] = {"emergency", "alert",  "critical", "error",
                                        "warning",   "notice", "info",     "debug"};

    return level >= 0 && level <= LOG_DEBUG ? names[level] : "unknown";
}

/* One line stays one line: what would move a terminal or end the line is written as \xNN. */
static void append_escaped(struct buffer *line, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (c < 0x20 || c == 0x7f)
            buffer_printf(line, "\\x%02x", c);
        else
            buffer_append(line, text, 1);
    }
}

static void write_line(int level, const char *message, const char *const *fields, size_t count)
{
    _cleanup_buffer_ struct buffer line = BUFFER_INIT(LINE_MAXIMUM);

    buffer_printf(&line, "%s ", level_name(level));
    append_escaped(&line, message);
    for (size_t i = 0; i < count; i++) {
        buffer_puts(&line, " ");
        append_escaped(&line, fields[i]);
    }
    /* A line that is too long is cut: half a line says more than none. stdio locks the stream, so
     * lines of two threads do not mix. */
    fprintf(stderr, "%s\n", line.data ? line.data : message);
}

static void write_journal(int level, const char *message, const char *const *fields, size_t count)
{
    struct iovec parts[FIELDS_MAXIMUM + 2];
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(LINE_MAXIMUM);
    char priority[32];
    size_t used = 0;

    buffer_puts(&text, "MESSAGE=");
    append_escaped(&text, message);
    if (!text.data)
        return;
    snprintf(priority, sizeof priority, "PRIORITY=%d", level);
    parts[used++] = (struct iovec){.iov_base = text.data, .iov_len = text.length};
    parts[used++] = (struct iovec){.iov_base = priority, .iov_len = strlen(priority)};
    for (size_t i = 0; i < count; i++) {
        union {
            const char *given;
            void *base;
        } field = {.given = fields[i]};

        parts[used++] = (struct iovec){.iov_base = field.base, .iov_len = strlen(fields[i])};
    }
    sd_journal_sendv(parts, (int)used);
}

void log_write(int level, const char *message, ...)
{
    const char *fields[FIELDS_MAXIMUM];
    const char *field;
    size_t count = 0;
    va_list arguments;

    if (level > atomic_load(&maximum_level))
        return;
    pthread_once(&once, find_journal);
    va_start(arguments, message);
    while (count < FIELDS_MAXIMUM && (field = va_arg(arguments, const char *)))
        fields[count++] = field;
    va_end(arguments);
    if (to_journal)
        write_journal(level, message, fields, count);
    else
        write_line(level, message, fields, count);
}
