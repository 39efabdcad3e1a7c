/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which characters a document may hold: YAML's printable ones, less those that end a line in YAML
 * but in nothing else (U+0085, U+2028, U+2029), for they would not survive being written again. */
#ifndef CULPRIT_YAML_CHARACTERS_H
#define CULPRIT_YAML_CHARACTERS_H

#include <stddef.h>

#include "base/error.h"

/* INVALID with line and column (starting from those given) of the first byte that is no UTF-8, or
 * the first character that is not allowed. */
int characters_check(const char *text, size_t length, unsigned line, unsigned column,
                     struct culprit_error *error);

#endif
