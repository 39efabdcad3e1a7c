/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clears a build directory of what a killed make may have left half written. Thread-safe. */
#ifndef CULPRIT_BUILD_REMOVE_NEWER_H
#define CULPRIT_BUILD_REMOVE_NEWER_H

#include <time.h>

#include "base/error.h"

/* Removes every file and link below `directory` whose content is as new as `time` or newer;
 * directories stay, links are not followed. A missing directory is no error. */
int remove_newer(const char *directory, const struct timespec *time, struct culprit_error *error);

#endif
