/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The section "guest": which machine, how it is run, and what its kernel is told. */
#include <ctype.h>
#include <string.h>

#include "base/kernel_parameter.h"
#include "job/sections.h"

enum { CMDLINE_MAXIMUM = 1024 };

static READER_TYPE(read_engine)
{
    const char *names[ENGINE_COUNT];
    const char *text = reader_scalar(reader, node, "an engine");

    (void)field;
    if (!text)
        return -(int)CULPRIT_INVALID;
    if (engine_from_name(text, target))
        return 0;
    for (int i = 0; i < ENGINE_COUNT; i++)
        names[i] = engine_name((enum engine)i);
    return reader_fail_choice(reader, node, "engine", text, names, ENGINE_COUNT);
}

static READER_TYPE(read_shift)
{
    unsigned value;
    int r = read_unsigned(reader, node, field, &value);

    if (r == 0)
        *(int *)target = (int)value;
    return r;
}

/* What the trial itself must say to the kernel cannot be said twice. */
static int check_parameter(struct reader *reader, const struct document_node *node)
{
    if (!kernel_parameter_is_word(node->text))
        return reader_fail(reader, node, "a quote in %.60s is not closed", node->text);
    if (kernel_parameter_is_reserved(node->text))
        return reader_fail(reader, node, "\"%.60s\" is set by the trial itself", node->text);
    return 0;
}

static READER_TYPE(read_cmdline)
{
    size_t total = 0;
    int r = read_words(reader, node, field, target);

    for (size_t i = 0; r == 0 && i < node->count; i++) {
        size_t mark = reader_enter_item(reader, i);

        total += strlen(node->values[i]->text) + 1;
        r = check_parameter(reader, node->values[i]);
        if (r == 0)
            reader_leave(reader, mark);
    }
    if (r == 0 && total > CMDLINE_MAXIMUM)
        r = reader_fail(reader, node, "the parameters have %zu bytes; at most %d are allowed",
                        total, CMDLINE_MAXIMUM);
    return r;
}

static int check_sysctl_key(struct reader *reader, const struct document_node *key)
{
    const char *name = key->text;
    size_t length = strlen(name);

    if (length == 0 || length > 128 || name[0] == '.' || strstr(name, "..") ||
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") != length)
        return reader_fail(reader, key, "\"%.60s\" is no name like kernel.sched_autogroup_enabled",
                           name);
    return 0;
}

static int read_sysctl(struct reader *reader, const struct document_node *key,
                       const struct document_node *node, struct strv *sysctls)
{
    int r = check_sysctl_key(reader, key);
    const char *value = r == 0 ? reader_scalar(reader, node, "a value") : NULL;

    if (!value)
        return -(int)CULPRIT_INVALID;
    if (strlen(value) == 0 || strlen(value) > 256)
        return reader_fail(reader, node, "the value must have 1 to 256 bytes");
    for (const char *c = value; *c; c++)
        if (*c < 0x20 || *c > 0x7e)
            return reader_fail(reader, node, "one line of printable ASCII text is expected");
    return strv_appendf(sysctls, "%s %s", key->text, value) ? 0 : reader_fail_memory(reader);
}

static READER_TYPE(read_sysctls)
{
    struct strv *sysctls = target;

    if (node->kind != DOCUMENT_MAPPING)
        return reader_fail(reader, node, "a mapping of name to value is expected, found %s",
                           document_describe(node));
    if (node->count > field->maximum)
        return reader_fail(reader, node, "more than %u settings", (unsigned)field->maximum);
    for (size_t i = 0; i < node->count; i++) {
        size_t mark = reader_enter(reader, node->keys[i]->text);
        int r = read_sysctl(reader, node->keys[i], node->values[i], sysctls);

        if (r < 0)
            return r;
        reader_leave(reader, mark);
    }
    return 0;
}

static READER_TYPE(read_features)
{
    int r = read_words(reader, node, field, target);

    for (size_t i = 0; r == 0 && i < node->count; i++) {
        const char *name = node->values[i]->text;

        if (strlen(name) > 64 ||
            strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != strlen(name))
            r = reader_fail(reader, node->values[i],
                            "\"%.60s\" is no scheduler feature like PLACE_LAG or NO_PLACE_LAG",
                            name);
    }
    return r;
}

#define FIELD(member) #member, .offset = offsetof(struct job_guest, member)

READER_TYPE(read_guest)
{
    static const struct reader_field fields[] = {
        {FIELD(topology), .read = read_word, .minimum = 1, .maximum = 64, .required = true},
        {FIELD(image), .read = read_word, .minimum = 1, .maximum = 64},
        {FIELD(memory), .read = read_size, .minimum = 64 << 20, .maximum = UINT64_C(4) << 40},
        {FIELD(engine), .read = read_engine},
        {FIELD(shift), .read = read_shift, .minimum = 0, .maximum = 10},
        {FIELD(cmdline), .read = read_cmdline, .minimum = 0, .maximum = 64},
        {"sysctl", .offset = offsetof(struct job_guest, sysctls), .read = read_sysctls,
         .maximum = 64},
        {FIELD(sched_features), .read = read_features, .minimum = 0, .maximum = 64},
    };

    (void)field;
    return reader_mapping(reader, node, fields, sizeof fields / sizeof *fields, target);
}
