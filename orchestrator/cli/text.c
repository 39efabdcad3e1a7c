/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/text.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/utf8.h"

void text_quote(struct buffer *buffer, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./:=,+@%";

    if (*word && word[strspn(word, plain)] == '\0') {
        buffer_puts(buffer, word);
        return;
    }
    buffer_puts(buffer, "'");
    for (const char *c = word; *c; c++) {
        if (*c == '\'')
            buffer_puts(buffer, "'\\''");
        else
            buffer_append(buffer, c, 1);
    }
    buffer_puts(buffer, "'");
}

static void print_safe(FILE *to, const char *text, bool lines)
{
    const unsigned char *c = (const unsigned char *)text;

    for (; *c; c++) {
        /* C0 and DEL; and C1, which UTF-8 writes as c2 80 … c2 9f. */
        if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f) {
            fputc('?', to);
            c++;
        } else {
            bool safe = (*c >= 0x20 && *c != 0x7f) || (lines && *c == '\n');

            fputc(safe ? *c : '?', to);
        }
    }
}

void text_print_safe(FILE *to, const char *text)
{
    print_safe(to, text, false);
}

void text_print_lines_safe(FILE *to, const char *text)
{
    print_safe(to, text, true);
}

json_t *text_json(const char *text)
{
    _cleanup_free_ char *copy = strdup(text);

    utf8_repair(copy);
    return copy ? json_string(copy) : NULL;
}

const char *text_number(double value, char text[32])
{
    if (value == trunc(value) && fabs(value) < 1e15)
        snprintf(text, 32, "%.0f", value);
    else
        snprintf(text, 32, "%.6g", value);
    return text;
}

size_t text_width(const char *text)
{
    size_t width = 0;

    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

void text_pad(FILE *to, const char *text, size_t width)
{
    text_print_safe(to, text);
    for (size_t i = text_width(text); i < width; i++)
        fputc(' ', to);
}
