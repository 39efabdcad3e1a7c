/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/help.h"
#include "cli/commands/commands.h"

static const struct cli_option options[] = {
    {"words", '\0', NULL, "print only the words, one a line, for the shell's completion"},
    {NULL, '\0', NULL, NULL},
};

static int run(struct cli *cli, const struct arguments *arguments, struct culprit_error *error)
{
    const struct cli_command *command = NULL;
    int r = cli_check_words(&command_help, arguments, 0, 1, error);

    if (r < 0)
        return r;
    if (arguments->words.count == 1) {
        command = cli_command_find(arguments->words.items[0]);
        if (!command)
            return cli_usage_error(&command_help, error, "there is no command \"%s\"",
                                   arguments->words.items[0]);
    }
    if (arguments_given(arguments, "words"))
        help_print_words(cli->out, command);
    else if (command)
        help_print_command(cli->out, command);
    else
        help_print(cli->out);
    return CLI_DONE;
}

const struct cli_command command_help = {
    .name = "help",
    .summary = "show this, or the help of one command",
    .usage = "[COMMAND]",
    .options = options,
    .run = run,
};
