/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/evidence.h"

#include <math.h>
#include <stdlib.h>

enum { INFRA_ATTEMPTS = 3, TRIALS_MAXIMUM = 100000, VALUES_MAXIMUM = 1000 };

/* One class's part of the ordered trials. */
struct class_trials {
    size_t first[PURPOSE_COUNT], count[PURPOSE_COUNT]; /* in `values` */
    unsigned failed;
    unsigned members; /* commits with this image */
};

struct evidence {
    const struct bisect_problem *problem;
    const struct bisect_facts *facts;
    unsigned *class_of;            /* [count] */
    struct class_trials *by_class; /* [count], used at class numbers */
    unsigned *own_trials;          /* [count] that went well */
    struct bisect_trial *trials;   /* by class, purpose, index, commit, outcome, value */
    size_t trial_count;            /* less than the facts' where some came after a verdict */
    double *values;
    unsigned builds_spent, trials_spent;
    bool infra_failed;
    unsigned infra_commit;
};

void evidence_free(struct evidence *evidence)
{
    if (!evidence)
        return;
    free(evidence->class_of);
    free(evidence->by_class);
    free(evidence->own_trials);
    free(evidence->trials);
    free(evidence->values);
    free(evidence);
}

static int check_facts(const struct bisect_problem *problem, const struct bisect_facts *facts,
                       struct culprit_error *error)
{
    if (facts->trial_count > TRIALS_MAXIMUM)
        return culprit_fail(error, CULPRIT_LIMIT, "%zu trials are more than a planner takes (%d)",
                            facts->trial_count, TRIALS_MAXIMUM);
    for (size_t i = 0; i < facts->trial_count; i++) {
        const struct bisect_trial *trial = &facts->trials[i];

        if (trial->commit >= problem->count || trial->purpose >= PURPOSE_COUNT ||
            trial->outcome >= OUTCOME_COUNT)
            return culprit_fail(error, CULPRIT_INVALID, "trial %zu is of no commit of the range",
                                i);
        if (trial->outcome == OUTCOME_OK && !isfinite(trial->value))
            return culprit_fail(error, CULPRIT_INVALID,
                                "trial %u of commit %u went well without a finite value",
                                trial->index, trial->commit);
        if (problem->measure == MEASURE_EVENT && trial->outcome == OUTCOME_OK &&
            fabs(trial->value) > 0 && fabs(trial->value - 1) > 0)
            return culprit_fail(error, CULPRIT_INVALID,
                                "trial %u of commit %u neither failed nor went well: %g",
                                trial->index, trial->commit, trial->value);
    }
    return 0;
}

struct image_place {
    unsigned image, commit;
};

static int compare_images(const void *left, const void *right)
{
    const struct image_place *a = left, *b = right;

    if (a->image != b->image)
        return a->image < b->image ? -1 : 1;
    return (a->commit > b->commit) - (a->commit < b->commit);
}

static int find_classes(struct evidence *evidence, struct culprit_error *error)
{
    unsigned count = evidence->problem->count, built = 0;
    _cleanup_free_ struct image_place *places = calloc(count, sizeof *places);

    if (!places)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot order %u builds: no memory", count);
    for (unsigned c = 0; c < count; c++) {
        const struct bisect_build *build = &evidence->facts->builds[c];

        evidence->class_of[c] = c;
        if (build->state == BUILD_OK)
            places[built++] = (struct image_place){.image = build->image, .commit = c};
        evidence->builds_spent += build->state != BUILD_UNKNOWN && !build->reused;
    }
    qsort(places, built, sizeof *places, compare_images);
    for (unsigned i = 1; i < built; i++)
        if (places[i].image == places[i - 1].image)
            evidence->class_of[places[i].commit] = evidence->class_of[places[i - 1].commit];
    for (unsigned c = 0; c < count; c++)
        evidence->by_class[evidence->class_of[c]].members++;
    return 0;
}

/* qsort() has no context, so the class rides along until the order is made. */
struct keyed_trial {
    unsigned class;
    struct bisect_trial trial;
};

static int compare_unsigned(unsigned a, unsigned b)
{
    return (a > b) - (a < b);
}

