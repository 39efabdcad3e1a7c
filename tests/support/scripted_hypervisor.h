/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hypervisor without guests: it writes the bytes it was given to the console and record files
 * and ends as it was told, within the limits that the real one keeps. It passes the same contract
 * tests. Thread-safe; the script's memory must outlive it.
 */
#ifndef CULPRIT_TESTS_SCRIPTED_HYPERVISOR_H
#define CULPRIT_TESTS_SCRIPTED_HYPERVISOR_H

#include <stdbool.h>

#include "guest/hypervisor.h"

struct scripted_guest {
    const char *console; /* NULL: nothing */
    const char *records;
    size_t records_length; /* 0: strlen(records) */
    enum guest_end end;
    bool runs_forever; /* after writing: until the deadline or a cancellation */
    const char *reason;
    enum culprit_code start_failure; /* not OK: run() fails with it */
    const char *failure_message;
};

/* Called for each run, before anything is written; may fill *ret from the definition (seed,
 * kernel, cmdline). Returns false to fall back to the fixed script. */
typedef bool (*scripted_answer)(void *context, const struct guest_definition *definition,
                                struct scripted_guest *ret);

/* The n-th run plays guests[n]; runs beyond the last play the last again. */
int scripted_hypervisor_new(const struct scripted_guest *guests, size_t count,
                            struct hypervisor **ret, struct culprit_error *error);

/* The same with answers computed from the definition. */
int scripted_hypervisor_new_computed(scripted_answer answer, void *context, struct hypervisor **ret,
                                     struct culprit_error *error);

unsigned scripted_hypervisor_runs(const struct hypervisor *hypervisor);

#endif
