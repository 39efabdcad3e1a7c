/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a history into a repository that holds its base, and remembers what it wrote. */
#ifndef CULPRIT_REPLICA_HISTORY_H
#define CULPRIT_REPLICA_HISTORY_H

#include <git2.h>

#include "case.h"
#include "layout.h"

struct history_record {
    char id[41];
    char *subject;
    char *path; /* a file that it touches; NULL for a merge */
    enum slot_kind kind;
    enum effect effect;
    bool side;
};

struct history_result {
    struct history_record records[LAYOUT_COMMITS_MAXIMUM + 1]; /* by number; 0 is the base */
    unsigned count;
};

/* Adds the commits of `layout` after the branch main of the bare repository `directory`; moves main
 * and sets the tags good and bad. Equal arguments and base give equal commit ids. */
int history_write(const char *directory, const struct replica_case *which,
                  const struct layout *layout, uint64_t seed, struct history_result *ret,
                  struct culprit_error *error);
void history_result_clear(struct history_result *result);

static inline void history_result_clear_cleanup(struct history_result *result)
{
    history_result_clear(result);
}

#endif
