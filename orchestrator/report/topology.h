/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a guest saw of its own layout, in a sentence. */
#ifndef CULPRIT_REPORT_TOPOLOGY_H
#define CULPRIT_REPORT_TOPOLOGY_H

#include <jansson.h>

#include "base/buffer.h"

/* "40 CPUs: 1 package, 20 cores x 2 threads; L2 20 x 2 CPUs; …; scheduler domains SMT (2), MC
 * (40)". `seen` is a trial's topology; parts that it lacks are left out, NULL gives nothing. */
void topology_describe(struct buffer *out, const json_t *seen);

#endif