static int compare_trials(const void *left, const void *right)
{
    const struct keyed_trial *a = left, *b = right;
    int order = compare_unsigned(a->class, b->class);

    if (order == 0)
        order = compare_unsigned(a->trial.purpose, b->trial.purpose);
    if (order == 0)
        order = compare_unsigned(a->trial.index, b->trial.index);
    if (order == 0)
        order = compare_unsigned(a->trial.commit, b->trial.commit);
    if (order == 0)
        order = compare_unsigned(a->trial.outcome, b->trial.outcome);
    if (order == 0 && a->trial.outcome == OUTCOME_OK)
        order = (a->trial.value > b->trial.value) - (a->trial.value < b->trial.value);
    return order;
}

static int order_trials(struct evidence *evidence, struct culprit_error *error)
{
    size_t count = evidence->facts->trial_count;
    _cleanup_free_ struct keyed_trial *keyed = calloc(count + 1, sizeof *keyed);

    if (!keyed)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot order %zu trials: no memory", count);
    for (size_t i = 0; i < count; i++)
        if (!trial_purpose_confirms(evidence->facts->trials[i].purpose))
            keyed[evidence->trial_count++] = (struct keyed_trial){
                .class = evidence->class_of[evidence->facts->trials[i].commit],
                .trial = evidence->facts->trials[i],
            };
    qsort(keyed, evidence->trial_count, sizeof *keyed, compare_trials);
    for (size_t i = 0; i < evidence->trial_count; i++)
        evidence->trials[i] = keyed[i].trial;
    return 0;
}

static bool same_trial(const struct bisect_trial *a, const struct bisect_trial *b)
{
    return a->commit == b->commit && a->purpose == b->purpose && a->index == b->index;
}

static bool failed(enum outcome outcome)
{
    return outcome != OUTCOME_OK && outcome != OUTCOME_INFRA_FAILED && outcome != OUTCOME_CANCELLED;
}

/* The outcomes of one (commit, purpose, index): a result is counted once, whatever else came. */
static void count_trial(struct evidence *evidence, const struct bisect_trial *attempts,
                        size_t attempt_count, size_t *value_count)
{
    struct class_trials *class = &evidence->by_class[evidence->class_of[attempts[0].commit]];
    enum trial_purpose purpose = attempts[0].purpose;
    unsigned infra = 0, failures = 0;

    for (size_t i = 0; i < attempt_count; i++) {
        infra += attempts[i].outcome == OUTCOME_INFRA_FAILED;
        failures += failed(attempts[i].outcome);
    }
    if (attempts[0].outcome == OUTCOME_OK) { /* sorts first */
        if (class->count[purpose] == 0)
            class->first[purpose] = *value_count;
        if (class->count[purpose] < VALUES_MAXIMUM) {
            class->count[purpose]++;
            evidence->values[(*value_count)++] = evidence->problem->lower_is_better
                                                     ? attempts[0].value
                                                     : -attempts[0].value;
        }
        evidence->own_trials[attempts[0].commit]++;
        evidence->trials_spent++;
    } else if (failures > 0) {
        class->failed++;
        evidence->trials_spent++;
    } else if (infra >= INFRA_ATTEMPTS) {
        evidence->infra_failed = true;
        evidence->infra_commit = attempts[0].commit;
    }
}

static void count_trials(struct evidence *evidence)
{
    size_t total = evidence->trial_count, value_count = 0;

    for (size_t begin = 0, end; begin < total; begin = end) {
        for (end = begin + 1; end < total;)
            if (same_trial(&evidence->trials[begin], &evidence->trials[end]))
                end++;
            else
                break;
        count_trial(evidence, &evidence->trials[begin], end - begin, &value_count);
    }
}

