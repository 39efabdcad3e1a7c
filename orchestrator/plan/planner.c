/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/planner.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *trial_purpose_name(enum trial_purpose purpose)
{
    static const char *const names[PURPOSE_COUNT] = {
        [PURPOSE_SEARCH] = "search",   [PURPOSE_VERIFY] = "verify", [PURPOSE_SHIFT] = "shift",
        [PURPOSE_ALIGNED] = "aligned", [PURPOSE_TIP] = "tip",       [PURPOSE_REVERTED] = "reverted",
    };

    return (unsigned)purpose < PURPOSE_COUNT ? names[purpose] : "unknown";
}

enum build_variant trial_purpose_variant(enum trial_purpose purpose)
{
    return purpose == PURPOSE_ALIGNED    ? VARIANT_ALIGNED
           : purpose == PURPOSE_REVERTED ? VARIANT_REVERTED
                                         : VARIANT_PLAIN;
}

const char *build_variant_name(enum build_variant variant)
{
    static const char *const names[VARIANT_COUNT] = {
        [VARIANT_PLAIN] = "", [VARIANT_ALIGNED] = "aligned", [VARIANT_REVERTED] = "reverted"};

    return (unsigned)variant < VARIANT_COUNT ? names[variant] : "unknown";
}

void planner_say(struct bisect_step *step, const char *format, ...)
{
    size_t length = strlen(step->reason);
    va_list arguments;

    if (length + 2 >= sizeof step->reason)
        return;
    if (length > 0)
        step->reason[length++] = ' ';
    va_start(arguments, format);
    vsnprintf(step->reason + length, sizeof step->reason - length, format, arguments);
    va_end(arguments);
}

void planner_decide(struct bisect_step *step, enum bisect_verdict_kind verdict)
{
    step->verdict = verdict;
    step->want_count = 0;
    step->expected_builds = step->expected_trials = 0;
}

void planner_want_build(struct bisect_step *step, unsigned commit)
{
    for (size_t i = 0; i < step->want_count; i++)
        if (step->wants[i].kind == WANT_BUILD && step->wants[i].commit == commit)
            return;
    if (step->want_count < BISECT_MAX_WANTS)
        step->wants[step->want_count++] = (struct bisect_want){.kind = WANT_BUILD,
                                                               .commit = commit};
}

double planner_value(const struct planner *planner, double turned)
{
    return planner->problem->lower_is_better ? turned : -turned;
}

unsigned planner_trials_left(const struct planner *planner)
{
    unsigned spent = evidence_trials_spent(planner->evidence);

    if (planner->problem->max_trials == 0)
        return INT_MAX;
    return planner->problem->max_trials > spent ? planner->problem->max_trials - spent : 0;
}

bool planner_may_build(const struct planner *planner)
{
    return planner->problem->max_builds == 0 ||
           evidence_builds_spent(planner->evidence) < planner->problem->max_builds;
}

static double known_or(double seconds, double otherwise)
{
    return seconds > 0 ? seconds : otherwise;
}

double planner_build_seconds(const struct planner *planner)
{
    return known_or(planner->problem->build_seconds, 300);
}

double planner_trial_seconds(const struct planner *planner)
{
    return known_or(planner->problem->trial_seconds, 60);
}

double planner_batch_seconds(const struct planner *planner, unsigned trials)
{
    unsigned abreast = planner->problem->trials_abreast ? planner->problem->trials_abreast : 1;
    unsigned rounds = trials / abreast + (trials % abreast != 0);

    return rounds * planner_trial_seconds(planner);
}

const char *bisect_reason_commit(const char *from, unsigned *ret_commit, size_t *ret_length)
{
    for (const char *at = strchr(from, '#'); at; at = strchr(at + 1, '#')) {
        char *end;
        unsigned long number;

        if (!isdigit((unsigned char)at[1]))
            continue;
        number = strtoul(at + 1, &end, 10);
        if (number > UINT_MAX)
            continue;
        *ret_commit = (unsigned)number;
        *ret_length = (size_t)(end - at);
        return at;
    }
    return NULL;
}
