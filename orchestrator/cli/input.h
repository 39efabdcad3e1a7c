/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a user names to be read: a file, "-" for the standard input, or a pipe or a terminal that
 * may never say anything, so that the reading can be stopped. */
#ifndef CULPRIT_CLI_INPUT_H
#define CULPRIT_CLI_INPUT_H

#include <stddef.h>

#include "base/cancel.h"
#include "base/error.h"

/* The whole content, with a NUL behind it that does not count; the caller's. More than `maximum`
 * bytes: LIMIT. CANCELLED once `cancel` (or NULL) is requested. */
int input_read(const char *path, size_t maximum, const struct cancel *cancel, char **ret,
               size_t *ret_length, struct culprit_error *error);

/* What messages and tables call a path. */
const char *input_name(const char *path);

#endif
