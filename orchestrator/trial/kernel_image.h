/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a file is a kernel that a PC boots, so that the answer to one that is none is a sentence
 * and not a guest that says nothing. */
#ifndef CULPRIT_TRIAL_KERNEL_IMAGE_H
#define CULPRIT_TRIAL_KERNEL_IMAGE_H

#include "base/error.h"

/* Looks at the header of the x86 boot protocol. INVALID for a file without one; NOT_FOUND and
 * others as the system says. */
int kernel_image_check(const char *path, struct culprit_error *error);

#endif
