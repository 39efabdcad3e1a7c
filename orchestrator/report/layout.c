/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/layout.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { TEXT_MAXIMUM = 64 * 1024 };

/* Bytes of the well-formed UTF-8 character at `text` (RFC 3629); 0 when there is none. */
static size_t utf8_length(const unsigned char *text)
{
    static const struct {
        unsigned char first, last; /* of the lead byte */
        unsigned char low, high;   /* of the byte after it */
        size_t length;
    } forms[] = {
        {0x01, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (text[0] < forms[i].first || text[0] > forms[i].last)
            continue;
        if (forms[i].length > 1 && (text[1] < forms[i].low || text[1] > forms[i].high))
            return 0;
        for (size_t b = 2; b < forms[i].length; b++)
            if ((text[b] & 0xc0) != 0x80)
                return 0;
        return forms[i].length;
    }
    return 0;
}

/* C0 controls, DEL, and the C1 controls that some terminals obey. */
static bool is_control(const unsigned char *text)
{
    return text[0] < 0x20 || text[0] == 0x7f || (text[0] == 0xc2 && text[1] < 0xa0);
}

void layout_clean(struct buffer *out, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    while (*at) {
        size_t length = utf8_length(at);

        if (length == 0 || is_control(at))
            buffer_puts(out, *at == '\t' ? " " : "?");
        else
            buffer_append(out, at, length);
        at += length > 0 ? length : 1;
    }
}

size_t layout_columns(const char *text)
{
    size_t columns = 0;

    for (; *text; text++)
        columns += ((unsigned char)*text & 0xc0) != 0x80;
    return columns;
}

void layout_wrap(struct buffer *out, const char *first, const char *rest, const char *text)
{
    _cleanup_buffer_ struct buffer clean = BUFFER_INIT(TEXT_MAXIMUM);
    size_t column = layout_columns(first);
    char *rest_of_text = NULL;
    bool fresh = true;

    layout_clean(&clean, text);
    buffer_puts(out, first);
    for (char *word = clean.data ? strtok_r(clean.data, " ", &rest_of_text) : NULL; word;
         word = strtok_r(NULL, " ", &rest_of_text)) {
        size_t width = layout_columns(word);

        if (!fresh && column + 1 + width > LAYOUT_WIDTH) {
            buffer_printf(out, "\n%s", rest);
            column = layout_columns(rest);
            fresh = true;
        }
        buffer_printf(out, "%s%s", fresh ? "" : " ", word);
        column += width + !fresh;
        fresh = false;
    }
    buffer_puts(out, "\n");
}

void layout_field(struct buffer *out, const char *label, const char *text)
{
    char first[LAYOUT_LABEL + 32];

    if (!text || !*text)
        return;
    snprintf(first, sizeof first, "  %-*s", LAYOUT_LABEL - 2, label);
    layout_wrap(out, first, "                ", text);
}

void layout_fieldf(struct buffer *out, const char *label, const char *format, ...)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(TEXT_MAXIMUM);
    va_list arguments;

    va_start(arguments, format);
    buffer_vprintf(&text, format, arguments);
    va_end(arguments);
    layout_field(out, label, text.data);
}

void layout_heading(struct buffer *out, const char *text)
{
    buffer_printf(out, "\n%s\n\n", text);
}

const char *layout_date(uint64_t seconds, char text[LAYOUT_DATE_SIZE])
{
    time_t when = (time_t)seconds;
    struct tm utc;

    if (!gmtime_r(&when, &utc) || strftime(text, LAYOUT_DATE_SIZE, "%Y-%m-%d", &utc) == 0)
        snprintf(text, LAYOUT_DATE_SIZE, "unknown");
    return text;
}

const char *layout_time(uint64_t seconds, char text[LAYOUT_DATE_SIZE])
{
    time_t when = (time_t)seconds;
    struct tm utc;

    if (!gmtime_r(&when, &utc) ||
        strftime(text, LAYOUT_DATE_SIZE, "%Y-%m-%d %H:%M:%S UTC", &utc) == 0)
        snprintf(text, LAYOUT_DATE_SIZE, "unknown");
    return text;
}
