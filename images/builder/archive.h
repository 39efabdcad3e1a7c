/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a manifest as a newc archive, which the kernel unpacks as an initramfs. Everything in it
 * belongs to root and is of the epoch; inode numbers count up: equal inputs give equal bytes. No
 * privilege is needed, for nothing is created on the host but the archive.
 */
#ifndef CULPRIT_IMAGES_ARCHIVE_H
#define CULPRIT_IMAGES_ARCHIVE_H

#include "base/error.h"
#include "builder/manifest.h"

enum { IMAGE_FILE_MAXIMUM = 256 * 1024 * 1024 }; /* bytes of one file */

int archive_write_image(const struct manifest *manifest, const char *path,
                        struct culprit_error *error);

#endif
