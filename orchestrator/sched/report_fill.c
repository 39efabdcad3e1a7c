/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/report_fill.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sched/conclusion.h"
#include "sched/pruning.h"

struct filled_report {
    struct report report;
    struct report_confirmation confirmations[CONFIRMATIONS_MAXIMUM];
    struct bisect_step step;
    json_t *result;   /* NULL unless the job is done */
    json_t *topology; /* what a guest saw */
    json_t *identity;
    enum bisect_label *labels;
    bool *inferred;
    struct report_commit *commits;
    struct report_trial *trials;
    struct report_row *rows;
    double *values; /* of all rows and sides */
};

void filled_report_free(struct filled_report *filled)
{
    if (!filled)
        return;
    bisect_step_clear(&filled->step);
    json_decref(filled->result);
    json_decref(filled->topology);
    json_decref(filled->identity);
    free(filled->labels);
    free(filled->inferred);
    free(filled->commits);
    free(filled->trials);
    free(filled->rows);
    free(filled->values);
    free(filled);
}

const struct report *filled_report(const struct filled_report *filled)
{
    return &filled->report;
}

static int allocate(struct filled_report *filled, const struct dossier *dossier,
                    struct culprit_error *error)
{
    size_t commits = dossier->commits.count + 1, trials = dossier->trials.count + 1;

    filled->labels = calloc(commits, sizeof *filled->labels);
    filled->inferred = calloc(commits, sizeof *filled->inferred);
    filled->commits = calloc(commits, sizeof *filled->commits);
    filled->trials = calloc(trials, sizeof *filled->trials);
    filled->rows = calloc(dossier->samples.count + 1, sizeof *filled->rows);
    filled->values = calloc(dossier->samples.count + 1, sizeof *filled->values);
    if (!filled->labels || !filled->inferred || !filled->commits || !filled->trials ||
        !filled->rows || !filled->values)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot write the report: out of memory");
    return 0;
}

static json_t *parse(const char *text)
{
    return text ? json_loads(text, 0, NULL) : NULL;
}

/* Why a commit was skipped: its build's message, or that of its last failed trial. */
static const char *skip_reason(const struct dossier *dossier, unsigned commit)
{
    const struct stored_build *build = dossier->built[commit].build;

    if (build && build->outcome != OUTCOME_OK)
        return build->message;
    for (size_t i = dossier->trials.count; i-- > 0;) {
        const struct stored_trial *trial = &dossier->trials.items[i];
        if (trial->commit == commit && trial->outcome != OUTCOME_OK && trial->message[0])
            return trial->message;
    }
    return NULL;
}

static bool was_tested(const struct dossier *dossier, unsigned commit)
{
    for (size_t i = 0; i < dossier->trials.count; i++) {
        if (dossier->trials.items[i].commit == commit &&
            dossier->outcomes[i].outcome == OUTCOME_OK &&
            !trial_purpose_confirms(dossier->outcomes[i].purpose))
            return true;
    }
    return false;
}

/* A commit that was tested with the image of this one; NULL. */
static const char *same_image(const struct dossier *dossier, unsigned commit)
{
    const struct stored_build *build = dossier->built[commit].build;

    for (unsigned i = 0; build && build->image[0] && i < dossier->commits.count; i++) {
        const struct stored_build *other = dossier->built[i].build;
        if (i != commit && other && strcmp(other->image, build->image) == 0 &&
            was_tested(dossier, i))
            return dossier->commits.items[i].id;
    }
    return NULL;
}

static int fill_labels(struct filled_report *filled, const struct dossier *dossier,
                       struct culprit_error *error)
{
    struct bisect_problem problem;
    struct bisect_facts facts;

    if (dossier->job->kind != JOB_BISECT || dossier->commits.count < 2)
        return 0;
    dossier_problem(dossier, &problem);
    dossier_facts(dossier, &facts);
    return bisect_labels(&problem, &facts, filled->labels, filled->inferred, error);
}

