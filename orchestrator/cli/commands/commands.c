/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/commands/commands.h"

const struct cli_command *const cli_commands[] = {
    &command_submit,   &command_list,     &command_show,    &command_watch,  &command_cancel,
    &command_rerun,    &command_report,   &command_console, &command_try,    &command_calibrate,
    &command_topology, &command_workload, &command_samples, &command_doctor, &command_help,
};

const size_t cli_command_count = sizeof cli_commands / sizeof *cli_commands;
