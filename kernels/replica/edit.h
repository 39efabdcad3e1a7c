/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Edits that say what they mean and not at which line: in this function of this file, this text
 * becomes that. They hold over kernel versions, and fail loudly where the text is gone.
 */
#ifndef CULPRIT_REPLICA_EDIT_H
#define CULPRIT_REPLICA_EDIT_H

#include <stdbool.h>

#include "snapshot.h"

struct edit {
    const char *path;
    const char *function; /* NULL: the whole file */
    const char *anchor;   /* must occur there exactly once */
    const char *replacement;
};

/* NOT_FOUND or INVALID names the file, the function and the anchor's first line. */
int edit_apply(struct snapshot *snapshot, const struct edit *edit, struct culprit_error *error);

/* Takes an applied edit back: its replacement becomes its anchor again. */
int edit_revert(struct snapshot *snapshot, const struct edit *edit, struct culprit_error *error);

/* The same on a text: a new string, or NULL with a reason in `ret_reason`. */
char *edit_text(const char *text, const char *function, const char *anchor, const char *replacement,
                const char **ret_reason);

#endif
