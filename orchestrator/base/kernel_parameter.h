/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What may be added to the command line of a guest's kernel. Pure. */
#ifndef CULPRIT_BASE_KERNEL_PARAMETER_H
#define CULPRIT_BASE_KERNEL_PARAMETER_H

#include <stdbool.h>

/* One parameter as the kernel's own parser splits them: printable ASCII, spaces only between double
 * quotes, all quotes closed; not empty. */
bool kernel_parameter_is_word(const char *word);

/* Does the word set what culprit sets itself, because console, agent, crash detection or
 * determinism hang on it? The kernel takes '-' and '_' in names for the same, and lets a word begin
 * with a quote; "--" ends its parameters. */
bool kernel_parameter_is_reserved(const char *word);

#endif
