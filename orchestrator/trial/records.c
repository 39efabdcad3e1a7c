/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trial/records.h"

#include <jansson.h>
#include <stdarg.h>
#include <string.h>

#include "base/digest.h"
#include "trial/record_reader.h"

/* ,"crc":"01234567"} */
static const char crc_key[] = ",\"crc\":\"";
enum { CRC_DIGITS = 8, CRC_TAIL = sizeof crc_key - 1 + CRC_DIGITS + 2 };

bool record_refuse(struct record_reader *reader, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reader->report->fault, sizeof reader->report->fault, format, arguments);
    va_end(arguments);
    return false;
}

void record_escape(const char *text, char *escaped, size_t size)
{
    size_t length = 0;

    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        bool plain = byte >= 0x20 && byte < 0x7f;

        if (length + (plain ? 1 : 4) >= size)
            break;
        if (plain)
            escaped[length++] = (char)byte;
        else
            length += (size_t)snprintf(escaped + length, size - length, "\\x%02x", byte);
    }
    escaped[length] = '\0';
}

/* Eight lower-case hexadecimal digits. */
static bool parse_crc(const char *digits, uint32_t *ret)
{
    uint32_t value = 0;

    for (int i = 0; i < CRC_DIGITS; i++) {
        char digit = digits[i];

        if (digit >= '0' && digit <= '9')
            value = value << 4 | (uint32_t)(digit - '0');
        else if (digit >= 'a' && digit <= 'f')
            value = value << 4 | (uint32_t)(digit - 'a' + 10);
        else
            return false;
    }
    *ret = value;
    return true;
}

/* The line's bytes against its checksum, before anything else is believed. */
static bool check_line(struct record_reader *reader)
{
    const char *line = reader->line;
    size_t length = reader->line_length;
    const char *tail = line + length - CRC_TAIL;
    uint32_t given;

    for (size_t i = 0; i < length; i++) {
        if (line[i] < 0x20 || line[i] > 0x7e)
            return record_refuse(reader, "byte 0x%02x, which no record has",
                                 (unsigned)(unsigned char)line[i]);
    }
    if (length <= CRC_TAIL || memcmp(tail, crc_key, sizeof crc_key - 1) != 0 ||
        memcmp(line + length - 2, "\"}", 2) != 0 || !parse_crc(tail + sizeof crc_key - 1, &given))
        return record_refuse(reader, "no checksum at the end of the line");
    if (crc32c(0, line, length - CRC_TAIL) != given)
        return record_refuse(reader, "the checksum does not fit the line");
    return true;
}

static bool read_line(struct record_reader *reader)
{
    struct guest_report *report = reader->report;
    json_t *record;
    json_t *number;
    const char *type;
    bool good;

    if (!check_line(reader))
        return false;
    record = json_loadb(reader->line, reader->line_length, JSON_REJECT_DUPLICATES, NULL);
    if (!json_is_object(record)) {
        json_decref(record);
        return record_refuse(reader, "not a JSON object");
    }
    number = json_object_get(record, "n");
    type = json_string_value(json_object_get(record, "t"));
    if (!json_is_integer(number) || json_integer_value(number) != (json_int_t)report->record_count)
        good = record_refuse(reader, "its number should be %zu: a record was lost or came twice",
                             report->record_count);
    else if (!type)
        good = record_refuse(reader, "it does not say its type");
    else
        good = record_take(reader, type, record);
    json_decref(record);
    return good;
}

/* Names the place in a fault that speaks of a record. */
static void place_fault(struct guest_report *report)
{
    char plain[sizeof report->fault];

    memcpy(plain, report->fault, sizeof plain);
    snprintf(report->fault, sizeof report->fault, "line %zu of the result port: %.400s",
             report->record_count + 1, plain);
}

/* Takes the line that begins at `bytes`; gives its length with the newline, 0 when reading ends. */
static size_t take_line(struct record_reader *reader, const char *bytes, size_t left)
{
    struct guest_report *report = reader->report;
    size_t bound = left < RECORD_LINE_MAXIMUM ? left : RECORD_LINE_MAXIMUM;
    const char *newline = memchr(bytes, '\n', bound);
    bool good;

    if (!newline && left < RECORD_LINE_MAXIMUM) {
        report->cut_line = true;
        return 0;
    }
    if (!newline) {
        good = record_refuse(reader, "longer than %d bytes", (int)RECORD_LINE_MAXIMUM);
    } else if (report->stage == STAGE_END) {
        good = record_refuse(reader, "it follows the end record");
    } else if (report->record_count >= RECORD_COUNT_MAXIMUM) {
        good = record_refuse(reader, "more than %d records", (int)RECORD_COUNT_MAXIMUM);
    } else {
        reader->line = bytes;
        reader->line_length = (size_t)(newline - bytes);
        good = read_line(reader);
    }
    if (!good) {
        place_fault(report);
        return 0;
    }
    report->record_count++;
    return (size_t)(newline - bytes) + 1;
}

int records_read(const char *bytes, size_t length, struct guest_report **ret,
                 struct culprit_error *error)
{
    CULPRIT_CLEANUP(guest_report_free) struct guest_report *report = calloc(1, sizeof *report);
    struct record_reader reader = {.report = report};

    if (!report)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot read the guest's records: no memory");
    if (length > RECORD_BYTES_MAXIMUM) {
        record_refuse(&reader, "the result port holds more than %d bytes",
                      (int)RECORD_BYTES_MAXIMUM);
        length = 0;
    }
    while (report->bytes < length) {
        size_t taken = take_line(&reader, bytes + report->bytes, length - report->bytes);
        if (taken == 0)
            break;
        report->bytes += taken;
    }
    if (report->stage == STAGE_END && report->cut_line) {
        report->cut_line = false;
        record_refuse(&reader, "bytes follow the end record on the result port");
    }
    if (reader.no_memory)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot read the guest's records: no memory");
    *ret = take(report);
    return 0;
}

void guest_report_free(struct guest_report *report)
{
    if (!report)
        return;
    seen_topology_clear(&report->seen);
    strv_free(&report->started);
    strv_free(&report->logs);
    free(report->metrics);
    free(report);
}