int evidence_new(const struct bisect_problem *problem, const struct bisect_facts *facts,
                 struct evidence **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(evidence_free) struct evidence *evidence = NULL;
    int r = check_facts(problem, facts, error);

    if (r < 0)
        return r;
    evidence = calloc(1, sizeof *evidence);
    if (evidence) {
        evidence->problem = problem;
        evidence->facts = facts;
        evidence->class_of = calloc(problem->count, sizeof *evidence->class_of);
        evidence->by_class = calloc(problem->count, sizeof *evidence->by_class);
        evidence->own_trials = calloc(problem->count, sizeof *evidence->own_trials);
        evidence->trials = calloc(facts->trial_count + 1, sizeof *evidence->trials);
        evidence->values = calloc(facts->trial_count + 1, sizeof *evidence->values);
    }
    if (!evidence || !evidence->class_of || !evidence->by_class || !evidence->own_trials ||
        !evidence->trials || !evidence->values)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot hold the facts: no memory");
    r = find_classes(evidence, error);
    if (r == 0)
        r = order_trials(evidence, error);
    if (r < 0)
        return r;
    count_trials(evidence);
    *ret = take(evidence);
    return 0;
}

unsigned evidence_class(const struct evidence *evidence, unsigned commit)
{
    return evidence->class_of[commit];
}

bool evidence_shared(const struct evidence *evidence, unsigned commit)
{
    return evidence->by_class[evidence->class_of[commit]].members > 1;
}

bool evidence_built(const struct evidence *evidence, unsigned commit)
{
    return evidence->facts->builds[commit].state == BUILD_OK;
}

bool evidence_broken(const struct evidence *evidence, unsigned commit)
{
    const struct class_trials *class = &evidence->by_class[evidence->class_of[commit]];
    size_t went_well = class->count[PURPOSE_SEARCH] + class->count[PURPOSE_VERIFY];

    return evidence->facts->builds[commit].state == BUILD_BROKEN ||
           (class->failed >= 2 && class->failed >= went_well);
}

bool evidence_measured(const struct evidence *evidence, unsigned commit)
{
    return evidence->own_trials[commit] > 0;
}

static struct evidence_values values_of(const struct evidence *evidence, unsigned commit,
                                        enum trial_purpose purpose)
{
    const struct class_trials *class = &evidence->by_class[evidence->class_of[commit]];

    return (struct evidence_values){
        .values = evidence->values + class->first[purpose],
        .count = class->count[purpose],
    };
}

struct evidence_values evidence_search(const struct evidence *evidence, unsigned commit)
{
    return values_of(evidence, commit, PURPOSE_SEARCH);
}

struct evidence_values evidence_verify(const struct evidence *evidence, unsigned commit)
{
    return values_of(evidence, commit, PURPOSE_VERIFY);
}

unsigned evidence_builds_spent(const struct evidence *evidence)
{
    return evidence->builds_spent;
}

unsigned evidence_trials_spent(const struct evidence *evidence)
{
    return evidence->trials_spent;
}

bool evidence_infra_failed(const struct evidence *evidence, unsigned *ret_commit)
{
    if (evidence->infra_failed)
        *ret_commit = evidence->infra_commit;
    return evidence->infra_failed;
}

static unsigned most_measured_twin(const struct evidence *evidence, unsigned commit)
{
    unsigned best = commit;

    for (unsigned c = 0; c < evidence->problem->count; c++)
        if (evidence->class_of[c] == evidence->class_of[commit] &&
            evidence->own_trials[c] > evidence->own_trials[best])
            best = c;
    return best;
}

static bool has_ended(const struct evidence *evidence, unsigned commit, enum trial_purpose purpose,
                      unsigned index)
{
    for (size_t i = 0; i < evidence->facts->trial_count; i++) {
        const struct bisect_trial *trial = &evidence->facts->trials[i];
        if (trial->commit == commit && trial->purpose == purpose && trial->index == index &&
            (trial->outcome == OUTCOME_OK || failed(trial->outcome)))
            return true;
    }
    return false;
}

void evidence_want_trials(const struct evidence *evidence, unsigned commit,
                          enum trial_purpose purpose, size_t count, struct bisect_step *step)
{
    unsigned host = most_measured_twin(evidence, commit), index = 0;

    for (; count > 0 && step->want_count < BISECT_MAX_WANTS; index++) {
        if (has_ended(evidence, host, purpose, index))
            continue;
        step->wants[step->want_count++] = (struct bisect_want){
            .kind = WANT_TRIAL,
            .commit = host,
            .purpose = purpose,
            .index = index,
        };
        count--;
    }
}
