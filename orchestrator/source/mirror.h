/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bare mirrors of repositories that are named by URL: one directory per name below the cache.
 * A mirror holds the remote's branches and tags under their own names. Internal to source/.
 */
#ifndef CULPRIT_SOURCE_MIRROR_H
#define CULPRIT_SOURCE_MIRROR_H

#include <git2.h>

#include "base/cancel.h"
#include "base/error.h"

/* Makes sure that `path` is a complete mirror of `url`: an existing one is left as it is, else the
 * remote is fetched beside it and moved into place when complete. UNAVAILABLE when the remote does
 * not answer, CANCELLED when `cancel` was requested. */
int mirror_ensure(const char *name, const char *url, const char *path, struct cancel *cancel,
                  struct culprit_error *error);

/* Brings an opened mirror up to date; branches and tags that the remote dropped go too. */
int mirror_fetch(git_repository *git, const char *name, const char *url, struct cancel *cancel,
                 struct culprit_error *error);

#endif
