/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a trial says where a job asks whether something happened (its criterion), and not how much.
 * Pure. docs/job-reference.md has the table. */
#ifndef CULPRIT_TRIAL_OBSERVE_H
#define CULPRIT_TRIAL_OBSERVE_H

#include "job/job.h"
#include "trial/trial.h"

/*
 * False where it says nothing: under a metric; when the infrastructure failed or the trial was
 * cancelled; and when the guest came to no end of its own without what was looked for, which might
 * still have come, or which another fault hides. Else *ret_failed.
 */
bool trial_observe(const struct trial_result *result, const struct job_criterion *criterion,
                   bool *ret_failed);

#endif
