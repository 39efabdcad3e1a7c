/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the plan that the agent carries out (docs/guest-protocol.md). Pure. */
#ifndef CULPRIT_TRIAL_PLAN_TEXT_H
#define CULPRIT_TRIAL_PLAN_TEXT_H

#include "base/buffer.h"
#include "trial/trial.h"

enum { PLAN_TEXT_MAXIMUM = 64 * 1024, PLAN_LINE_MAXIMUM = 8 * 1024 };

/* Appends to `text`, whose maximum should be PLAN_TEXT_MAXIMUM. INVALID names the workload option,
 * sysctl or feature that cannot stand in a plan; LIMIT when the plan is too long. */
int plan_text_write(const struct trial_spec *spec, struct buffer *text,
                    struct culprit_error *error);

#endif