/* A commit that was left out and never built keeps its reason, and has no label: what it would be
 * is not a fact. */
static void fill_pruning(struct filled_report *filled, const struct dossier *dossier)
{
    const struct stored_pruning *pruning = &dossier->pruning;

    filled->report.pruning = (struct report_pruning){
        .known = pruning->known,
        .note = pruning->note,
        .withdrawn = dossier->pruning_withdrawn,
        .witness = dossier->pruning_witness,
    };
    for (size_t i = 0; !dossier->pruning_withdrawn && i < pruning->count; i++) {
        struct report_commit *commit = &filled->commits[pruning->items[i].commit];
        if (!relevance_from_name(pruning->items[i].reason, &commit->relevance))
            commit->relevance = RELEVANCE_NOT_COMPILED; /* a later version's word */
        if (dossier->built[pruning->items[i].commit].build)
            continue;
        commit->label = LABEL_UNTESTED;
        commit->inferred = false;
        commit->reason = NULL;
    }
}

static int fill_commits(struct filled_report *filled, const struct dossier *dossier,
                        struct culprit_error *error)
{
    int status = fill_labels(filled, dossier, error);
    if (status < 0)
        return status;
    for (unsigned i = 0; i < dossier->commits.count; i++) {
        const struct stored_commit *from = &dossier->commits.items[i];
        struct report_commit *to = &filled->commits[i];
        memcpy(to->id, from->id, sizeof to->id);
        to->subject = from->subject;
        to->author = from->author;
        to->author_time = from->author_time;
        to->parents = from->parents;
        to->parent_count = from->parent_count;
        to->label = filled->labels[i];
        to->inferred = filled->inferred[i];
        to->same_image = to->inferred ? same_image(dossier, i) : NULL;
        to->tested = was_tested(dossier, i);
        if (to->label == LABEL_SKIP)
            to->reason = skip_reason(dossier, i);
    }
    fill_pruning(filled, dossier);
    filled->report.commits = filled->commits;
    filled->report.commit_count = dossier->commits.count;
    return 0;
}

static void fill_trials(struct filled_report *filled, const struct dossier *dossier)
{
    for (size_t i = 0; i < dossier->trials.count; i++) {
        const struct stored_trial *from = &dossier->trials.items[i];
        struct report_trial *to = &filled->trials[i];
        to->number = from->number;
        memcpy(to->commit, dossier->commits.items[from->commit].id, sizeof to->commit);
        to->purpose = dossier->outcomes[i].purpose;
        to->seed = from->seed;
        to->outcome = from->outcome;
        to->message = from->message;
        to->value = dossier->outcomes[i].outcome == OUTCOME_OK ? dossier->outcomes[i].value
                                                               : (double)NAN;
        to->observed = from->observed;
        to->failed = from->failed;
        to->evidence = from->evidence[0] ? from->evidence : from->message;
        to->digest = from->digest;
        filled->report.trial_ns += from->wall_ns;
    }
    filled->report.trials = filled->trials;
    filled->report.trial_count = dossier->trials.count;
}

/* Bit-identical kernels are one kernel. */
static bool same_kernel(const struct dossier *dossier, unsigned a, unsigned b)
{
    return a == b ||
           (dossier->states[a].state == BUILD_OK && dossier->states[b].state == BUILD_OK &&
            dossier->states[a].image == dossier->states[b].image);
}

/* Which side of the table a trial is on; -1: none. With a culprit they are the trials of the
 * verification; without one, those of the two ends of the range. */
