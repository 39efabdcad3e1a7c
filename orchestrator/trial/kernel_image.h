/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a file is a kernel that a PC boots, so that the answer to one that is none is a sentence
 * and not a guest that says nothing. */
#ifndef CULPRIT_TRIAL_KERNEL_IMAGE_H
#define CULPRIT_TRIAL_KERNEL_IMAGE_H

#include "base/error.h"

/* Looks at the header of the x86 boot protocol. INVALID for a file without one; NOT_FOUND and
 * others as the system says. */
int kernel_image_check(const char *path, struct culprit_error *error);

/* Its release ("6.1.192"), as the header of the boot protocol names it; "" when it does not. */
enum { KERNEL_RELEASE_SIZE = 65 };
void kernel_image_release(const char *path, char ret[KERNEL_RELEASE_SIZE]);

#endif
