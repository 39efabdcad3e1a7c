/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the program in this process and keeps what it printed. */
#ifndef CULPRIT_TESTS_CLI_COMMAND_H
#define CULPRIT_TESTS_CLI_COMMAND_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

struct command_run {
    char *out, *err;
    int status;
};

static inline void command_run_cleanup(struct command_run *run)
{
    free(run->out);
    free(run->err);
}

#define _cleanup_run_ __attribute__((cleanup(command_run_cleanup)))

/* `line` is split at its blanks. */
static inline struct command_run command(const char *line, struct cancel *cancel)
{
    struct command_run run = {0};
    size_t out_length, err_length;
    FILE *out = open_memstream(&run.out, &out_length);
    FILE *err = open_memstream(&run.err, &err_length);
    char *words = strdup(line);
    char *argv[32] = {NULL};
    char *rest = NULL;
    int argc = 0;

    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        argv[argc++] = word;
    run.status = cli_main(argc, argv, out, err, cancel);
    fclose(out);
    fclose(err);
    free(words);
    return run;
}

#define assert_run(run, status_, out_, err_)                                                       \
    do {                                                                                           \
        if ((run).status != (status_) || !strstr((run).out, (out_)) || !strstr((run).err, (err_))) \
            fail_msg("status %d, out \"%s\", err \"%s\"; wanted %d, \"%s\", \"%s\"", (run).status, \
                     (run).out, (run).err, (int)(status_), (out_), (err_));                        \
    } while (0)

#endif
