/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "build/config/kconfig.h"

#include <ctype.h>
#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/strv.h"

enum { NAME_MAXIMUM = 128, VALUE_MAXIMUM = 4096, OPTIONS_MAXIMUM = 200000 };

struct option {
    char *name;
    char *value; /* NULL: removed */
};

struct kconfig {
    struct option **options; /* in order */
    size_t count;
    size_t capacity;
    void *by_name; /* tsearch() tree of the same pointers */
};

int kconfig_new(struct kconfig **ret, struct culprit_error *error)
{
    struct kconfig *config = calloc(1, sizeof *config);

    if (!config)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a configuration");
    *ret = config;
    return 0;
}

static void option_free(struct option *option)
{
    if (!option)
        return;
    free(option->name);
    free(option->value);
    free(option);
}

DEFINE_CLEANUP(struct option *, option_free);

static void keep(void *option)
{
    (void)option;
}

void kconfig_free(struct kconfig *config)
{
    if (!config)
        return;
    tdestroy(config->by_name, keep);
    for (size_t i = 0; i < config->count; i++)
        option_free(config->options[i]);
    free(config->options);
    free(config);
}

static int compare_names(const void *a, const void *b)
{
    const struct option *left = a, *right = b;

    return strcmp(left->name, right->name);
}

static struct option *find(const struct kconfig *config, const char *name)
{
    union {
        const char *given;
        char *name;
    } lent = {.given = name};
    const struct option key = {.name = lent.name};
    void *node = tfind(&key, &config->by_name, compare_names);

    return node ? *(struct option **)node : NULL;
}

const char *kconfig_get(const struct kconfig *config, const char *name)
{
    const struct option *option = find(config, name);

    return option && option->value ? option->value : "n";
}

void kconfig_remove(struct kconfig *config, const char *name)
{
    struct option *option = find(config, name);

    if (option) {
        free(option->value);
        option->value = NULL;
    }
}

int kconfig_each(const struct kconfig *config,
                 int (*visit)(void *context, const char *name, const char *value,
                              struct culprit_error *error),
                 void *context, struct culprit_error *error)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < config->count; i++) {
        const struct option *option = config->options[i];

        if (option->value)
            r = visit(context, option->name, option->value, error);
    }
    return r;
}

static bool name_valid(const char *name)
{
    size_t length = strlen(name);

    if (length == 0 || length > NAME_MAXIMUM)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (!isalnum((unsigned char)name[i]) && name[i] != '_')
            return false;
    }
    return true;
}

static bool is_number(const char *value)
{
    size_t length = strlen(value);

    if (strncmp(value, "0x", 2) == 0 || strncmp(value, "0X", 2) == 0)
        return length > 2 && strspn(value + 2, "0123456789abcdefABCDEF") == length - 2;
    value += value[0] == '-';
    return *value && strspn(value, "0123456789") == strlen(value);
}

/* A quote inside must follow a backslash. */
static bool is_quoted(const char *value)
{
    size_t length = strlen(value);

    if (length < 2 || value[0] != '"' || value[length - 1] != '"')
        return false;
    for (size_t i = 1; i < length - 1; i++) {
        if (value[i] == '\\')
            i++;
        else if (value[i] == '"')
            return false;
        if (i == length - 1)
            return false;
    }
    return true;
}

static char *quote(const char *value)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(2 * VALUE_MAXIMUM + 2);

    buffer_puts(&text, "\"");
    for (; *value; value++) {
        if (*value == '"' || *value == '\\')
            buffer_puts(&text, "\\");
        buffer_append(&text, value, 1);
    }
    buffer_puts(&text, "\"");
    return buffer_take(&text);
}

/* The value as a .config has it, or an error. */
static int normalize(const char *name, const char *value, char **ret, struct culprit_error *error)
{
    bool plain = strcmp(value, "y") == 0 || strcmp(value, "m") == 0 || strcmp(value, "n") == 0;

    if (strlen(value) > VALUE_MAXIMUM)
        return culprit_fail(error, CULPRIT_INVALID,
                            "the value of CONFIG_%s is longer than %d bytes", name, VALUE_MAXIMUM);
    for (const char *c = value; *c; c++) {
        if (iscntrl((unsigned char)*c))
            return culprit_fail(error, CULPRIT_INVALID,
                                "the value of CONFIG_%s has a control character", name);
    }
    if (value[0] == '"' && !is_quoted(value))
        return culprit_fail(error, CULPRIT_INVALID, "the value of CONFIG_%s has uneven quotes: %s",
                            name, value);
    *ret = plain || is_number(value) || value[0] == '"' ? strdup(value) : quote(value);
    if (!*ret)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for CONFIG_%s", name);
    return 0;
}

static int reserve(struct kconfig *config, struct culprit_error *error)
{
    size_t capacity = config->capacity ? config->capacity * 2 : 64;
    struct option **options;

    if (config->count < config->capacity)
        return 0;
    if (config->count >= OPTIONS_MAXIMUM)
        return culprit_fail(error, CULPRIT_LIMIT, "the configuration has more than %d options",
                            OPTIONS_MAXIMUM);
    options = reallocarray(config->options, capacity, sizeof(struct option *));
    if (!options)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a configuration");
    config->options = options;
    config->capacity = capacity;
    return 0;
}

