/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The work that jobs need, on real parts: repositories (source/), kernel builds (build/), guests
 * (trial/, guest/). Thread-safe as sched/work.h wants it. */
#ifndef CULPRIT_SCHED_REAL_WORK_H
#define CULPRIT_SCHED_REAL_WORK_H

#include "sched/catalogue.h"
#include "sched/guest_host.h"
#include "sched/work.h"

/* All borrowed; they outlive the work. */
struct real_work_options {
    const struct catalogue *catalogue;
    struct builder *builder;
    struct guest_host *guests;   /* its capabilities learn what a probe finds */
    const char *cache_directory; /* mirrors of repositories, the probe's answer */
    const char *state_directory; /* for the files of a probe */
};

int real_work_new(const struct real_work_options *options, struct work **ret,
                  struct culprit_error *error);
void real_work_free(struct work *work);
DEFINE_CLEANUP(struct work *, real_work_free);

#endif
