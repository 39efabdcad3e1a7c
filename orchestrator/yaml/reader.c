/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "yaml/reader.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/buffer.h"

enum { CHOICES_MAXIMUM = 512 };

int reader_fail(struct reader *reader, const struct document_node *node, const char *format, ...)
{
    char message[sizeof reader->error->message];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return culprit_fail_at(reader->error, node->line, node->column, reader->path, "%s", message);
}

int reader_fail_with(struct reader *reader, const struct document_node *node,
                     const struct culprit_error *inner)
{
    if (inner->code == CULPRIT_NO_MEMORY)
        return reader_fail_memory(reader);
    reader_fail(reader, node, "%s", inner->message);
    if (reader->error)
        memcpy(reader->error->allowed, inner->allowed, sizeof inner->allowed);
    return -(int)CULPRIT_INVALID;
}

/* As many of the words as there is room for. */
static void list_words(struct buffer *list, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count && list->length + strlen(words[i]) + 8 < CHOICES_MAXIMUM; i++)
        buffer_printf(list, "%s%s", i ? ", " : "", words[i]);
}

int reader_fail_choice(struct reader *reader, const struct document_node *node, const char *what,
                       const char *found, const char *const *words, size_t count)
{
    _cleanup_buffer_ struct buffer list = BUFFER_INIT(CHOICES_MAXIMUM);
    const char *near = nearest_word(found, words, count);

    list_words(&list, words, count);
    reader_fail(reader, node, "unknown %s \"%.64s\"%s%s%s; allowed: %s", what, found,
                near ? ", did you mean \"" : "", near ? near : "", near ? "\"?" : "",
                list.data ? list.data : "none");
    culprit_error_allow(reader->error, words, count);
    return -(int)CULPRIT_INVALID;
}

int reader_fail_memory(struct reader *reader)
{
    return culprit_fail(reader->error, CULPRIT_NO_MEMORY, "no memory for the document's values");
}

size_t reader_enter(struct reader *reader, const char *key)
{
    size_t mark = strlen(reader->path);

    snprintf(reader->path + mark, sizeof reader->path - mark, "%s%.64s", mark ? "." : "", key);
    return mark;
}

size_t reader_enter_item(struct reader *reader, size_t index)
{
    size_t mark = strlen(reader->path);

    snprintf(reader->path + mark, sizeof reader->path - mark, "[%zu]", index);
    return mark;
}

void reader_leave(struct reader *reader, size_t mark)
{
    reader->path[mark] = '\0';
}

static int fail_key(struct reader *reader, const struct document_node *key,
                    const struct reader_field *fields, size_t count)
{
    _cleanup_free_ const char **names = calloc(count + 1, sizeof *names);
    char what[sizeof reader->path + 16];
    size_t mark;
    int r;

    if (!names)
        return reader_fail_memory(reader);
    for (size_t i = 0; i < count; i++)
        names[i] = fields[i].key;
    snprintf(what, sizeof what, "key%s%s", reader->path[0] ? " in " : "", reader->path);
    mark = reader_enter(reader, key->text);
    r = reader_fail_choice(reader, key, what, key->text, names, count);
    reader_leave(reader, mark);
    return r;
}

static const struct reader_field *find_field(const struct reader_field *fields, size_t count,
                                             const char *key)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(fields[i].key, key) == 0)
            return &fields[i];
    return NULL;
}

static int check_required(struct reader *reader, const struct document_node *node,
                          const struct reader_field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fields[i].required && !document_get(node, fields[i].key))
            return reader_fail(reader, node, "the key \"%s\" is missing%s%s", fields[i].key,
                               reader->path[0] ? " in " : "", reader->path);
    return 0;
}

int reader_mapping(struct reader *reader, const struct document_node *node,
                   const struct reader_field *fields, size_t count, void *target)
{
    if (node->kind != DOCUMENT_MAPPING)
        return reader_fail(reader, node, "a mapping of keys is expected, found %s",
                           document_describe(node));
    for (size_t i = 0; i < node->count; i++) {
        const struct document_node *key = node->keys[i];
        const struct reader_field *field = find_field(fields, count, key->text);
        size_t mark;
        int r;

        if (!field)
            return fail_key(reader, key, fields, count);
        mark = reader_enter(reader, key->text);
        r = field->read(reader, node->values[i], field, (char *)target + field->offset);
        reader_leave(reader, mark);
        if (r < 0)
            return r;
    }
    return check_required(reader, node, fields, count);
}

const char *reader_scalar(struct reader *reader, const struct document_node *node,
                          const char *expected)
{
    if (node->kind != DOCUMENT_SCALAR || (node->plain && node->text[0] == '\0')) {
        reader_fail(reader, node, "%s is expected, found %s", expected, document_describe(node));
        return NULL;
    }
    if (node->plain && (strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0)) {
        reader_fail(reader, node, "%s is expected, found %s, which stands for nothing", expected,
                    node->text);
        return NULL;
    }
    return node->text;
}

const char *reader_plain(struct reader *reader, const struct document_node *node,
                         const char *expected)
{
    const char *text = reader_scalar(reader, node, expected);

    if (text && !node->plain) {
        reader_fail(reader, node, "%s is expected, found the quoted text \"%.60s\"", expected,
                    text);
        return NULL;
    }
    return text;
}

int reader_choice(struct reader *reader, const struct document_node *node, const char *what,
                  const char *const *words, size_t count, size_t *ret)
{
    _cleanup_buffer_ struct buffer expected = BUFFER_INIT(CHOICES_MAXIMUM + 16);
    const char *text;

    buffer_puts(&expected, "one of ");
    list_words(&expected, words, count);
    text = reader_scalar(reader, node, expected.data ? expected.data : what);
    if (!text)
        return -(int)CULPRIT_INVALID;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i], text) == 0) {
            *ret = i;
            return 0;
        }
    }
    return reader_fail_choice(reader, node, what, text, words, count);
}

/* A decimal number as JSON writes it without an exponent; converted by jansson, which does not
 * depend on the locale. */
static bool is_decimal(const char *text)
{
    size_t digits;

    text += *text == '-';
    digits = strspn(text, "0123456789");
    if (digits == 0 || (digits > 1 && text[0] == '0'))
        return false;
    text += digits;
    if (*text != '.')
        return *text == '\0';
    digits = strspn(text + 1, "0123456789");
    return digits > 0 && text[1 + digits] == '\0';
}

int reader_real(struct reader *reader, const struct document_node *node, double minimum,
                double maximum, double *ret)
{
    const char *text = reader_plain(reader, node, "a number");
    json_t *number;
    double value;

    if (!text)
        return -(int)CULPRIT_INVALID;
    if (!is_decimal(text))
        return reader_fail(reader, node, "\"%.60s\" is not a number such as 0.5", text);
    number = json_loads(text, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
    value = number ? json_number_value(number) : maximum + 1.0;
    json_decref(number);
    if (!(value >= minimum && value <= maximum))
        return reader_fail(reader, node, "%.60s is not between %g and %g", text, minimum, maximum);
    *ret = value;
    return 0;
}

int reader_check_list(struct reader *reader, const struct document_node *node, uint64_t minimum,
                      uint64_t maximum)
{
    if (node->kind != DOCUMENT_SEQUENCE)
        return reader_fail(reader, node, "a list is expected, found %s", document_describe(node));
    if (node->count < minimum || node->count > maximum)
        return reader_fail(reader, node,
                           "the list has %zu items, but %" PRIu64 " to %" PRIu64 " are allowed",
                           node->count, minimum, maximum);
    return 0;
}
