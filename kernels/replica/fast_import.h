/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A `git fast-import` child that is fed one root commit. */
#ifndef CULPRIT_REPLICA_FAST_IMPORT_H
#define CULPRIT_REPLICA_FAST_IMPORT_H

#include "base/error.h"

/* Adds to the existing bare repository `directory` the branch main with one commit that holds the
 * source at `path`. */
int fast_import_source(const char *path, const char *directory, struct culprit_error *error);

#endif
