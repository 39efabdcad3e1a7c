/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A mailer that plays a script. */
#ifndef CULPRIT_TESTS_SCRIPTED_MAILER_H
#define CULPRIT_TESTS_SCRIPTED_MAILER_H

#include <stdbool.h>
#include <stddef.h>

#include "sched/mailer.h"

/* Takes messages as it is told: the first `unavailable` attempts fail for now, then `refused` ones
 * for good. Counts are read while nothing is delivered. */
struct scripted_mailer {
    struct mailer mailer;
    unsigned unavailable, refused;
    bool silent;               /* a delivery lasts until it is cancelled */
    _Atomic unsigned attempts; /* may be read at any time */
    unsigned delivered, cancelled;
    char *last; /* message; to be freed */
    size_t recipients;
};

/* Sets the operations and leaves the script as it is. */
void scripted_mailer_init(struct scripted_mailer *mailer);

#endif
