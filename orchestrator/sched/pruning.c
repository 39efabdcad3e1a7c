/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/pruning.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool pruning_holds(const struct dossier *dossier, unsigned commit)
{
    return dossier->weights && !(dossier->weights[commit] > 0);
}

bool pruning_is_end(const struct dossier *dossier, unsigned commit)
{
    return commit == 0 || commit + 1 == dossier->commits.count;
}

static const struct stored_build *good_build(const struct dossier *dossier, size_t commit)
{
    const struct stored_build *build = dossier->built[commit].build;

    return build && build->outcome == OUTCOME_OK ? build : NULL;
}

bool pruning_is_due(const struct dossier *dossier)
{
    size_t count = dossier->commits.count;
    const struct stored_build *good, *bad;

    if (dossier->job->kind != JOB_BISECT || dossier->pruning.known || count < 3)
        return false;
    good = good_build(dossier, 0);
    bad = good_build(dossier, count - 1);
    return good && bad && strcmp(good->image, bad->image) != 0;
}

/* --- classes of commits that should share an image ------------------------------------------- */

static unsigned find(unsigned *classes, unsigned commit)
{
    while (classes[commit] != commit) {
        classes[commit] = classes[classes[commit]];
        commit = classes[commit];
    }
    return commit;
}

/* The lower number names a class. */
static void join(unsigned *classes, unsigned a, unsigned b)
{
    a = find(classes, a);
    b = find(classes, b);
    if (a < b)
        classes[b] = a;
    else
        classes[a] = b;
}

static void join_classes(const struct dossier *dossier, unsigned *classes)
{
    for (unsigned c = 0; c < dossier->commits.count; c++)
        classes[c] = c;
    for (unsigned c = 1; c < dossier->commits.count; c++)
        for (unsigned p = 0; pruning_holds(dossier, c) && p < dossier->nodes[c].parent_count; p++)
            join(classes, c, dossier->nodes[c].parents[p]);
}

static bool same_outcome(const struct bisect_build *a, const struct bisect_build *b)
{
    return a->state == b->state && (a->state != BUILD_OK || a->image == b->image);
}

/* builders[class]: the first commit of it that was built, UINT_MAX without. False when two that
 * were built differ: *ret_witness. */
static bool find_builders(const struct dossier *dossier, unsigned *classes, unsigned *builders,
                          unsigned *ret_witness)
{
    for (unsigned c = 0; c < dossier->commits.count; c++)
        builders[c] = UINT_MAX;
    for (unsigned c = 0; c < dossier->commits.count; c++) {
        unsigned *builder = &builders[find(classes, c)];

        if (dossier->states[c].state == BUILD_UNKNOWN)
            continue;
        if (*builder == UINT_MAX)
            *builder = c;
        *ret_witness = c;
        if (!same_outcome(&dossier->states[*builder], &dossier->states[c]))
            return false;
    }
    return true;
}

static void stand_in(struct dossier *dossier, unsigned *classes, const unsigned *builders)
{
    for (unsigned c = 0; c < dossier->commits.count; c++) {
        unsigned builder = builders[find(classes, c)];

        if (dossier->states[c].state != BUILD_UNKNOWN || builder == UINT_MAX)
            continue;
        dossier->stand_ins[c] = builder;
        dossier->states[c] = dossier->states[builder];
        dossier->states[c].reused = true;
    }
}

static void withdraw(struct dossier *dossier, unsigned witness)
{
    free(dossier->weights);
    dossier->weights = NULL;
    dossier->pruning_withdrawn = true;
    dossier->pruning_witness = witness;
}

static int weigh(struct dossier *dossier, struct culprit_error *error)
{
    size_t count = dossier->commits.count;

    dossier->weights = calloc(count + 1, sizeof *dossier->weights);
    if (!dossier->weights)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot read job %lld: out of memory",
                            (long long)dossier->record.id);
    for (size_t c = 0; c < count; c++)
        dossier->weights[c] = 1;
    for (size_t i = 0; i < dossier->pruning.count; i++) {
        unsigned commit = dossier->pruning.items[i].commit;
        if (commit == 0 || commit >= count)
            return culprit_fail(error, CULPRIT_INTERNAL,
                                "the store prunes commit %u of job %lld, which has none", commit,
                                (long long)dossier->record.id);
        dossier->weights[commit] = 0;
    }
    return 0;
}

