/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A command line taken apart: options by name, and the other words in order. */
#ifndef CULPRIT_CLI_ARGUMENTS_H
#define CULPRIT_CLI_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strv.h"

struct cli_option {
    const char *name;     /* without dashes; NULL ends a table */
    char letter;          /* '\0': none */
    const char *argument; /* what it takes, as the help shows it ("FILE"); NULL: it is a flag */
    const char *summary;
};

struct arguments {
    struct strv names;  /* options that were given, by their table names … */
    struct strv values; /* … and their values, "" for flags */
    struct strv words;  /* the rest */
};

/*
 * "--name value", "--name=value", "-x value", "-xvalue"; "--" ends options. An option given twice
 * is an error. Options are looked up in both tables (each may be NULL). With keep_unknown, an
 * unknown "--name value" or "--name=value" becomes the word "name=value". INVALID names the word
 * and the nearest known option.
 */
int arguments_parse(int argc, char *const *argv, const struct cli_option *options,
                    const struct cli_option *common, bool keep_unknown, struct arguments *ret,
                    struct culprit_error *error);
void arguments_clear(struct arguments *arguments);

static inline void arguments_clear_cleanup(struct arguments *arguments)
{
    arguments_clear(arguments);
}

/* How many words at the beginning are options of the table, or the values of such. */
int arguments_leading(int argc, char *const *argv, const struct cli_option *options);

/* NULL when it was not given. */
const char *arguments_value(const struct arguments *arguments, const char *name);
bool arguments_given(const struct arguments *arguments, const char *name);

/* A whole number; *ret is untouched when the option was not given. */
int arguments_count(const struct arguments *arguments, const char *name, uint64_t minimum,
                    uint64_t maximum, uint64_t *ret, struct culprit_error *error);

#endif
