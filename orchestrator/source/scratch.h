/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where trees go that are made and not read: into memory, for the repository may be somebody else's
 * and read-only. Internal to source/.
 */
#ifndef CULPRIT_SOURCE_SCRATCH_H
#define CULPRIT_SOURCE_SCRATCH_H

#include "source/git.h"

/* From here on, whatever libgit2 writes for the repository lives until scratch_forget(). */
int scratch_ensure(struct repository *repository, struct culprit_error *error);

/* Drops the objects that were made; the next ones can be made at once. */
void scratch_forget(struct repository *repository);

#endif
