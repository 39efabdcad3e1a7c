/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trial/check.h"

int topology_check_run(struct hypervisor *hypervisor, const struct topology_check *check,
                       struct cancel *cancel, struct trial_result **ret,
                       struct culprit_error *error)
{
    CULPRIT_CLEANUP(trial_result_free) struct trial_result *result = NULL;
    const struct trial_spec spec = {
        .kernel = check->kernel,
        .guest_image = check->guest_image,
        .topology = check->topology,
        .engine = check->engine,
        .shift = check->topology->shift,
        .memory = check->topology->memory,
        .seed = 1,
        .directory = check->directory,
        .label = "topology check",
    };
    int r = trial_run(hypervisor, &spec, cancel, &result, error);

    if (r < 0)
        return r;
    if (result->outcome == OUTCOME_CANCELLED)
        return culprit_fail(error, CULPRIT_CANCELLED, "the check of %s was cancelled",
                            check->topology->name);
    if (result->comparison.count == 0)
        return culprit_fail(error, CULPRIT_FAILED, "cannot check topology %s: %s",
                            check->topology->name, result->message);
    *ret = take(result);
    return 0;
}
