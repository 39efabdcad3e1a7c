/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which objects of a kernel's build directory are finished, where make was killed.
 *
 * An object alone does not say: kbuild writes it in place, then runs objtool and others over it,
 * and only then is its recipe over. What says it is the archive that the object is a member of.
 * make starts the recipe of an archive when those of all its members have ended, and kbuild writes
 * .built-in.a.cmd, with the names of the members, when that of the archive has. So a member that is
 * older than that file is what it would be had nobody killed make.
 *
 * Immutable once found; the caller's. Thread-safe.
 */
#ifndef CULPRIT_BUILD_FINISHED_H
#define CULPRIT_BUILD_FINISHED_H

#include <stdbool.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/error.h"

struct finished;

/* Reads what the archives below `directory` say that were made at `since` or later: of others it
 * cannot be known whether their members were made again. A missing directory has none. */
int finished_find(const char *directory, const struct timespec *since, struct finished **ret,
                  struct culprit_error *error);
void finished_free(struct finished *finished);
DEFINE_CLEANUP(struct finished *, finished_free);

/* Whether a file of that path (below the directory) and time is a finished object, or the command
 * file of one. */
bool finished_has(const struct finished *finished, const char *path,
                  const struct timespec *modified);

#endif
