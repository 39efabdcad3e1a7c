/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Describes a finished image as JSON: its name, digest and size, the components with their
 * versions, and every path with its type, mode and, for files, size and SHA-256.
 */
#ifndef CULPRIT_IMAGES_CONTENTS_H
#define CULPRIT_IMAGES_CONTENTS_H

#include "base/error.h"
#include "builder/manifest.h"

int contents_write(const char *name, const struct manifest *manifest, const char *image,
                   const char *path, struct culprit_error *error);

#endif
