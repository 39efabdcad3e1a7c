/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/dossier.h"

#include <math.h>
#include <string.h>

#include "sched/costs.h"
#include "sched/pruning.h"
#include "store/calibrations.h"

void dossier_clear(struct dossier *dossier)
{
    stored_job_clear(&dossier->record);
    job_free(dossier->job);
    stored_commits_clear(&dossier->commits);
    stored_builds_clear(&dossier->builds);
    stored_trials_clear(&dossier->trials);
    stored_samples_clear(&dossier->samples);
    stored_pruning_clear(&dossier->pruning);
    calibration_record_free(dossier->calibration);
    free(dossier->nodes);
    free(dossier->built);
    free(dossier->states);
    free(dossier->stand_ins);
    free(dossier->weights);
    free(dossier->outcomes);
    free(dossier->first_sample);
    *dossier = (struct dossier){0};
}

static int read_calibration(struct store *store, int64_t id, struct dossier *dossier,
                            struct culprit_error *error)
{
    _cleanup_free_ char *document = NULL;
    bool known;

    int status = store_job_calibration_get(store, id, &known, &document, error);
    if (status == 0 && document)
        status = calibration_decode(document, strlen(document), NULL, &dossier->calibration, error);
    return status;
}

static int read_store(struct store *store, int64_t id, struct dossier *dossier,
                      struct culprit_error *error)
{
    int status = store_job_get(store, id, &dossier->record, error);
    if (status == 0)
        status = job_decode(dossier->record.normalised, strlen(dossier->record.normalised), NULL,
                            &dossier->job, error);
    if (status == 0)
        status = store_commits_get(store, id, &dossier->commits, error);
    if (status == 0)
        status = store_builds_get(store, id, &dossier->builds, error);
    if (status == 0)
        status = store_trials_get(store, id, &dossier->trials, error);
    if (status == 0)
        status = store_samples_get(store, id, 0, &dossier->samples, error);
    if (status == 0)
        status = store_pruning_get(store, id, &dossier->pruning, error);
    return status < 0 ? status : read_calibration(store, id, dossier, error);
}

static int allocate(struct dossier *dossier, struct culprit_error *error)
{
    size_t commits = dossier->commits.count, trials = dossier->trials.count;

    dossier->nodes = calloc(commits + 1, sizeof *dossier->nodes);
    dossier->built = calloc(commits * VARIANT_COUNT + 1, sizeof *dossier->built);
    dossier->states = calloc(commits * VARIANT_COUNT + 1, sizeof *dossier->states);
    dossier->stand_ins = calloc(commits + 1, sizeof *dossier->stand_ins);
    dossier->outcomes = calloc(trials + 1, sizeof *dossier->outcomes);
    dossier->first_sample = calloc(trials + 1, sizeof *dossier->first_sample);
    if (!dossier->nodes || !dossier->built || !dossier->states || !dossier->stand_ins ||
        !dossier->outcomes || !dossier->first_sample)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot read job %lld: out of memory",
                            (long long)dossier->record.id);
    return 0;
}

static enum build_variant variant_of(const char *name)
{
    for (int i = 0; i < VARIANT_COUNT; i++) {
        if (strcmp(name, build_variant_name((enum build_variant)i)) == 0)
            return (enum build_variant)i;
    }
    return VARIANT_COUNT;
}

