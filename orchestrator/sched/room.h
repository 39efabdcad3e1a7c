/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Full disks, told from other failures, and said with what can be done. */
#ifndef CULPRIT_SCHED_ROOM_H
#define CULPRIT_SCHED_ROOM_H

#include <stdbool.h>

#include "base/error.h"

struct room {
    const char *cache_directory;
    const char *state_directory;
};

/* Whether a failure that says so is one of a full disk or quota. make and git leave no more of
 * errno than its words. */
bool room_is_missing(const char *message);

/* NO_SPACE, naming the directory of the two whose disk has less room, and what to remove there.
 * `message` is what failed, and may be the error's own. */
int room_fail(const struct room *room, const char *message, struct culprit_error *error);

/* NO_SPACE when the cache has less room than any kernel takes: work that would fail after minutes
 * need not begin. */
int room_check_build(const struct room *room, struct culprit_error *error);

#endif
