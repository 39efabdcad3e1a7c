/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a kernel tree defines an option: read off its Kconfig files, for error messages. */
#ifndef CULPRIT_BUILD_KCONFIG_TREE_H
#define CULPRIT_BUILD_KCONFIG_TREE_H

#include <stdbool.h>

#include "base/error.h"

/* `name` is without CONFIG_. Reads every file below `source` whose name begins with Kconfig: a
 * fraction of a second for a kernel. */
int kconfig_tree_knows(const char *source, const char *name, bool *ret_known,
                       struct culprit_error *error);

#endif