/* A row that names what is not there would send the planner out of its arrays. */
static int check_numbers(const struct dossier *dossier, struct culprit_error *error)
{
    size_t count = dossier->commits.count;

    for (size_t i = 0; i < count; i++) {
        const struct stored_commit *commit = &dossier->commits.items[i];
        if (commit->number != i)
            return culprit_fail(error, CULPRIT_INTERNAL, "the store lacks commit %zu of job %lld",
                                i, (long long)dossier->record.id);
        for (unsigned p = 0; p < commit->parent_count; p++) {
            if (commit->parents[p] >= i)
                return culprit_fail(error, CULPRIT_INTERNAL,
                                    "the store's commits of job %lld are out of order",
                                    (long long)dossier->record.id);
        }
    }
    for (size_t i = 0; i < dossier->builds.count; i++) {
        if (dossier->builds.items[i].commit >= count ||
            variant_of(dossier->builds.items[i].variant) == VARIANT_COUNT)
            return culprit_fail(error, CULPRIT_INTERNAL, "a build of job %lld is of no commit",
                                (long long)dossier->record.id);
    }
    for (size_t i = 0; i < dossier->trials.count; i++) {
        if (dossier->trials.items[i].commit >= count)
            return culprit_fail(error, CULPRIT_INTERNAL, "a trial of job %lld is of no commit",
                                (long long)dossier->record.id);
    }
    return 0;
}

/* The first kernel with the same image names it for all. */
static unsigned image_number(const struct dossier *dossier, const char *image)
{
    for (size_t i = 0; i < dossier->commits.count * VARIANT_COUNT; i++) {
        const struct stored_build *build = dossier->built[i].build;
        if (build && build->outcome == OUTCOME_OK && strcmp(build->image, image) == 0)
            return (unsigned)i;
    }
    return 0;
}

const struct dossier_build *dossier_built(const struct dossier *dossier, unsigned commit,
                                          enum build_variant variant)
{
    return &dossier->built[variant * dossier->commits.count + commit];
}

static void fill_states(struct dossier *dossier)
{
    for (size_t i = 0; i < dossier->commits.count * VARIANT_COUNT; i++) {
        const struct stored_build *build = dossier->built[i].build;
        struct bisect_build *state = &dossier->states[i];
        /* Without one of these the verdict stands as it is; without a commit's own the job ends. */
        if (!build && i >= dossier->commits.count &&
            dossier->built[i].infra_failures >= ATTEMPTS_MAXIMUM)
            *state = (struct bisect_build){.state = BUILD_BROKEN, .reused = true};
        if (!build)
            continue;
        state->state = build->outcome == OUTCOME_OK ? BUILD_OK : BUILD_BROKEN;
        state->reused = !build->fresh;
        if (state->state == BUILD_OK)
            state->image = image_number(dossier, build->image);
    }
}

static void fill_builds(struct dossier *dossier)
{
    for (size_t i = 0; i < dossier->builds.count; i++) {
        const struct stored_build *build = &dossier->builds.items[i];
        struct dossier_build *built =
            &dossier->built[variant_of(build->variant) * dossier->commits.count + build->commit];
        built->attempts++;
        built->last = build;
        built->infra_failures += build->outcome == OUTCOME_INFRA_FAILED;
        built->timeouts += build->outcome == OUTCOME_TIMED_OUT;
        if (build->outcome == OUTCOME_OK || build->outcome == OUTCOME_BUILD_FAILED ||
            built->timeouts >= 2)
            built->build = build;
    }
    for (size_t i = 0; i < dossier->commits.count; i++) {
        dossier->nodes[i].parents = dossier->commits.items[i].parents;
        dossier->nodes[i].parent_count = dossier->commits.items[i].parent_count;
    }
    fill_states(dossier);
}

static enum trial_purpose purpose_of(const char *name)
{
    for (int i = 0; name && i < PURPOSE_COUNT; i++) {
        if (strcmp(name, trial_purpose_name((enum trial_purpose)i)) == 0)
            return (enum trial_purpose)i;
    }
    return PURPOSE_SEARCH;
}

/* To the planner a trial that says whether it failed is one that went well, however it ended; what
 * it has is 1 or 0. One that does not say cannot have gone well. */
static void observe(const struct stored_trial *trial, struct bisect_trial *outcome)
{
    if (trial->observed) {
        outcome->outcome = OUTCOME_OK;
        outcome->value = trial->failed;
    } else if (trial->outcome == OUTCOME_OK) {
        outcome->outcome = OUTCOME_CANCELLED;
    }
}

