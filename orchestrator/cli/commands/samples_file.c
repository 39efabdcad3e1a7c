/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/commands/samples_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/input.h"

enum { QUOTED_MAXIMUM = 40 };

static const char blanks[] = " \t\r";
static const char byte_order_mark[] = "\xef\xbb\xbf"; /* some editors begin UTF-8 with it */

/* A word as a message can show it: short, and with nothing that moves a cursor. */
static const char *quote(const char *word, char text[QUOTED_MAXIMUM + 8])
{
    size_t length = strnlen(word, QUOTED_MAXIMUM);

    while (word[length] && length > 0 && ((unsigned char)word[length] & 0xc0) == 0x80)
        length--; /* not in the middle of a character */
    snprintf(text, QUOTED_MAXIMUM + 8, "%.*s%s", (int)length, word, word[length] ? "…" : "");
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            text[i] = '?';
    return text;
}

/* Puts the place before a message. */
static int at_line(const char *name, size_t line, struct culprit_error *error)
{
    error->line = (unsigned)line;
    return culprit_error_prefix(error, "%s:%zu", name, line);
}

/* A decimal number and nothing else: no "nan", no "0x10", no "1,5", no "10x". */
static int read_number(const char *word, double *ret, struct culprit_error *error)
{
    char shown[QUOTED_MAXIMUM + 8];
    char *end = NULL;
    double value = 0;

    if (word[strspn(word, "+-.0123456789eE")] == '\0')
        value = strtod(word, &end);
    if (!end || end == word || *end)
        return culprit_fail(error, CULPRIT_INVALID,
                            "\"%s\" is not a number, such as 12, -0.5 or 1.5e6",
                            quote(word, shown));
    if (!isfinite(value))
        return culprit_fail(error, CULPRIT_INVALID, "\"%s\" is too large for a number",
                            quote(word, shown));
    *ret = value;
    return 0;
}

/* Takes a line apart; at most three words, of which the third is one too many. */
static size_t split(char *line, char *words[3])
{
    size_t count = 0;
    char *rest = NULL;

    line[strcspn(line, "#")] = '\0';
    for (char *word = strtok_r(line, blanks, &rest); word && count < 3;
         word = strtok_r(NULL, blanks, &rest))
        words[count++] = word;
    return count;
}

/* All lines of a file have the same form, which the first one sets. */
static int read_line(char *line, size_t *form, struct samples_builder *builder,
                     struct culprit_error *error)
{
    char *words[3];
    size_t count = split(line, words);
    double value = 0;
    int r;

    if (count == 0)
        return 0;
    if (count > 2)
        return culprit_fail(error, CULPRIT_INVALID,
                            "more than two words; a line is a number, or a trial and a number");
    if (*form == 0)
        *form = count;
    if (count != *form)
        return culprit_fail(error, CULPRIT_INVALID,
                            "%s, unlike the lines above; all lines have a trial or none has",
                            count == 2 ? "a trial and a number" : "a number without a trial");
    r = read_number(words[count - 1], &value, error);
    return r < 0 ? r : samples_builder_add(builder, count == 2 ? words[0] : NULL, value, error);
}

int samples_text_read(const char *name, char *text, size_t length, struct samples_builder *builder,
                      struct culprit_error *error)
{
    size_t form = 0, line = 1;
    char *end = text + length;

    for (char *at = text, *next; at < end; at = next, line++) {
        char *newline = memchr(at, '\n', (size_t)(end - at));
        int r;

        next = newline ? newline + 1 : end;
        if (newline)
            *newline = '\0';
        if (memchr(at, '\0', (size_t)((newline ? newline : end) - at))) {
            culprit_fail(error, CULPRIT_INVALID, "a zero byte; sample files are text");
            return at_line(name, line, error);
        }
        r = read_line(at, &form, builder, error);
        if (r < 0)
            return at_line(name, line, error);
    }
    return 0;
}

int samples_file_read(const char *path, enum samples_aggregate aggregate,
                      const struct cancel *cancel, struct samples_set *ret,
                      struct culprit_error *error)
{
    CULPRIT_CLEANUP(samples_builder_free) struct samples_builder *builder = NULL;
    const char *name = input_name(path);
    _cleanup_free_ char *content = NULL;
    char *text;
    size_t length = 0, first;
    int r = samples_builder_new(&builder, error);

    if (r == 0)
        r = input_read(path, SAMPLES_FILE_MAXIMUM, cancel, &content, &length, error);
    if (r < 0)
        return r;
    text = content;
    if (strncmp(text, byte_order_mark, strlen(byte_order_mark)) == 0) {
        text += strlen(byte_order_mark);
        length -= strlen(byte_order_mark);
    }
    first = strspn(text, " \t\r\n");
    r = text[first] == '[' || text[first] == '{'
            ? samples_json_read(name, text, length, builder, error)
            : samples_text_read(name, text, length, builder, error);
    if (r < 0)
        return r;
    r = samples_builder_finish(builder, aggregate, ret, error);
    return r < 0 ? culprit_error_prefix(error, "%s", name) : 0;
}
