/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The section "kernel": fragments, single options, a whole .config, patches. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/units.h"
#include "job/sections.h"

enum { OPTION_NAME_MAXIMUM = 128, OPTION_VALUE_MAXIMUM = 256 };

static int check_option_name(struct reader *reader, const struct document_node *key)
{
    const char *name = key->text;

    if (strncmp(name, "CONFIG_", 7) == 0)
        return reader_fail(reader, key, "write \"%.120s\" without CONFIG_: \"%.120s\"", name,
                           name + 7);
    if (name[0] == '\0' || strlen(name) > OPTION_NAME_MAXIMUM)
        return reader_fail(reader, key, "an option's name has 1 to %d characters",
                           OPTION_NAME_MAXIMUM);
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return reader_fail(reader, key,
                               "\"%s\" is no name of a kernel option: letters, digits and '_' are "
                               "allowed",
                               name);
    return 0;
}

static bool is_switch(const char *text)
{
    return strlen(text) == 1 && strchr("ynm", text[0]);
}

static bool is_hexadecimal(const char *text)
{
    return strncmp(text, "0x", 2) == 0 && text[2] != '\0' && strlen(text) <= 18 &&
           strspn(text + 2, "0123456789abcdefABCDEF") == strlen(text + 2);
}

static bool is_integer(const char *text)
{
    uint64_t value;

    return parse_count(text + (text[0] == '-'), 0, INT64_MAX, &value, NULL) == 0;
}

/* A text option as .config writes it; text that is so written already stays. */
static int quote_value(struct reader *reader, const struct document_node *node, char **ret)
{
    const char *text = node->text;
    size_t length = strlen(text);
    bool written = length >= 2 && text[0] == '"' && text[length - 1] == '"';

    for (size_t i = written; i < length - written; i++)
        if (text[i] == '"' || text[i] == '\\' || (unsigned char)text[i] < 0x20)
            return reader_fail(reader, node,
                               "the text of an option is one line without quotes and backslashes");
    *ret = written ? strdup(text) : text_format("\"%s\"", text);
    return *ret ? 0 : reader_fail_memory(reader);
}

/* JSON has no plain words: "y" in quotes is the switch, as y is; numbers stand without quotes. */
static int read_option_value(struct reader *reader, const struct document_node *node, char **ret)
{
    const char *text = reader_scalar(reader, node, "y, n, m, a number or a quoted text");

    if (!text)
        return -(int)CULPRIT_INVALID;
    if (strlen(text) > OPTION_VALUE_MAXIMUM)
        return reader_fail(reader, node, "the value is longer than %d bytes", OPTION_VALUE_MAXIMUM);
    if (!is_switch(text) && !is_hexadecimal(text) && !node->plain)
        return quote_value(reader, node, ret);
    if (!is_switch(text) && !is_hexadecimal(text) && !is_integer(text))
        return reader_fail(reader, node,
                           "\"%.60s\" is no value of a kernel option: y, n, m, a whole number, "
                           "a number like 0x1f, or a text in quotes are allowed",
                           text);
    *ret = strdup(text);
    return *ret ? 0 : reader_fail_memory(reader);
}

static int read_option(struct reader *reader, const struct document_node *key,
                       const struct document_node *value, struct job_kernel_option *option)
{
    int r = check_option_name(reader, key);

    if (r < 0)
        return r;
    option->line = key->line;
    option->column = key->column;
    option->name = strdup(key->text);
    return option->name ? read_option_value(reader, value, &option->value)
                        : reader_fail_memory(reader);
}

