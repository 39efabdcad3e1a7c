/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/help.h"

#include <string.h>

enum { OPTION_COLUMN = 24 };

void help_print(FILE *to)
{
    fputs("culprit finds the commit that made a kernel slower, and proves it.\n\n"
          "usage: culprit COMMAND [OPTIONS] …\n"
          "       culprit help COMMAND\n"
          "       culprit --version\n\n",
          to);
    for (size_t i = 0; i < cli_command_count; i++)
        fprintf(to, "  %-10s %s\n", cli_commands[i]->name, cli_commands[i]->summary);
}

static void print_option(FILE *to, const struct cli_option *option)
{
    char text[96];
    int length;

    length = snprintf(text, sizeof text, "  %s%c%s--%s%s%s", option->letter ? "-" : "",
                      option->letter ? option->letter : ' ', option->letter ? ", " : "   ",
                      option->name, option->argument ? " " : "",
                      option->argument ? option->argument : "");
    if (length > OPTION_COLUMN)
        fprintf(to, "%s\n%*s  %s\n", text, OPTION_COLUMN, "", option->summary);
    else
        fprintf(to, "%-*s  %s\n", OPTION_COLUMN, text, option->summary);
}

void help_print_command(FILE *to, const struct cli_command *command)
{
    const char *usage = command->usage;

    fprintf(to, "culprit %s: %s\n\n", command->name, command->summary);
    for (bool first = true; *usage || first; first = false) {
        size_t length = strcspn(usage, "\n");

        fprintf(to, "%s culprit %s %.*s\n", first ? "usage:" : "      ", command->name, (int)length,
                usage);
        usage += length + (usage[length] == '\n');
    }
    if (command->help)
        fprintf(to, "\n%s\n", command->help);
    fputs("\noptions:\n", to);
    for (const struct cli_option *o = command->options; o && o->name; o++)
        print_option(to, o);
    for (const struct cli_option *o = cli_common_options; o->name; o++)
        print_option(to, o);
}

static void print_words(FILE *to, const struct cli_option *options)
{
    for (const struct cli_option *o = options; o && o->name; o++)
        fprintf(to, "--%s%s\n", o->name, o->argument ? "=" : "");
}

void help_print_words(FILE *to, const struct cli_command *command)
{
    if (command) {
        print_words(to, command->options);
        print_words(to, cli_common_options);
        return;
    }
    for (size_t i = 0; i < cli_command_count; i++)
        fprintf(to, "%s\n", cli_commands[i]->name);
    print_words(to, cli_common_options);
    fputs("--version\n", to);
}
