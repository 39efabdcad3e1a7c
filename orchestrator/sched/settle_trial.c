/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trial with its samples. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/utf8.h"
#include "sched/settle.h"
#include "trial/observe.h"

/* The store's records own their texts, hence no constants. */
static char *direction_name(enum metric_direction better)
{
    static char lower[] = "lower", higher[] = "higher", neither[] = "neither";

    return better == BETTER_LOWER ? lower : better == BETTER_HIGHER ? higher : neither;
}

static struct stored_sample *describe_samples(const struct trial_result *result)
{
    struct stored_sample *samples = calloc(result->metric_count + 1, sizeof *samples);

    for (size_t i = 0; samples && i < result->metric_count; i++) {
        struct metric_value *metric = &result->metrics[i];
        samples[i] = (struct stored_sample){
            .name = metric->name,
            .unit = metric->unit,
            .better = direction_name(metric->better),
            .index = metric->index,
            .value = metric->value,
            .counter = metric->counter,
        };
    }
    return samples;
}

/* The reader of a guest's records takes finite numbers only; nothing that came another way gets
 * into the store either. NULL when all are. */
static const struct metric_value *endless_metric(const struct trial_result *result)
{
    for (size_t i = 0; i < result->metric_count; i++)
        if (!isfinite(result->metrics[i].value))
            return &result->metrics[i];
    return NULL;
}

/* A trial that is ok and lacks the metric that the job is about is of no use to it. */
static enum outcome judge_trial(struct task *task, double *ret_value)
{
    struct trial_result *result = task->trial_result;
    const char *metric = task->job->metric.name;
    const struct metric_value *endless = endless_metric(result);

    *ret_value = (double)NAN;
    if (result->outcome == OUTCOME_OK && endless) {
        snprintf(result->message, sizeof result->message,
                 "the workload ended well and gave a value of %s that is no finite number",
                 endless->name);
        return OUTCOME_WORKLOAD_FAILED;
    }
    if (result->outcome == OUTCOME_OK && metric &&
        !trial_result_metric(result, metric, ret_value)) {
        snprintf(result->message, sizeof result->message,
                 "the workload ended well and gave no value of %s", metric);
        return OUTCOME_WORKLOAD_FAILED;
    }
    return result->outcome;
}

static int add_trial(struct task *task, struct stored_trial *trial, unsigned *ret_number,
                     struct culprit_error *error)
{
    const struct trial_result *result = task->trial_result;
    struct store *store = task->course->service->options.store;
    size_t count = result && trial->outcome == OUTCOME_OK ? result->metric_count : 0;
    _cleanup_free_ struct stored_sample *samples = result ? describe_samples(result) : NULL;
    _cleanup_free_ char *identity = result && result->identity
                                        ? json_dumps(result->identity, JSON_COMPACT)
                                        : NULL;
    _cleanup_free_ char *topology = result && result->topology
                                        ? json_dumps(result->topology, JSON_COMPACT)
                                        : NULL;

    if (result && !samples)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot keep the trial: out of memory");
    trial->identity = identity;
    trial->topology = topology;
    return store_trial_add(store, task->course->id, trial, samples, count, ret_number, error);
}

/* The unit of the trial's value; empty where it has none. */
static const char *value_unit(const struct task *task, double value)
{
    const struct trial_result *result = task->trial_result;

    for (size_t i = 0; isfinite(value) && i < result->metric_count; i++)
        if (strcmp(result->metrics[i].name, task->job->metric.name) == 0)
            return result->metrics[i].unit;
    return "";
}

static int trial_event(struct task *task, const struct stored_trial *trial, unsigned number,
                       double value, struct culprit_error *error)
{
    return event_put(
        task->course->service, task->course->id, "trial",
        json_pack("{s:I, s:s, s:s, s:I, s:s, s:s, s:o, s:s, s:o, s:s, s:f}", "number",
                  (json_int_t)number, "commit", task_commit(task), "purpose", trial->purpose,
                  "seed", (json_int_t)trial->seed, "outcome", outcome_name(trial->outcome),
                  "message", trial->message, "value",
                  isfinite(value) ? json_real(value) : json_null(), "unit", value_unit(task, value),
                  "failed", trial->observed ? json_boolean(trial->failed) : json_null(), "evidence",
                  trial->evidence ? trial->evidence : "", "seconds", (double)trial->wall_ns / 1e9),
        error);
}

static void log_trial(const struct task *task, const struct stored_trial *trial, unsigned number)
{
    char job[64], name[64], commit[64], outcome[64];

    snprintf(job, sizeof job, "JOB=%lld", (long long)task->course->id);
    snprintf(name, sizeof name, "TRIAL=%u", number);
    snprintf(commit, sizeof commit, "COMMIT=%.12s", task_commit(task));
    snprintf(outcome, sizeof outcome, "OUTCOME=%s", outcome_name(trial->outcome));
    log_info("trial ended", job, name, commit, outcome, NULL);
}

/* The trial as the store takes it; texts are lent. */
static double describe_trial(struct task *task, char *purpose, struct stored_trial *ret)
{
    struct trial_result *result = task->trial_result;
    double value = (double)NAN;

    *ret = (struct stored_trial){
        .commit = task->lease.commit,
        .purpose = purpose,
        .index = task->lease.index,
        .attempt = task->lease.attempt,
        .seed = task->seed,
        .build = task->build,
        .outcome = OUTCOME_INFRA_FAILED,
        .message = task->error.message,
    };
    if (task->status == 0) {
        ret->outcome = judge_trial(task, &value);
        ret->message = result->message;
        utf8_repair(result->message);
        ret->wall_ns = result->wall_ns;
        memcpy(ret->digest, result->digest, sizeof ret->digest);
        ret->observed = trial_observe(result, &task->job->criterion, &ret->failed);
        ret->evidence = ret->observed && ret->failed ? result->console_line : NULL;
    }
    memcpy(ret->console, task->console, sizeof ret->console);
    memcpy(ret->records, task->records, sizeof ret->records);
    return value;
}

int settle_trial(struct task *task, struct culprit_error *error)
{
    CULPRIT_CLEANUP(store_rollback) struct store_transaction transaction = {0};
    struct store *store = task->course->service->options.store;
    char purpose[32];
    struct stored_trial trial;
    unsigned number = 0;

    snprintf(purpose, sizeof purpose, "%s",
             trial_purpose_name((enum trial_purpose)task->lease.purpose));
    double value = describe_trial(task, purpose, &trial);
    int status = store_begin(store, &transaction, error);
    if (status == 0)
        status = add_trial(task, &trial, &number, error);
    if (status == 0)
        status = trial_event(task, &trial, number, value, error);
    if (status == 0)
        status = store_lease_end(store, task->lease.fence, error);
    if (status == 0)
        status = store_commit(&transaction, error);
    if (status == 0)
        log_trial(task, &trial, number);
    return status;
}