static READER_TYPE(read_options)
{
    struct job_kernel *kernel = target;

    (void)field;
    if (node->kind != DOCUMENT_MAPPING)
        return reader_fail(reader, node, "a mapping of option to value is expected, found %s",
                           document_describe(node));
    if (node->count > JOB_OPTIONS_MAXIMUM)
        return reader_fail(reader, node, "more than %d options", JOB_OPTIONS_MAXIMUM);
    kernel->options = calloc(node->count + 1, sizeof *kernel->options);
    if (!kernel->options)
        return reader_fail_memory(reader);
    for (size_t i = 0; i < node->count; i++) {
        size_t mark = reader_enter(reader, node->keys[i]->text);
        int r;

        kernel->option_count++;
        r = read_option(reader, node->keys[i], node->values[i], &kernel->options[i]);
        if (r < 0)
            return r;
        reader_leave(reader, mark);
    }
    return 0;
}

static bool is_config_line(const char *line, size_t length)
{
    const char *equals = memchr(line, '=', length);

    while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\r'))
        length--;
    if (length == 0 || line[0] == '#')
        return true;
    return length > 8 && strncmp(line, "CONFIG_", 7) == 0 && equals && equals > line + 7;
}

/* The user's own .config. That its options are known to the kernel is for the build to find. */
static READER_TYPE(read_config_file)
{
    int r = read_block(reader, node, field, target);
    unsigned number = 1;

    if (r < 0)
        return r;
    for (const char *line = node->text; *line; number++) {
        size_t length = strcspn(line, "\n");

        if (!is_config_line(line, length))
            return reader_fail(reader, node,
                               "line %u of the configuration is \"%.*s\"; CONFIG_NAME=VALUE and "
                               "comments are allowed",
                               number, length > 60 ? 60 : (int)length, line);
        line += length + (line[length] == '\n');
    }
    return 0;
}

static bool has_line_starting(const char *text, const char *start)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, start, strlen(start)) == 0)
            return true;
    }
    return false;
}

/* That a patch applies is found out when the commit is checked out. */
static READER_TYPE(read_patches)
{
    static const struct reader_field item = {.minimum = 1, .maximum = JOB_INLINE_MAXIMUM};
    struct strv *patches = target;
    int r = reader_check_list(reader, node, field->minimum, field->maximum);

    for (size_t i = 0; r == 0 && i < node->count; i++) {
        _cleanup_free_ char *patch = NULL;
        size_t mark = reader_enter_item(reader, i);

        r = read_block(reader, node->values[i], &item, &patch);
        if (r == 0 && !(has_line_starting(patch, "--- ") && has_line_starting(patch, "@@ ")) &&
            !has_line_starting(patch, "diff --git "))
            r = reader_fail(reader, node->values[i],
                            "this is no patch: neither \"diff --git\" nor \"---\" and \"@@\" "
                            "begin a line of it");
        if (r == 0 && !strv_append(patches, patch))
            r = reader_fail_memory(reader);
        if (r == 0)
            reader_leave(reader, mark);
    }
    return r;
}

static int check_inline_size(struct reader *reader, const struct document_node *node,
                             const struct job_kernel *kernel)
{
    size_t total = kernel->config_file ? strlen(kernel->config_file) : 0;

    for (size_t i = 0; i < kernel->patches.count; i++)
        total += strlen(kernel->patches.items[i]);
    if (total <= JOB_INLINE_MAXIMUM)
        return 0;
    return reader_fail(reader, node,
                       "config_file and patches have %zu bytes together; at most %d are allowed",
                       total, JOB_INLINE_MAXIMUM);
}

READER_TYPE(read_kernel)
{
    static const struct reader_field fields[] = {
        {"config", read_words, offsetof(struct job_kernel, fragments), 0, 16, false},
        {"options", read_options, 0, 0, 0, false},
        {"config_file", read_config_file, offsetof(struct job_kernel, config_file), 1,
         JOB_INLINE_MAXIMUM, false},
        {"patches", read_patches, offsetof(struct job_kernel, patches), 0, JOB_PATCHES_MAXIMUM,
         false},
    };
    int r = reader_mapping(reader, node, fields, sizeof fields / sizeof *fields, target);

    (void)field;
    return r < 0 ? r : check_inline_size(reader, node, target);
}
