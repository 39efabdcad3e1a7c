/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frame of the program `culprit`: one table of commands, each in a file of its own under
 * commands/. From this table come the parsing of options, the help texts and the words that the
 * shell completes, so that none of them can disagree with another.
 *
 * docs/cli.md is the reference; its exit statuses are those of base/error.c and of enum cli_status.
 */
#ifndef CULPRIT_CLI_CLI_H
#define CULPRIT_CLI_CLI_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/cancel.h"
#include "base/error.h"
#include "cli/arguments.h"

/* What a command found, apart from errors. */
enum cli_status {
    CLI_DONE = 0,         /* done; a culprit was found */
    CLI_AGAINST = 1,      /* a verdict against: no regression, a topology that differs, … */
    CLI_INCONCLUSIVE = 2, /* a job that ended without an answer */
};

struct cli {
    FILE *out;
    FILE *err;
    bool json;             /* --json */
    const char *server;    /* --server; NULL: see settings.h */
    struct cancel *cancel; /* requested by SIGINT and SIGTERM */
};

struct cli_command {
    const char *name;
    const char *summary;              /* one line, no full stop */
    const char *usage;                /* what follows the name; lines for more than one form */
    const char *help;                 /* paragraphs; may be NULL */
    const struct cli_option *options; /* ends with a NULL name; NULL: none */
    bool keeps_unknown;               /* unknown --name value pairs become NAME=VALUE words */
    /* At least 0: an enum cli_status or another exit status. Below: the error. */
    int (*run)(struct cli *cli, const struct arguments *arguments, struct culprit_error *error);
};

extern const struct cli_command *const cli_commands[];
extern const size_t cli_command_count;

/* NULL when there is none of that name. */
const struct cli_command *cli_command_find(const char *name);

/* Options that every command takes. */
extern const struct cli_option cli_common_options[];

/* The whole program; gives the exit status. The order of argv's words may change. `cancel` may be
 * NULL. */
int cli_main(int argc, char **argv, FILE *out, FILE *err, struct cancel *cancel);

/* Usage error in the program's own words: what was found, what is allowed. Returns -INVALID. */
int cli_usage_error(const struct cli_command *command, struct culprit_error *error,
                    const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The words that a command takes as positional arguments, between minimum and maximum. */
int cli_check_words(const struct cli_command *command, const struct arguments *arguments,
                    size_t minimum, size_t maximum, struct culprit_error *error);

/* Prints a value as indented JSON and lets go of it; NULL is NO_MEMORY. Returns CLI_DONE. */
int cli_print_json(struct cli *cli, json_t *value, struct culprit_error *error);

#endif
