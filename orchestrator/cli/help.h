/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Help texts, all made from the table of commands. */
#ifndef CULPRIT_CLI_HELP_H
#define CULPRIT_CLI_HELP_H

#include <stdio.h>

#include "cli/cli.h"

void help_print(FILE *to);
void help_print_command(FILE *to, const struct cli_command *command);

/* One word a line, for the shell's completion: all commands and what may stand before one, or one
 * command's options; an option that takes a value ends in "=". */
void help_print_words(FILE *to, const struct cli_command *command);

#endif
