/* SPDX-License-Identifier: GPL-2.0-or-later */
/* make on a kernel tree, in the sandbox and under the build's limits. Blocking. */
#ifndef CULPRIT_BUILD_MAKE_H
#define CULPRIT_BUILD_MAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cancel.h"
#include "base/error.h"
#include "build/sandbox.h"

struct make {
    struct sandbox sandbox;
    unsigned jobs;
    int nice;
    const char *log_path;  /* all output, appended */
    uint64_t log_maximum;  /* bytes, over all runs */
    uint64_t timeout_ns;   /* over all runs, for the message */
    uint64_t deadline_ns;  /* on the monotonic clock */
    struct cancel *cancel; /* may be NULL */
    bool cut_off; /* set when a run did not come to its own end, or the host was at fault: files may
                     be half written */
};

/*
 * Makes one target with `output` (SANDBOX_BUILD or SANDBOX_CONFIG) as O=. FAILED with the first
 * error in the log when the sources do not build; IO when this host is at fault (memory, disk, a
 * missing tool, the sandbox); TIMED_OUT, LIMIT, CANCELLED.
 *
 * After the latter three processes that make started may live on for a moment, until the kernel has
 * killed the last one of the sandbox. Each holds a shared flock() on the build directory.
 */
int make_target(struct make *make, const char *output, const char *target,
                struct culprit_error *error);

#endif
