/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/record.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/crc32c.h"

/* Kept free for what ends a line: `],"crc":"01234567"}` and the newline. */
enum { TAIL_ROOM = 24 };

void record_writer_init(struct record_writer *writer, int fd)
{
    *writer = (struct record_writer){.fd = fd};
}

int record_error(const struct record_writer *writer)
{
    return writer->error;
}

static void fail(struct record_writer *writer, int error)
{
    if (writer->error == 0)
        writer->error = error;
}

static size_t room(const struct record_writer *writer)
{
    return sizeof(writer->line) - TAIL_ROOM - writer->used;
}

__attribute__((format(printf, 2, 3))) static void put(struct record_writer *writer,
                                                      const char *format, ...)
{
    va_list arguments;

    if (writer->error)
        return;
    va_start(arguments, format);
    int length = vsnprintf(writer->line + writer->used, room(writer), format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= room(writer))
        fail(writer, -EMSGSIZE);
    else
        writer->used += (size_t)length;
}

void record_begin(struct record_writer *writer, const char *type)
{
    writer->used = 0;
    writer->measured = strcmp(type, "sample") == 0 || strcmp(type, "counter") == 0 ||
                       strcmp(type, "histogram") == 0;
    put(writer, "{\"n\":%" PRIu64 ",\"t\":\"%s\"", writer->count, type);
}

void record_unsigned(struct record_writer *writer, const char *name, uint64_t value)
{
    put(writer, ",\"%s\":%" PRIu64, name, value);
}

void record_signed(struct record_writer *writer, const char *name, int64_t value)
{
    put(writer, ",\"%s\":%" PRId64, name, value);
}

void record_number(struct record_writer *writer, const char *name, double value)
{
    char decimal[32];

    if (!isfinite(value)) {
        fail(writer, -EDOM);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(decimal, sizeof(decimal), "%.*g", digits, value);
        if (strtod(decimal, NULL) == value)
            break;
    }
    put(writer, ",\"%s\":%s", name, decimal);
}

/* One code point of UTF-8 at *cursor, which moves behind it; U+FFFD for a byte that begins none
 * (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF). */
static uint32_t next_code_point(const unsigned char **cursor)
{
    static const uint32_t smallest[] = {0, 0x80, 0x800, 0x10000};
    const unsigned char *byte = *cursor;
    unsigned more = byte[0] >= 0xf0 && byte[0] < 0xf8   ? 3
                    : byte[0] >= 0xe0 && byte[0] < 0xf0 ? 2
                    : byte[0] >= 0xc0 && byte[0] < 0xe0 ? 1
                                                        : 0;

    *cursor = byte + 1;
    if (byte[0] < 0x80)
        return byte[0];
    uint32_t code_point = byte[0] & (0x3fu >> more);
    for (unsigned i = 1; i <= more; i++) {
        if ((byte[i] & 0xc0) != 0x80)
            return 0xfffd;
        code_point = code_point << 6 | (byte[i] & 0x3f);
    }
    if (more == 0 || code_point < smallest[more] || code_point > 0x10ffff ||
        (code_point >= 0xd800 && code_point < 0xe000))
        return 0xfffd;
    *cursor = byte + 1 + more;
    return code_point;
}

static void escape(uint32_t code_point, char escaped[16])
{
    if (code_point == '"' || code_point == '\\')
        snprintf(escaped, 16, "\\%c", (char)code_point);
    else if (code_point >= 0x20 && code_point < 0x7f)
        snprintf(escaped, 16, "%c", (char)code_point);
    else if (code_point < 0x10000)
        snprintf(escaped, 16, "\\u%04" PRIx32, code_point);
    else
        snprintf(escaped, 16, "\\u%04" PRIx32 "\\u%04" PRIx32,
                 0xd800 + ((code_point - 0x10000) >> 10), 0xdc00 + (code_point & 0x3ff));
}

void record_text(struct record_writer *writer, const char *name, const char *text, size_t maximum)
{
    const unsigned char *cursor = (const unsigned char *)text;
    size_t length = 0;

    put(writer, ",\"%s\":\"", name);
    while (*cursor) {
        char escaped[16];
        escape(next_code_point(&cursor), escaped);
        length += strlen(escaped);
        if (length > maximum)
            break;
        put(writer, "%s", escaped);
    }
    put(writer, "\"");
}

void record_pairs_begin(struct record_writer *writer, const char *name)
{
    put(writer, ",\"%s\":[", name);
}

bool record_pair(struct record_writer *writer, uint64_t first, uint64_t second)
{
    char pair[64];
    bool is_first = writer->used > 0 && writer->line[writer->used - 1] == '[';
    int length = snprintf(pair, sizeof(pair), "%s[%" PRIu64 ",%" PRIu64 "]", is_first ? "" : ",",
                          first, second);

    if ((size_t)length >= room(writer))
        return false;
    put(writer, "%s", pair);
    return true;
}

void record_pairs_end(struct record_writer *writer)
{
    if (writer->error)
        return;
    /* Into the room that every put() left free. */
    writer->line[writer->used++] = ']';
}

static int write_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(fd, bytes, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? -errno : -EIO;
        bytes += written;
        length -= (size_t)written;
    }
    return 0;
}

void record_finish(struct record_writer *writer)
{
    if (writer->error)
        return;
    uint32_t crc = crc32c_update(0, writer->line, writer->used);
    int tail = snprintf(writer->line + writer->used, sizeof(writer->line) - writer->used,
                        ",\"crc\":\"%08" PRIx32 "\"}\n", crc);
    writer->used += (size_t)tail;
    if (writer->measured)
        writer->digest = crc32c_update(writer->digest, writer->line, writer->used - 1);
    int result = write_all(writer->fd, writer->line, writer->used);
    if (result < 0)
        fail(writer, result);
    writer->count++;
}

void record_log(struct record_writer *writer, const char *text)
{
    record_begin(writer, "log");
    record_text(writer, "text", text, RECORD_TEXT_MAXIMUM);
    record_finish(writer);
}

void record_end(struct record_writer *writer)
{
    char digest[9];

    snprintf(digest, sizeof(digest), "%08" PRIx32, writer->digest);
    record_begin(writer, "end");
    record_unsigned(writer, "records", writer->count);
    record_text(writer, "digest", digest, sizeof(digest));
    record_finish(writer);
}
