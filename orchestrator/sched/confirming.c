/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/confirming.h"

/* What a realtime verdict may owe to where code lies in memory, a deterministic one may owe to the
 * speed of the virtual CPU. */
void confirming_problem(const struct dossier *dossier, const struct bisect_problem *problem,
                        const struct bisect_facts *facts, bool late, struct confirm_problem *ret)
{
    const struct job *job = dossier->job;
    const struct stored_job *record = &dossier->record;
    bool metric = job->criterion.kind == CRITERION_METRIC;
    bool alignment = metric && job->confirm.alignment;

    *ret = (struct confirm_problem){
        .problem = problem,
        .facts = facts,
        .shift = record->shift,
        .second_shift = record->second_shift >= 0 ? (unsigned)record->second_shift : 0,
        .late = late,
    };
    for (unsigned v = 0; v < VARIANT_COUNT; v++)
        ret->variants[v] = dossier->states + v * dossier->commits.count;
    ret->asked[CONFIRM_SHIFT] = alignment && record->engine == ENGINE_DETERMINISTIC &&
                                record->second_shift >= 0;
    ret->asked[CONFIRM_ALIGNED] = alignment && record->engine == ENGINE_REALTIME;
    ret->asked[CONFIRM_REVERTED] = metric && job->confirm.revert;
}

static unsigned less(unsigned budget, unsigned spent)
{
    return budget == 0 ? 0 : budget > spent ? budget - spent : 1;
}

void confirming_charge(const struct confirm_problem *given, struct bisect_problem *problem)
{
    problem->max_trials = less(problem->max_trials, confirm_trials_spent(given));
    problem->max_builds = less(problem->max_builds, confirm_builds_spent(given));
}

const char *confirming_trouble(const struct dossier *dossier,
                               const struct confirmation *confirmation)
{
    enum build_variant variant = trial_purpose_variant(confirmation->broken_purpose);
    const struct dossier_build *built = dossier_built(dossier, confirmation->broken, variant);

    if (built->last && built->last->outcome != OUTCOME_OK)
        return built->last->message;
    for (size_t i = dossier->trials.count; i-- > 0;) {
        const struct stored_trial *trial = &dossier->trials.items[i];
        if (dossier->outcomes[i].purpose == confirmation->broken_purpose &&
            trial->outcome != OUTCOME_OK && trial->message[0])
            return trial->message;
    }
    return "";
}
