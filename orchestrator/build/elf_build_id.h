/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The GNU build id of an ELF file: what /sys/kernel/notes shows in a running kernel. */
#ifndef CULPRIT_BUILD_ELF_BUILD_ID_H
#define CULPRIT_BUILD_ELF_BUILD_ID_H

#include "base/error.h"

enum { ELF_BUILD_ID_SIZE = 65 }; /* hexadecimal digits of at most 32 bytes, and the NUL */

/* Reads a 64-bit little-endian ELF file's NT_GNU_BUILD_ID note. INVALID when the file is not one
 * or is torn, NOT_FOUND when it has no such note. Thread-safe. */
int elf_build_id(const char *path, char ret_hex[ELF_BUILD_ID_SIZE], struct culprit_error *error);

#endif
