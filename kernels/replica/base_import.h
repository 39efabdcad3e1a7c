/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first commit of a history: kernel source as it is, in a bare git repository. Written by a
 * `git fast-import` child that reads the stream made here. Imported bases are kept in a cache,
 * named by the digest of their archive, and their packs are linked (or copied) into new
 * histories: a history does not need the cache afterwards.
 */
#ifndef CULPRIT_REPLICA_BASE_IMPORT_H
#define CULPRIT_REPLICA_BASE_IMPORT_H

#include "base/error.h"

/* Makes `directory` a new bare repository whose branch `main` holds one commit with the source at
 * `path`. CONFLICT when the directory exists and is not empty. `cache_directory`: NULL: none.
 * The commit's id depends on the source alone. */
int base_repository(const char *path, const char *cache_directory, const char *directory,
                    struct culprit_error *error);

#endif
