/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/arguments.h"

#include <string.h>

#include "base/units.h"

enum { KNOWN_MAXIMUM = 64 };

struct parser {
    int argc;
    char *const *argv;
    int next;
    const struct cli_option *tables[2];
    bool keep_unknown;
    struct arguments *arguments;
    struct culprit_error *error;
};

static const struct cli_option *find_option(const struct parser *parser, const char *name,
                                            size_t length, char letter)
{
    for (size_t t = 0; t < 2; t++) {
        for (const struct cli_option *o = parser->tables[t]; o && o->name; o++) {
            if (letter ? o->letter == letter
                       : strlen(o->name) == length && strncmp(o->name, name, length) == 0)
                return o;
        }
    }
    return NULL;
}

static int refuse_unknown(const struct parser *parser, const char *word)
{
    const char *names[KNOWN_MAXIMUM];
    char name[64];
    size_t count = 0;
    const char *nearest;

    for (size_t t = 0; t < 2; t++) {
        for (const struct cli_option *o = parser->tables[t]; o && o->name; o++) {
            if (count < KNOWN_MAXIMUM)
                names[count++] = o->name;
        }
    }
    snprintf(name, sizeof name, "%s", word + strspn(word, "-"));
    name[strcspn(name, "=")] = '\0';
    nearest = nearest_word(name, names, count);
    return culprit_fail(parser->error, CULPRIT_INVALID, "there is no option \"%s\"%s%s%s", word,
                        nearest ? "; did you mean --" : "", nearest ? nearest : "",
                        nearest ? "?" : "");
}

static int no_memory(const struct parser *parser)
{
    return culprit_fail(parser->error, CULPRIT_NO_MEMORY,
                        "cannot read the command line: no memory");
}

static int add_option(const struct parser *parser, const struct cli_option *option,
                      const char *value)
{
    if (arguments_given(parser->arguments, option->name))
        return culprit_fail(parser->error, CULPRIT_INVALID, "--%s is given twice", option->name);
    if (!strv_append(&parser->arguments->names, option->name) ||
        !strv_append(&parser->arguments->values, value ? value : ""))
        return no_memory(parser);
    return 0;
}

/* The next word as the value of the option before it. */
static const char *next_word(struct parser *parser)
{
    return parser->next < parser->argc ? parser->argv[parser->next++] : NULL;
}

static int take_option(struct parser *parser, const struct cli_option *option, const char *attached)
{
    const char *value = attached;

    if (!option->argument && attached)
        return culprit_fail(parser->error, CULPRIT_INVALID, "--%s takes no value", option->name);
    if (!option->argument)
        return add_option(parser, option, NULL);
    if (!value)
        value = next_word(parser);
    if (!value)
        return culprit_fail(parser->error, CULPRIT_INVALID, "--%s needs a value: %s", option->name,
                            option->argument);
    return add_option(parser, option, value);
}

static int take_unknown(struct parser *parser, const char *word, const char *equals)
{
    const char *value;

    if (!parser->keep_unknown)
        return refuse_unknown(parser, word);
    if (equals)
        return strv_append(&parser->arguments->words, word + 2) ? 0 : no_memory(parser);
    value = next_word(parser);
    if (!value)
        return culprit_fail(parser->error, CULPRIT_INVALID, "%s needs a value", word);
    return strv_appendf(&parser->arguments->words, "%s=%s", word + 2, value) ? 0
                                                                             : no_memory(parser);
}

static int take_long(struct parser *parser, const char *word)
{
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) - 2 : strlen(word) - 2;
    const struct cli_option *option = find_option(parser, word + 2, length, '\0');

    if (!option)
        return take_unknown(parser, word, equals);
    return take_option(parser, option, equals ? equals + 1 : NULL);
}

static int take_short(struct parser *parser, const char *word)
{
    const struct cli_option *option = find_option(parser, NULL, 0, word[1]);

    if (!option)
        return refuse_unknown(parser, word);
    return take_option(parser, option, word[2] ? word + 2 : NULL);
}

int arguments_parse(int argc, char *const *argv, const struct cli_option *options,
                    const struct cli_option *common, bool keep_unknown, struct arguments *ret,
                    struct culprit_error *error)
{
    struct parser parser = {
        .argc = argc,
        .argv = argv,
        .tables = {options, common},
        .keep_unknown = keep_unknown,
        .arguments = ret,
        .error = error,
    };
    bool only_words = false;

    while (parser.next < argc) {
        const char *word = argv[parser.next++];
        int r = 0;

        if (only_words || word[0] != '-' || word[1] == '\0')
            r = strv_append(&ret->words, word) ? 0 : no_memory(&parser);
        else if (strcmp(word, "--") == 0)
            only_words = true;
        else if (word[1] == '-')
            r = take_long(&parser, word);
        else
            r = take_short(&parser, word);
        if (r < 0)
            return r;
    }
    return 0;
}

int arguments_leading(int argc, char *const *argv, const struct cli_option *options)
{
    const struct parser parser = {.tables = {options}};
    int count = 0;

    while (count < argc && argv[count][0] == '-') {
        const char *word = argv[count];
        size_t length = strcspn(word, "=");
        const struct cli_option *option = word[1] == '-'
                                              ? find_option(&parser, word + 2, length - 2, '\0')
                                              : find_option(&parser, NULL, 0, word[1]);
        bool attached = word[1] == '-' ? word[length] == '=' : word[1] && word[2];

        if (!option)
            break;
        count += option->argument && !attached ? 2 : 1;
    }
    return count < argc ? count : argc;
}

void arguments_clear(struct arguments *arguments)
{
    strv_free(&arguments->names);
    strv_free(&arguments->values);
    strv_free(&arguments->words);
}

const char *arguments_value(const struct arguments *arguments, const char *name)
{
    for (size_t i = 0; i < arguments->names.count; i++) {
        if (strcmp(arguments->names.items[i], name) == 0)
            return arguments->values.items[i];
    }
    return NULL;
}

bool arguments_given(const struct arguments *arguments, const char *name)
{
    return arguments_value(arguments, name) != NULL;
}

int arguments_count(const struct arguments *arguments, const char *name, uint64_t minimum,
                    uint64_t maximum, uint64_t *ret, struct culprit_error *error)
{
    const char *value = arguments_value(arguments, name);
    int r = value ? parse_count(value, minimum, maximum, ret, error) : 0;

    return r < 0 ? culprit_error_prefix(error, "--%s", name) : 0;
}
