/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is true of a history, as JSON, for whoever checks a verdict. Never in the repository. */
#ifndef CULPRIT_REPLICA_TRUTH_H
#define CULPRIT_REPLICA_TRUTH_H

#include "history.h"

struct truth {
    const struct replica_case *which;
    const char *source;
    const struct layout *layout;
    const struct history_result *history;
    uint64_t seed;
};

int truth_write(const struct truth *truth, const char *path, struct culprit_error *error);

#endif