static int side_of(const struct filled_report *filled, const struct dossier *dossier, size_t trial)
{
    const struct bisect_trial *outcome = &dossier->outcomes[trial];
    bool culprit = filled->report.verdict == VERDICT_CULPRIT;

    if (outcome->outcome != OUTCOME_OK)
        return -1;
    if (dossier->job->kind == JOB_RUN)
        return 0;
    if (outcome->purpose != (culprit ? PURPOSE_VERIFY : PURPOSE_SEARCH))
        return -1;
    if (same_kernel(dossier, outcome->commit, filled->report.parent))
        return 0;
    if (same_kernel(dossier, outcome->commit, filled->report.culprit))
        return 1;
    return -1;
}

static size_t gather(const struct filled_report *filled, const struct dossier *dossier,
                     const char *metric, int side, double *values)
{
    size_t count = 0;

    for (size_t i = 0; i < dossier->trials.count; i++) {
        double value;
        if (side_of(filled, dossier, i) == side && dossier_metric(dossier, i, metric, &value))
            values[count++] = value;
    }
    return count;
}

static enum metric_direction direction(const char *better)
{
    if (better && strcmp(better, "lower") == 0)
        return BETTER_LOWER;
    if (better && strcmp(better, "higher") == 0)
        return BETTER_HIGHER;
    return BETTER_NEITHER;
}

static void add_row(struct filled_report *filled, const struct dossier *dossier,
                    const struct stored_sample *sample, size_t *used)
{
    struct report_row *row = &filled->rows[filled->report.row_count];

    for (size_t i = 0; i < filled->report.row_count; i++) {
        if (strcmp(filled->rows[i].metric, sample->name) == 0)
            return;
    }
    *row = (struct report_row){.metric = sample->name,
                               .unit = sample->unit,
                               .better = direction(sample->better),
                               .counter = sample->counter};
    for (int side = 0; side < 2; side++) {
        double *values = filled->values + *used;
        row->sides[side].count = gather(filled, dossier, sample->name, side, values);
        row->sides[side].values = values;
        *used += row->sides[side].count;
    }
    filled->report.row_count++;
}

/* Headline first, then measured metrics, then counters, each in the order of the trial. */
static void fill_rows(struct filled_report *filled, const struct dossier *dossier)
{
    const char *headline = dossier_headline(dossier);
    size_t used = 0;

    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < dossier->trials.count; i++) {
            if (side_of(filled, dossier, i) < 0)
                continue;
            for (size_t s = dossier->first_sample[i]; s < dossier->first_sample[i + 1]; s++) {
                const struct stored_sample *sample = &dossier->samples.items[s];
                bool first = headline && strcmp(sample->name, headline) == 0;
                if (round == (first ? 0 : sample->counter ? 2 : 1))
                    add_row(filled, dossier, sample, &used);
            }
        }
    }
    filled->report.rows = filled->rows;
}

static void fill_builds(struct report *report, const struct dossier *dossier)
{
    for (size_t i = 0; i < dossier->builds.count; i++) {
        const struct stored_build *build = &dossier->builds.items[i];
        if (build->outcome != OUTCOME_OK)
            report->builds_failed++;
        else if (build->fresh)
            report->builds_fresh++;
        else
            report->builds_reused++;
        if (build->fresh)
            report->build_ns += build->wall_ns;
        if (build->outcome == OUTCOME_OK && !build->variant[0]) {
            report->compiler = build->compiler;
            report->kernel_release = build->release;
            report->kernel_config_digest = build->config;
        }
    }
}

/* What the guests of the job have in common, from the last one that gave numbers. */
static void fill_identity(struct filled_report *filled, const struct dossier *dossier)
{
    struct report *report = &filled->report;

    for (size_t i = dossier->trials.count; i-- > 0;) {
        const struct stored_trial *trial = &dossier->trials.items[i];
        if (trial->outcome != OUTCOME_OK || trial_purpose_confirms(dossier->outcomes[i].purpose))
            continue;
        filled->identity = parse(trial->identity);
        filled->topology = parse(trial->topology);
        break;
    }
    report->topology_seen = filled->topology;
    report->qemu_version = json_string_value(json_object_get(filled->identity, "qemu"));
    report->image_digest = json_string_value(json_object_get(filled->identity, "image"));
}