/* Takes *value. */
static int add(struct kconfig *config, const char *name, char **value, struct culprit_error *error)
{
    CULPRIT_CLEANUP(option_free) struct option *option = calloc(1, sizeof *option);
    int r = reserve(config, error);

    if (r < 0)
        return r;
    if (option)
        option->name = strdup(name);
    if (!option || !option->name || !tsearch(option, &config->by_name, compare_names))
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for CONFIG_%s", name);
    option->value = take(*value);
    config->options[config->count++] = take(option);
    return 0;
}

int kconfig_set(struct kconfig *config, const char *name, const char *value,
                struct culprit_error *error)
{
    _cleanup_free_ char *normal = NULL;
    struct option *option;
    int r;

    if (!name_valid(name))
        return culprit_fail(error, CULPRIT_INVALID, "\"%.100s\" is not the name of an option",
                            name);
    r = normalize(name, value, &normal, error);
    if (r < 0)
        return r;
    option = find(config, name);
    if (!option)
        return add(config, name, &normal, error);
    free(option->value);
    option->value = take(normal);
    return 0;
}

/* One line without its end. Changes it. */
static int parse_line(struct kconfig *config, char *line, struct culprit_error *error)
{
    static const char prefix[] = "CONFIG_", unset_prefix[] = "# CONFIG_", unset[] = " is not set";
    size_t length = strlen(line);
    char *equals;

    while (length > 0 && isspace((unsigned char)line[length - 1]))
        line[--length] = '\0';
    if (length > strlen(unset) && strncmp(line, unset_prefix, strlen(unset_prefix)) == 0 &&
        strcmp(line + length - strlen(unset), unset) == 0) {
        line[length - strlen(unset)] = '\0';
        return kconfig_set(config, line + strlen(unset_prefix), "n", error);
    }
    if (length == 0 || line[0] == '#')
        return 0;
    equals = strchr(line, '=');
    if (strncmp(line, prefix, strlen(prefix)) != 0 || !equals)
        return culprit_fail(error, CULPRIT_INVALID,
                            "\"%.100s\" is neither CONFIG_NAME=value nor a comment", line);
    *equals = '\0';
    return kconfig_set(config, line + strlen(prefix), equals + 1, error);
}

static int fail_in_line(struct culprit_error *error, const char *what, unsigned line, int r)
{
    if (error)
        culprit_error_prefix(error, "%s, line %u", what, line);
    return r;
}

int kconfig_parse(struct kconfig *config, const char *text, const char *what,
                  struct culprit_error *error)
{
    _cleanup_free_ char *copy = strdup(text);
    char *rest = copy, *line;

    if (!copy)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for %s", what);
    for (unsigned number = 1; (line = strsep(&rest, "\n")); number++) {
        int r = parse_line(config, line, error);

        if (r < 0)
            return fail_in_line(error, what, number, r);
    }
    return 0;
}

static void write_option(const struct option *option, struct buffer *text)
{
    if (!option->value)
        return;
    if (strcmp(option->value, "n") == 0)
        buffer_printf(text, "# CONFIG_%s is not set\n", option->name);
    else
        buffer_printf(text, "CONFIG_%s=%s\n", option->name, option->value);
}

void kconfig_write(const struct kconfig *base, const struct kconfig *asked, struct buffer *text)
{
    for (size_t i = 0; base && i < base->count; i++) {
        const struct option *over = find(asked, base->options[i]->name);

        if (!over || !over->value)
            write_option(base->options[i], text);
    }
    for (size_t i = 0; i < asked->count; i++)
        write_option(asked->options[i], text);
}

/* Hexadecimal numbers are written back in the form that Kconfig prefers. */
static bool values_equal(const char *a, const char *b)
{
    unsigned long long left, right;

    if (strcmp(a, b) == 0)
        return true;
    if (!is_number(a) || !is_number(b) || a[0] == '-' || b[0] == '-')
        return false;
    errno = 0;
    left = strtoull(a, NULL, a[1] == 'x' || a[1] == 'X' ? 16 : 10);
    right = strtoull(b, NULL, b[1] == 'x' || b[1] == 'X' ? 16 : 10);
    return errno == 0 && left == right;
}

static void describe(const struct option *asked, const struct kconfig *actual,
                     const struct strv *others, struct culprit_error *error)
{
    const char *value = kconfig_get(actual, asked->name);
    _cleanup_buffer_ struct buffer list = BUFFER_INIT(400);

    for (size_t i = 0; i < others->count; i++)
        buffer_printf(&list, "%sCONFIG_%s", i ? ", " : "", others->items[i]);
    culprit_fail(error, CULPRIT_FAILED, "CONFIG_%s was asked to be %s and is %s%s%s", asked->name,
                 strcmp(asked->value, "n") == 0 ? "off" : asked->value,
                 strcmp(value, "n") != 0 ? value : "not set",
                 others->count ? "; nor did these take: " : "", list.data ? list.data : "");
}

int kconfig_check(const struct kconfig *asked, const struct kconfig *actual, const char **ret_name,
                  struct culprit_error *error)
{
    _cleanup_strv_ struct strv others = {0};
    const struct option *first = NULL;

    for (size_t i = 0; i < asked->count; i++) {
        const struct option *option = asked->options[i];

        if (!option->value || values_equal(option->value, kconfig_get(actual, option->name)))
            continue;
        if (!first)
            first = option;
        else if (others.count < 8 && !strv_append(&others, option->name))
            return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the names of options");
    }
    if (!first)
        return 0;
    if (ret_name)
        *ret_name = first->name;
    describe(first, actual, &others, error);
    return -CULPRIT_FAILED;
}
