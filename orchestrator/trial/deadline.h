/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long a trial may take on the host. Pure. */
#ifndef CULPRIT_TRIAL_DEADLINE_H
#define CULPRIT_TRIAL_DEADLINE_H

#include "trial/trial.h"

/* Host nanoseconds, boot and workloads, with room for a busy host; at most 24 hours. */
uint64_t trial_deadline(const struct trial_spec *spec);

#endif
