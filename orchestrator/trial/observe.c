/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trial/observe.h"

static bool came_to_an_end(const struct trial_result *result)
{
    return result->outcome == OUTCOME_OK ||
           (result->outcome == OUTCOME_WORKLOAD_FAILED && result->by_workload);
}

bool trial_observe(const struct trial_result *result, const struct job_criterion *criterion,
                   bool *ret_failed)
{
    if (criterion->kind == CRITERION_METRIC || result->outcome == OUTCOME_INFRA_FAILED ||
        result->outcome == OUTCOME_CANCELLED)
        return false;
    *ret_failed = criterion->kind == CRITERION_CONSOLE ? result->console_matched
                                                       : result->outcome != OUTCOME_OK;
    return came_to_an_end(result) || (criterion->kind == CRITERION_CONSOLE && *ret_failed);
}
