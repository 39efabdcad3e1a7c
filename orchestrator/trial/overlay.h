/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The initramfs overlay that takes the plan into the guest: a newc archive with /culprit/plan.
 * Equal plans give equal bytes (no time stamps, no owners), so a trial can be had again.
 */
#ifndef CULPRIT_TRIAL_OVERLAY_H
#define CULPRIT_TRIAL_OVERLAY_H

#include <stddef.h>

#include "base/error.h"

/* Writes the archive to a new file at `path`. */
int overlay_write(const char *path, const char *plan, size_t plan_length,
                  struct culprit_error *error);

/* `image`, zero bytes up to a multiple of four, then `overlay`: one initramfs at `initrd`.
 * The kernel unpacks one archive over the other. */
int overlay_append(const char *image, const char *overlay, const char *initrd,
                   struct culprit_error *error);

#endif
