/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which kernel this is and what it was given: the `hello` record.
 */
#ifndef CULPRIT_AGENT_KERNEL_H
#define CULPRIT_AGENT_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "core/record.h"

enum { BUILD_ID_SIZE = 129 }; /* hexadecimal digits of at most 64 bytes, and the NUL */

/* The GNU build id among ELF notes (note.h: name size, description size, type, then both, each
 * padded to four bytes); "" if there is none or the notes are damaged. */
void kernel_build_id(const unsigned char *notes, size_t length, char build_id[BUILD_ID_SIZE]);

/* CPUs that are online, at least 1. */
unsigned kernel_cpus(void);

void kernel_report(struct record_writer *writer, uint64_t seed);

#endif
