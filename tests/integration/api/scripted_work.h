/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Work that takes no time: each commit builds, each trial measures the same. With `hold`, trials
 * do not end before they are cancelled. */
#ifndef CULPRIT_TESTS_API_SCRIPTED_WORK_H
#define CULPRIT_TESTS_API_SCRIPTED_WORK_H

#include <stdbool.h>

#include "sched/work.h"

struct scripted_work {
    struct work work;
    bool hold; /* set before the service starts */
};

void scripted_work_init(struct scripted_work *scripted);

#endif