static void fill_trials(struct dossier *dossier)
{
    const char *headline = dossier_headline(dossier);
    size_t sample = 0;

    for (size_t i = 0; i < dossier->trials.count; i++) {
        const struct stored_trial *trial = &dossier->trials.items[i];
        struct bisect_trial *outcome = &dossier->outcomes[i];
        dossier->first_sample[i] = sample;
        while (sample < dossier->samples.count &&
               dossier->samples.items[sample].trial == trial->number)
            sample++;
        dossier->first_sample[i + 1] = sample;
        *outcome = (struct bisect_trial){
            .commit = trial->commit,
            .purpose = purpose_of(trial->purpose),
            .index = trial->index,
            .outcome = trial->outcome,
            .value = (double)NAN,
        };
        if (headline)
            dossier_metric(dossier, i, headline, &outcome->value);
        if (dossier->job->criterion.kind != CRITERION_METRIC)
            observe(trial, outcome);
    }
}

int dossier_load(struct store *store, int64_t id, struct dossier *ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(dossier_clear) struct dossier dossier = {0};

    int status = read_store(store, id, &dossier, error);
    if (status == 0)
        status = check_numbers(&dossier, error);
    if (status == 0)
        status = allocate(&dossier, error);
    if (status < 0)
        return status;
    fill_builds(&dossier);
    status = pruning_apply(&dossier, error);
    if (status < 0)
        return status;
    fill_trials(&dossier);
    *ret = dossier;
    memset(&dossier, 0, sizeof dossier);
    return 0;
}

const char *dossier_headline(const struct dossier *dossier)
{
    return dossier->job->metric.name;
}

bool dossier_metric(const struct dossier *dossier, size_t position, const char *name, double *ret)
{
    for (size_t i = dossier->first_sample[position]; i < dossier->first_sample[position + 1]; i++) {
        const struct stored_sample *sample = &dossier->samples.items[i];
        if (strcmp(sample->name, name) == 0) {
            *ret = sample->value;
            return true;
        }
    }
    return false;
}

/* What a job may ask for, the planner must be able to plan. */
_Static_assert((int)JOB_BISECT_TRIALS_MAXIMUM <= (int)BISECT_TRIALS_MAXIMUM,
               "jobs may ask for more trials than the planner takes");

void dossier_problem(const struct dossier *dossier, struct bisect_problem *ret)
{
    const struct job *job = dossier->job;
    bool events = job->criterion.kind != CRITERION_METRIC;

    *ret = (struct bisect_problem){
        .commits = dossier->nodes,
        .count = (unsigned)dossier->commits.count,
        .measure = events ? MEASURE_EVENT : MEASURE_CONTINUOUS,
        .lower_is_better = events || job->metric.better == BETTER_LOWER,
        .min_effect = events ? 0 : job->metric.min_effect,
        .min_effect_relative = job->metric.relative,
        .confidence = job->confidence,
        .trials_per_commit = job->trials,
        .max_builds = job->budget.builds,
        .max_trials = job->budget.trials,
        .prior_weights = dossier->weights,
        .build_seconds = costs_for_plan(costs_build_ns(dossier)),
        .trial_seconds = costs_for_plan(costs_trial_ns(dossier)),
        .trials_abreast = dossier->guest_slots,
        .good_is_merge_base = dossier->commits.good_is_merge_base,
    };
    if (dossier->calibration)
        ret->noise = (struct bisect_noise){
            .spread = dossier->calibration->figures.summary.robust_scale,
            .trials = (unsigned)dossier->calibration->figures.summary.count,
        };
}

void dossier_facts(const struct dossier *dossier, struct bisect_facts *ret)
{
    *ret = (struct bisect_facts){
        .builds = dossier->states,
        .trials = dossier->outcomes,
        .trial_count = dossier->trials.count,
    };
}
