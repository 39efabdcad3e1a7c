/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trial as a command line asks for it: what `try` and `calibrate` share. */
#ifndef CULPRIT_CLI_ATTEMPT_H
#define CULPRIT_CLI_ATTEMPT_H

#include "cli/local.h"
#include "trial/trial.h"

struct attempt {
    struct topology *topology;
    struct workload_request workload;
    bool has_workload;
    struct strv cmdline, sysctls, features;
    char *kernel;
    enum engine engine; /* as asked for; the caller puts the one that it became there */
    uint64_t seed, shift, memory;
};

/* Reads the options "topology", "engine", "seed", "shift", "memory", "cmdline", "sysctl",
 * "feature", "kernel" and "workload" (else the first word names it), and the other words as options
 * of the workload. `ret` is zeroed before, and cleared by the caller also after an error. */
int attempt_read(const struct cli_command *command, const struct arguments *arguments,
                 struct attempt *ret, struct culprit_error *error);
void attempt_clear(struct attempt *attempt);

/* Lends from both. */
void attempt_spec(const struct attempt *attempt, const struct local *local, const char *label,
                  struct trial_spec *ret);

static inline void attempt_clear_cleanup(struct attempt *attempt)
{
    attempt_clear(attempt);
}

#endif
