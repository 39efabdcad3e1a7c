/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The read functions that tables name. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "yaml/reader.h"

READER_TYPE(read_u64)
{
    struct culprit_error inner;
    const char *text = reader_plain(reader, node, "a whole number");

    if (!text)
        return -(int)CULPRIT_INVALID;
    if (parse_count(text, field->minimum, field->maximum, target, &inner) < 0)
        return reader_fail_with(reader, node, &inner);
    return 0;
}

READER_TYPE(read_unsigned)
{
    uint64_t value;
    int r = read_u64(reader, node, field, &value);

    if (r == 0)
        *(unsigned *)target = (unsigned)value;
    return r;
}

READER_TYPE(read_size)
{
    struct culprit_error inner;
    char minimum[UNITS_TEXT_SIZE], maximum[UNITS_TEXT_SIZE];
    const char *text = reader_scalar(reader, node, "a size such as 512MiB");
    uint64_t value;

    if (!text)
        return -(int)CULPRIT_INVALID;
    if (parse_size(text, &value, &inner) < 0)
        return reader_fail_with(reader, node, &inner);
    if (value < field->minimum || value > field->maximum)
        return reader_fail(reader, node, "%s is not between %s and %s", text,
                           format_size(field->minimum, minimum),
                           format_size(field->maximum, maximum));
    *(uint64_t *)target = value;
    return 0;
}

READER_TYPE(read_duration)
{
    struct culprit_error inner;
    char minimum[UNITS_TEXT_SIZE], maximum[UNITS_TEXT_SIZE];
    const char *text = reader_scalar(reader, node, "a duration such as 30s");
    uint64_t value;

    if (!text)
        return -(int)CULPRIT_INVALID;
    if (parse_duration(text, &value, &inner) < 0)
        return reader_fail_with(reader, node, &inner);
    if (value < field->minimum || value > field->maximum)
        return reader_fail(reader, node, "%s is not between %s and %s", text,
                           format_duration(field->minimum, minimum),
                           format_duration(field->maximum, maximum));
    *(uint64_t *)target = value;
    return 0;
}

READER_TYPE(read_boolean)
{
    static const char *const words[] = {"true", "false"};
    const char *text = reader_plain(reader, node, "true or false");

    (void)field;
    if (!text)
        return -(int)CULPRIT_INVALID;
    if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
        return reader_fail_choice(reader, node, "truth value", text, words, 2);
    *(bool *)target = strcmp(text, "true") == 0;
    return 0;
}

static int check_length(struct reader *reader, const struct document_node *node,
                        const struct reader_field *field)
{
    size_t length = strlen(node->text);

    if (length < field->minimum || length > field->maximum)
        return reader_fail(reader, node,
                           "the text is %zu bytes long, but %" PRIu64 " to %" PRIu64 " are allowed",
                           length, field->minimum, field->maximum);
    return 0;
}

static int check_word(struct reader *reader, const struct document_node *node)
{
    for (const char *c = node->text; *c; c++)
        if (*c <= 0x20 || *c > 0x7e)
            return reader_fail(reader, node,
                               "a single word of printable ASCII characters is expected; byte %zu "
                               "is 0x%02x",
                               (size_t)(c - node->text) + 1, (unsigned char)*c);
    return 0;
}

static int take_text(struct reader *reader, const char *text, char **target)
{
    free(*target);
    *target = strdup(text);
    return *target ? 0 : reader_fail_memory(reader);
}

READER_TYPE(read_word)
{
    int r;

    if (!reader_scalar(reader, node, "a word"))
        return -(int)CULPRIT_INVALID;
    r = check_length(reader, node, field);
    if (r == 0)
        r = check_word(reader, node);
    return r < 0 ? r : take_text(reader, node->text, target);
}

READER_TYPE(read_words)
{
    static const struct reader_field item = {.minimum = 1, .maximum = 255};
    struct strv *words = target;
    int r = reader_check_list(reader, node, field->minimum, field->maximum);

    if (r < 0)
        return r;
    strv_free(words);
    *words = (struct strv){0};
    for (size_t i = 0; i < node->count; i++) {
        _cleanup_free_ char *word = NULL;
        size_t mark = reader_enter_item(reader, i);

        r = read_word(reader, node->values[i], &item, &word);
        if (r == 0 && strv_contains(words, word))
            r = reader_fail(reader, node->values[i], "\"%s\" stands in the list twice", word);
        if (r == 0 && !strv_append(words, word))
            r = reader_fail_memory(reader);
        if (r < 0)
            return r;
        reader_leave(reader, mark);
    }
    return 0;
}

READER_TYPE(read_line)
{
    const char *text = reader_scalar(reader, node, "a line of text");

    if (!text)
        return -(int)CULPRIT_INVALID;
    int r = check_length(reader, node, field);
    if (r < 0)
        return r;
    if (strpbrk(text, "\n\r\t"))
        return reader_fail(reader, node, "a single line of text is expected");
    return take_text(reader, text, target);
}

READER_TYPE(read_block)
{
    int r;

    if (!reader_scalar(reader, node, "a text"))
        return -(int)CULPRIT_INVALID;
    r = check_length(reader, node, field);
    return r < 0 ? r : take_text(reader, node->text, target);
}
