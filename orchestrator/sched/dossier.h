/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job with all its facts, read from the store at one moment, and the same facts in the planner's
 * terms. Everything is decided from a dossier; nothing is remembered beside it.
 */
#ifndef CULPRIT_SCHED_DOSSIER_H
#define CULPRIT_SCHED_DOSSIER_H

#include "calibration/record.h"
#include "job/job.h"
#include "plan/bisect.h"
#include "store/facts.h"
#include "store/jobs.h"

/* What is known of one commit's builds. */
struct dossier_build {
    const struct stored_build *build; /* the newest that decides: OK, BUILD_FAILED, or TIMED_OUT
                                         for the second time; NULL */
    unsigned attempts;                /* of all kinds */
    unsigned infra_failures, timeouts;
    const struct stored_build *last; /* the newest of any kind; NULL */
};

struct dossier {
    struct stored_job record;
    struct job *job;
    struct stored_commits commits;
    struct stored_builds builds;
    struct stored_trials trials;
    struct stored_samples samples;
    struct stored_pruning pruning;
    struct calibration_record *calibration; /* the job's copy; NULL: there was none for it */

    /* By commit number: */
    struct bisect_commit *nodes;
    /* These two of every variant, one after another (dossier_built()); the commits' own first. */
    struct dossier_build *built;
    struct bisect_build *states; /* also of commits that another stands in for */
    unsigned *stand_ins;         /* whose build a commit is measured by: mostly its own */
    double *weights;             /* 0: cannot change the image; NULL: nothing is known of any */
    /* By trial: */
    struct bisect_trial *outcomes;
    size_t *first_sample; /* trials.count + 1 of them */

    unsigned guest_slots;     /* for trials side by side; set by who knows, 0: one */
    bool pruning_withdrawn;   /* an image contradicts what was inferred, and nothing is left out */
    unsigned pruning_witness; /* the commit of that image */
};

int dossier_load(struct store *store, int64_t id, struct dossier *ret, struct culprit_error *error);
void dossier_clear(struct dossier *dossier);
DEFINE_CLEAR(struct dossier, dossier_clear);

/* What is known of a variant of a commit. */
const struct dossier_build *dossier_built(const struct dossier *dossier, unsigned commit,
                                          enum build_variant variant);

/* The planner's problem and facts; they lend from the dossier. */
void dossier_problem(const struct dossier *dossier, struct bisect_problem *ret);
void dossier_facts(const struct dossier *dossier, struct bisect_facts *ret);

/* The value of a metric in the trial at `position` of trials.items; false when it has none. */
bool dossier_metric(const struct dossier *dossier, size_t position, const char *name, double *ret);

/* The name of the metric that the job is about; NULL when it named none. */
const char *dossier_headline(const struct dossier *dossier);

#endif
