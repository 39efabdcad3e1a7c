/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes on the result port are a report. The first byte of the input chooses: raw bytes, or
 * lines that are given the right number and checksum, so that what lies behind those is reached.
 */
#include "fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/digest.h"
#include "trial/records.h"

enum { FRAMED_MAXIMUM = 1 << 20 };

/* `"t":"sample",…` becomes a whole record. */
static void frame_line(struct buffer *out, const char *line, size_t length, unsigned number)
{
    _cleanup_buffer_ struct buffer record = BUFFER_INIT(FRAMED_MAXIMUM);

    buffer_printf(&record, "{\"n\":%u,", number);
    buffer_append(&record, line, length);
    if (!record.data)
        return;
    buffer_append(out, record.data, record.length);
    buffer_printf(out, ",\"crc\":\"%08x\"}\n", crc32c(0, record.data, record.length));
}

static void frame(struct buffer *out, const char *text, size_t length)
{
    unsigned number = 0;

    while (length > 0) {
        const char *end = memchr(text, '\n', length);
        size_t line = end ? (size_t)(end - text) : length;

        frame_line(out, text, line, number++);
        line += end != NULL;
        text += line;
        length -= line;
    }
}

static void check(const char *bytes, size_t length)
{
    CULPRIT_CLEANUP(guest_report_free) struct guest_report *report = NULL;

    if (records_read(bytes, length, &report, NULL) < 0 || !report)
        abort();
    if (report->bytes > length || report->record_count > RECORD_COUNT_MAXIMUM)
        abort();
    for (size_t i = 0; i < report->metric_count; i++)
        if (!isfinite(report->metrics[i].value) || !report->metrics[i].name[0])
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _cleanup_buffer_ struct buffer framed = BUFFER_INIT(FRAMED_MAXIMUM);

    if (size == 0)
        return 0;
    if (data[0] != 'f') {
        check((const char *)data + 1, size - 1);
        return 0;
    }
    frame(&framed, (const char *)data + 1, size - 1);
    check(framed.data ? framed.data : "", framed.length);
    return 0;
}
