/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a kernel build's output says about why it failed. The log is another's text: lines are
 * bounded, and what is returned is one printable line. Thread-safe. */
#ifndef CULPRIT_BUILD_BUILD_LOG_H
#define CULPRIT_BUILD_BUILD_LOG_H

#include "base/error.h"

enum build_fault {
    BUILD_FAULT_SOURCE, /* the sources do not build: a fact about the commit */
    BUILD_FAULT_HOST,   /* memory, disk, a missing tool: a fact about this host */
};

enum { BUILD_FAULT_SIZE = 512 };

/*
 * Finds the first line that names the cause, by rank: a compiler or assembler error with file and
 * line, a linker or modpost error, what make gave up on, and else the last line. Paths are told
 * relative to the source tree, which the build saw as `source_path`.
 */
int build_log_fault(const char *log_path, const char *source_path, enum build_fault *ret_fault,
                    char ret_line[BUILD_FAULT_SIZE], struct culprit_error *error);

#endif