static const char *result_text(const struct filled_report *filled, const char *object,
                               const char *key)
{
    const json_t *from = object ? json_object_get(filled->result, object) : filled->result;
    return json_string_value(json_object_get(from, key));
}

static void fill_confirmations(struct filled_report *filled, const struct dossier *dossier)
{
    struct conclusion_confirmation read[CONFIRMATIONS_MAXIMUM] = {0};
    size_t count = conclusion_confirmations(dossier, filled->result, read);

    for (size_t i = 0; i < count; i++)
        filled->confirmations[i] = (struct report_confirmation){
            read[i].confirmation.kind, read[i].confirmation.outcome, read[i].confirmation.check,
            read[i].message};
    filled->report.confirmations = filled->confirmations;
    filled->report.confirmation_count = count;
}

static int fill_verdict(struct filled_report *filled, const struct dossier *dossier,
                        struct culprit_error *error)
{
    struct report *report = &filled->report;
    const struct bisect_step *step = &filled->step;

    filled->result = parse(dossier->record.result);
    report->reason = dossier->record.message;
    report->repeat_command = result_text(filled, NULL, "repeat");
    report->threshold = (double)NAN;
    if (dossier->commits.count)
        report->culprit = (unsigned)dossier->commits.count - 1;
    if (!filled->result)
        return 0;
    report->reason = result_text(filled, NULL, "reason");
    if (dossier->job->kind != JOB_BISECT)
        return 0;
    int status = conclusion_step(dossier, filled->result, &filled->step, error);
    if (status < 0)
        return status;
    report->verdict = step->verdict;
    report->reason = step->reason;
    report->posterior = step->posterior;
    report->threshold = step->threshold;
    report->endpoint = step->endpoint;
    report->checks = step->checks;
    report->check_count = step->check_count;
    report->more_changes = step->more_changes;
    fill_confirmations(filled, dossier);
    report->suspects = step->suspects;
    report->suspect_count = step->suspect_count;
    if (step->verdict == VERDICT_CULPRIT) {
        report->culprit = step->culprit;
        report->parent = step->check_count ? step->checks[0].base
                                           : dossier->commits.items[step->culprit].parents[0];
    }
    report->culprit_message = result_text(filled, "culprit", "message");
    report->culprit_diffstat = result_text(filled, "culprit", "diffstat");
    return 0;
}

static void fill_head(struct report *report, const struct dossier *dossier, const char *host)
{
    const struct stored_job *record = &dossier->record;

    report->job_id = record->id;
    report->job = dossier->job;
    report->state = job_state_name(record->state);
    report->engine = engine_name(record->engine);
    report->shift = record->shift;
    report->second_shift = record->second_shift;
    report->host = host;
    report->created_ns = record->created_ns;
    report->finished_ns = record->finished_ns;
    if (record->started_ns && record->finished_ns > record->started_ns)
        report->wall_ns = record->finished_ns - record->started_ns;
    if (dossier->commits.good_is_merge_base)
        report->good_asked = dossier->commits.good_asked;
    report->calibration = dossier->calibration;
}

int report_fill(const struct dossier *dossier, const char *host, struct filled_report **ret,
                struct culprit_error *error)
{
    CULPRIT_CLEANUP(filled_report_free) struct filled_report *filled = calloc(1, sizeof *filled);
    if (!filled)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot write the report: out of memory");

    fill_head(&filled->report, dossier, host);
    int status = allocate(filled, dossier, error);
    if (status == 0)
        status = fill_verdict(filled, dossier, error);
    if (status == 0)
        status = fill_commits(filled, dossier, error);
    if (status < 0)
        return status;
    fill_trials(filled, dossier);
    fill_rows(filled, dossier);
    fill_builds(&filled->report, dossier);
    fill_identity(filled, dossier);
    *ret = take(filled);
    return 0;
}
