/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"

#include <stdarg.h>
#include <string.h>

#include "cli/help.h"
#include "cli/text.h"

const struct cli_option cli_common_options[] = {
    {"json", '\0', NULL, "print JSON instead of text"},
    {"server", '\0', "URL", "the server to ask (default: $CULPRIT_SERVER, then the settings file)"},
    {"help", 'h', NULL, "show the command's help"},
    {NULL, '\0', NULL, NULL},
};

const struct cli_command *cli_command_find(const char *name)
{
    for (size_t i = 0; i < cli_command_count; i++) {
        if (strcmp(cli_commands[i]->name, name) == 0)
            return cli_commands[i];
    }
    return NULL;
}

int cli_usage_error(const struct cli_command *command, struct culprit_error *error,
                    const char *format, ...)
{
    char message[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return culprit_fail(error, CULPRIT_INVALID, "%s (see \"culprit help %s\")", message,
                        command->name);
}

/* Of a command's forms the one that begins with the first word, else all of them. */
static const char *usage_form(const struct cli_command *command, const struct arguments *arguments,
                              size_t *ret_length)
{
    const char *verb = arguments->words.count ? arguments->words.items[0] : "";

    for (const char *form = command->usage; *form;) {
        size_t length = strcspn(form, "\n"), word = strcspn(form, " \n");

        if (word == strlen(verb) && strncmp(form, verb, word) == 0) {
            *ret_length = length;
            return form;
        }
        form += length + (form[length] == '\n');
    }
    *ret_length = strlen(command->usage);
    return command->usage;
}

int cli_check_words(const struct cli_command *command, const struct arguments *arguments,
                    size_t minimum, size_t maximum, struct culprit_error *error)
{
    size_t count = arguments->words.count, length;
    const char *form = usage_form(command, arguments, &length);

    if (count < minimum)
        return cli_usage_error(command, error, "%s needs %s: culprit %s %.*s", command->name,
                               minimum == 1 ? "an argument" : "more arguments", command->name,
                               (int)length, form);
    if (count > maximum)
        return cli_usage_error(command, error, "%s does not take \"%s\"", command->name,
                               arguments->words.items[maximum]);
    return 0;
}

int cli_print_json(struct cli *cli, json_t *value, struct culprit_error *error)
{
    int r;

    if (!value)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot write JSON: no memory");
    r = json_dumpf(value, cli->out, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    json_decref(value);
    if (r < 0 || fputc('\n', cli->out) == EOF || fflush(cli->out) != 0)
        return culprit_fail(error, CULPRIT_IO, "cannot write to the standard output");
    return CLI_DONE;
}

static void print_json_error(struct cli *cli, const struct culprit_error *error)
{
    json_t *value = json_pack("{s:{s:s, s:o, s:o, s:i, s:i}}", "error", "code",
                              culprit_code_name(error->code), "message", text_json(error->message),
                              "where", text_json(error->where), "line", (int)error->line, "column",
                              (int)error->column);

    if (value)
        cli_print_json(cli, value, NULL);
}

/* One sentence on the standard error; with --json the same as an object on the standard output. */
static int report_error(struct cli *cli, const struct culprit_error *error)
{
    fputs("culprit: ", cli->err);
    text_print_lines_safe(cli->err, error->message);
    fputc('\n', cli->err);
    if (cli->json)
        print_json_error(cli, error);
    return culprit_code_exit_status(error->code);
}

static int unknown_command(const char *name, struct culprit_error *error)
{
    const char *names[64];
    size_t count = 0;
    const char *nearest;

    for (size_t i = 0; i < cli_command_count && count < 64; i++)
        names[count++] = cli_commands[i]->name;
    if (name[0] == '-')
        return culprit_fail(error, CULPRIT_INVALID,
                            "\"%s\" before the command: only --json, --server URL and --help "
                            "stand there",
                            name);
    nearest = nearest_word(name, names, count);
    return culprit_fail(error, CULPRIT_INVALID, "there is no command \"%s\"%s%s%s", name,
                        nearest ? "; did you mean \"" : "; see \"culprit help",
                        nearest ? nearest : "", nearest ? "\"?" : "\"");
}

static int run_command(struct cli *cli, const char *name, int argc, char **argv,
                       struct culprit_error *error)
{
    CULPRIT_CLEANUP(arguments_clear) struct arguments arguments = {0};
    const struct cli_command *command = cli_command_find(name);
    int r;

    /* Whether errors are to be JSON must be known before the first one. */
    for (int i = 0; i < argc; i++)
        cli->json = cli->json || strcmp(argv[i], "--json") == 0;
    if (!command)
        return unknown_command(name, error);
    r = arguments_parse(argc, argv, command->options, cli_common_options, command->keeps_unknown,
                        &arguments, error);
    if (r < 0)
        return culprit_error_prefix(error, "%s", command->name);
    if (arguments_given(&arguments, "help")) {
        help_print_command(cli->out, command);
        return CLI_DONE;
    }
    cli->json = arguments_given(&arguments, "json");
    cli->server = arguments_value(&arguments, "server");
    return command->run(cli, &arguments, error);
}

/* Puts the command before the options that stand before it, and gives its name: NULL when there is
 * none. */
static const char *bring_command_forward(int argc, char **argv)
{
    int leading = arguments_leading(argc - 1, argv + 1, cli_common_options);
    char *name = 1 + leading < argc ? argv[1 + leading] : NULL;

    if (name) {
        memmove(argv + 2, argv + 1, (size_t)leading * sizeof *argv);
        argv[1] = name;
    }
    return name;
}

/* Without a command there is only help to give, asked for or not. */
static int run_without_command(struct cli *cli, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            help_print(cli->out);
            return CLI_DONE;
        }
    }
    help_print(cli->err);
    return culprit_code_exit_status(CULPRIT_INVALID);
}

int cli_main(int argc, char **argv, FILE *out, FILE *err, struct cancel *cancel)
{
    struct cli cli = {.out = out, .err = err, .cancel = cancel};
    struct culprit_error error = {0};
    const char *name = bring_command_forward(argc, argv);
    int r;

    if (!name)
        return run_without_command(&cli, argc, argv);
    if (strcmp(name, "--version") == 0) {
        fprintf(out, "culprit %s\n", CULPRIT_VERSION);
        return CLI_DONE;
    }
    r = run_command(&cli, name, argc - 2, argv + 2, &error);
    if (r < 0)
        return report_error(&cli, &error);
    if (fflush(out) != 0 || ferror(out)) {
        fprintf(err, "culprit: cannot write to the standard output\n");
        return culprit_code_exit_status(CULPRIT_IO);
    }
    return r;
}
