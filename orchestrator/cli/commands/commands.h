/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every command of the program; commands.c has the table in the order of the help text. */
#ifndef CULPRIT_CLI_COMMANDS_H
#define CULPRIT_CLI_COMMANDS_H

#include "cli/cli.h"

extern const struct cli_command command_submit;
extern const struct cli_command command_rerun;
extern const struct cli_command command_list;
extern const struct cli_command command_show;
extern const struct cli_command command_watch;
extern const struct cli_command command_cancel;
extern const struct cli_command command_report;
extern const struct cli_command command_console;
extern const struct cli_command command_try;
extern const struct cli_command command_calibrate;
extern const struct cli_command command_topology;
extern const struct cli_command command_workload;
extern const struct cli_command command_samples;
extern const struct cli_command command_doctor;
extern const struct cli_command command_help;

#endif