int pruning_apply(struct dossier *dossier, struct culprit_error *error)
{
    size_t count = dossier->commits.count;
    _cleanup_free_ unsigned *classes = calloc(count + 1, sizeof *classes);
    _cleanup_free_ unsigned *builders = calloc(count + 1, sizeof *builders);
    unsigned witness = 0;

    for (unsigned c = 0; c < count; c++)
        dossier->stand_ins[c] = c;
    if (dossier->pruning.count == 0)
        return 0;
    if (!classes || !builders)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot read job %lld: out of memory",
                            (long long)dossier->record.id);
    int status = weigh(dossier, error);
    if (status < 0)
        return status;
    join_classes(dossier, classes);
    if (find_builders(dossier, classes, builders, &witness))
        stand_in(dossier, classes, builders);
    else
        withdraw(dossier, witness);
    return 0;
}

/* --- wants ----------------------------------------------------------------------------------- */

static bool same_want(const struct bisect_want *a, const struct bisect_want *b)
{
    return a->kind == b->kind && a->commit == b->commit &&
           (a->kind == WANT_BUILD ? a->variant == b->variant
                                  : a->purpose == b->purpose && a->index == b->index);
}

static bool has_result(const struct dossier *dossier, const struct bisect_want *want)
{
    for (size_t i = 0; i < dossier->trials.count; i++) {
        const struct bisect_trial *trial = &dossier->outcomes[i];
        if (trial->commit == want->commit && trial->purpose == want->purpose &&
            trial->index == want->index && trial->outcome != OUTCOME_INFRA_FAILED &&
            trial->outcome != OUTCOME_CANCELLED)
            return true;
    }
    return false;
}

static bool is_wanted(const struct bisect_step *step, size_t count, const struct bisect_want *want)
{
    for (size_t i = 0; i < count; i++)
        if (same_want(&step->wants[i], want))
            return true;
    return false;
}

/* The planner counts a commit's trials by its number: there may be some of the stand-in. */
static void redirect_trial(const struct dossier *dossier, const struct bisect_step *step,
                           size_t count, struct bisect_want *want)
{
    unsigned commit = dossier->stand_ins[want->commit];

    if (commit == want->commit)
        return;
    want->commit = commit;
    while (has_result(dossier, want) || is_wanted(step, count, want))
        want->index++;
}

void pruning_redirect(const struct dossier *dossier, struct bisect_step *step)
{
    size_t count = 0;

    for (size_t i = 0; dossier->weights && i < step->want_count; i++) {
        struct bisect_want want = step->wants[i];

        /* Nothing stands in for a variant. */
        if (want.kind == WANT_TRIAL && trial_purpose_variant(want.purpose) == VARIANT_PLAIN)
            redirect_trial(dossier, step, count, &want);
        if (!is_wanted(step, count, &want))
            step->wants[count++] = want;
    }
    if (dossier->weights)
        step->want_count = count;
}

/* --- proof ----------------------------------------------------------------------------------- */

static void want_proof(const struct dossier *dossier, unsigned commit, struct bisect_step *proof)
{
    const struct bisect_want want = {.kind = WANT_BUILD, .commit = commit};

    if (!dossier->built[commit].build && proof->want_count < BISECT_MAX_WANTS &&
        !is_wanted(proof, proof->want_count, &want))
        proof->wants[proof->want_count++] = want;
}

static void say_unproven(const struct dossier *dossier, const struct bisect_step *proof,
                         struct bisect_step *step)
{
    size_t length = strlen(step->reason);

    for (size_t i = 0; i < proof->want_count && length + 1 < sizeof step->reason; i++) {
        unsigned commit = proof->wants[i].commit;
        snprintf(step->reason + length, sizeof step->reason - length,
                 "%sThe budget has no build left for #%u: that it has the kernel image of #%u is "
                 "known from the files that it changes alone.",
                 length ? " " : "", commit, dossier->stand_ins[commit]);
        length = strlen(step->reason);
    }
}

void pruning_prove(const struct dossier *dossier, bool may_build, struct bisect_step *step)
{
    const struct bisect_commit *culprit = &dossier->nodes[step->culprit];
    struct bisect_step proof = {0};

    if (!dossier->weights || step->verdict != VERDICT_CULPRIT)
        return;
    want_proof(dossier, step->culprit, &proof);
    for (unsigned p = 0; p < culprit->parent_count; p++)
        want_proof(dossier, culprit->parents[p], &proof);
    for (size_t i = 0; i < step->check_count; i++)
        want_proof(dossier, step->checks[i].base, &proof);
    if (proof.want_count == 0)
        return;
    if (!may_build) {
        say_unproven(dossier, &proof, step);
        return;
    }
    step->verdict = VERDICT_NONE;
    step->want_count = proof.want_count;
    memcpy(step->wants, proof.wants, sizeof step->wants);
    step->expected_builds = (double)proof.want_count;
    step->expected_trials = 0;
}
