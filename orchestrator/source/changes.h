/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which paths a commit changes, against each of its parents. Blocking; one thread at a time per
 * repository object. */
#ifndef CULPRIT_SOURCE_CHANGES_H
#define CULPRIT_SOURCE_CHANGES_H

#include <stdbool.h>
#include <stddef.h>

#include "source/repository.h"

enum path_change {
    PATH_MODIFIED = 0, /* content or mode */
    PATH_ADDED,
    PATH_DELETED,
    PATH_RETYPED, /* a link or a submodule has to do with it */
};

struct changed_path {
    char *path;
    enum path_change change;
};

/* A rename is one path deleted and one added. A path that differs from several parents stands here
 * once for each. */
struct commit_changes {
    struct changed_path *paths;
    size_t count;
    char (*parents)[COMMIT_ID_SIZE]; /* that it was compared with */
    unsigned parent_count;
    bool complete; /* false: there are more than were asked for, or the commit is a root */
};

/* At most `maximum` paths. first_parent: only the first parent counts. */
int repository_changes(struct repository *repository, const char *commit_id, bool first_parent,
                       size_t maximum, struct commit_changes *ret, struct culprit_error *error);
void commit_changes_clear(struct commit_changes *changes);

static inline void commit_changes_clear_cleanup(struct commit_changes *changes)
{
    commit_changes_clear(changes);
}

/* Whether the commit's tree has something at the path. */
int repository_has_path(struct repository *repository, const char *commit_id, const char *path,
                        bool *ret, struct culprit_error *error);

#endif
