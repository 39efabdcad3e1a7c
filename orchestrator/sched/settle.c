/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What came out of a worker goes into the store. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "sched/course.h"
#include "sched/utf8.h"

static bool was_cancelled(const struct task *task)
{
    if (task->status < 0)
        return task->status == -CULPRIT_CANCELLED;
    if (task->kind == TASK_TRIAL)
        return task->trial_result->outcome == OUTCOME_CANCELLED;
    return task->kind == TASK_BUILD && task->build_result.outcome == OUTCOME_CANCELLED;
}

/* Nothing came of it. */
static int settle_nothing(struct task *task, struct culprit_error *error)
{
    if (!task->lease.fence)
        return 0;
    return store_lease_end(task->course->service->options.store, task->lease.fence, error);
}

/* --- resolve ------------------------------------------------------------------------------ */

static bool job_metric_visible(const struct job *job, enum engine engine)
{
    unsigned bit = engine == ENGINE_REALTIME ? SEEN_BY_REALTIME : SEEN_BY_DETERMINISTIC;

    for (size_t i = 0; job->metric.name && i < job->workload_count; i++) {
        const struct metric_schema *metric = workload_metric_find(job->workloads[i].schema,
                                                                  job->metric.name);
        if (metric)
            return (metric->visibility & bit) != 0;
    }
    return true; /* none asked for, or one that only the run can name */
}

static int check_engine(const struct job *job, enum engine engine, struct culprit_error *error)
{
    if (engine == ENGINE_FUNCTIONAL && job->kind == JOB_BISECT)
        return culprit_fail(error, CULPRIT_UNSUPPORTED,
                            "the functional engine boots guests to look at them and gives no "
                            "verdicts: ask for guest.engine deterministic or realtime");
    if (!job_metric_visible(job, engine))
        return culprit_fail(error, CULPRIT_UNSUPPORTED,
                            "the engine '%s' cannot see the metric %s: `culprit workload %s` says "
                            "which engines can",
                            engine_name(engine), job->metric.name, job->workloads[0].schema->name);
    return 0;
}

static void repair_range(struct commit_range *range)
{
    for (unsigned i = 0; i < range->count; i++) {
        utf8_repair(range->commits[i].subject);
        utf8_repair(range->commits[i].author);
    }
}

/* The same memory under the store's names. */
static int put_range(struct store *store, int64_t job, const struct commit_range *range,
                     struct culprit_error *error)
{
    struct stored_commits commits = {.good_is_merge_base = range->good_is_merge_base};
    _cleanup_free_ struct stored_commit *items = calloc(range->count + 1, sizeof *items);

    if (!items)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot keep the range: out of memory");
    for (unsigned i = 0; i < range->count; i++) {
        const struct commit_info *info = &range->commits[i];
        items[i] = (struct stored_commit){
            .number = i,
            .subject = info->subject,
            .author = info->author,
            .author_time = info->author_time,
            .parents = info->parents,
            .parent_count = info->parent_count,
        };
        memcpy(items[i].id, info->id, sizeof items[i].id);
    }
    commits.items = items;
    commits.count = range->count;
    if (range->good_is_merge_base)
        memcpy(commits.good_asked, range->good_asked, sizeof commits.good_asked);
    return store_commits_put(store, job, &commits, error);
}

static int settle_resolve(struct task *task, struct culprit_error *error)
{
    CULPRIT_CLEANUP(store_rollback) struct store_transaction transaction = {0};
    struct course *course = task->course;
    struct service *service = course->service;
    struct store *store = service->options.store;

    if (task->status == 0 && !task->engine_later)
        task->status = check_engine(task->job, task->engine.engine, &task->error);
    if (task->status < 0)
        return conclude_failure(course, task->error.message, error);

    repair_range(&task->range);
    int status = store_begin(store, &transaction, error);
    if (status == 0)
        status = put_range(store, course->id, &task->range, error);
    if (status == 0)
        status = store_job_set_engine(store, course->id, task->engine.engine, task->engine.shift,
                                      error);
    if (status == 0)
        status = event_put(service, course->id, "range",
                           json_pack("{s:I, s:s, s:s}", "commits", (json_int_t)task->range.count,
                                     "good", task->range.commits[0].id, "bad",
                                     task->range.commits[task->range.count - 1].id),
                           error);
    if (status == 0)
        status = event_state(service, course->id, JOB_RUNNING, "", error);
    return status < 0 ? status : store_commit(&transaction, error);
}

static int settle_engine(struct task *task, struct culprit_error *error)
{
    struct course *course = task->course;

    if (task->status == 0)
        task->status = check_engine(task->job, task->engine.engine, &task->error);
    if (task->status < 0)
        return conclude_failure(course, task->error.message, error);
    return store_job_set_engine(course->service->options.store, course->id, task->engine.engine,
                                task->engine.shift, error);
}

/* --- builds ------------------------------------------------------------------------------- */

static bool can_be_used(struct service *service, const struct stored_build *build)
{
    _cleanup_free_ char *path = NULL;

    return build->outcome == OUTCOME_BUILD_FAILED ||
           blobs_path(service->options.blobs, build->image, &path, NULL) == 0;
}

static int build_event(struct task *task, const struct stored_build *build, bool fresh,
                       struct culprit_error *error)
{
    return event_put(task->course->service, task->course->id, "build",
                     json_pack("{s:s, s:s, s:b, s:s, s:f}", "commit", task->commit_id, "outcome",
                               outcome_name(build->outcome), "fresh", fresh, "message",
                               build->message ? build->message : "", "seconds",
                               fresh ? (double)build->wall_ns / 1e9 : 0.0),
                     error);
}

/* In the open transaction: the build stands for the commit, and the lease ends. */
static int use_build(struct task *task, const struct stored_build *build, int64_t id, bool fresh,
                     struct culprit_error *error)
{
    struct store *store = task->course->service->options.store;

    int status = store_build_use(store, task->course->id, task->lease.commit, task->lease.attempt,
                                 id, fresh, error);
    if (status == 0)
        status = build_event(task, build, fresh, error);
    if (status == 0)
        status = store_lease_end(store, task->lease.fence, error);
    return status;
}

static bool recipe_in_flight(const struct service *service, const struct task *except)
{
    for (const struct course *course = service->courses; course; course = course->next) {
        for (const struct task *task = course->tasks; task; task = task->next) {
            if (task != except && task->kind == TASK_BUILD &&
                strcmp(task->recipe, except->recipe) == 0)
                return true;
        }
    }
    return false;
}

/* 1: it goes on as something else. */
static int settle_identify(struct task *task, struct culprit_error *error)
{
    CULPRIT_CLEANUP(store_rollback) struct store_transaction transaction = {0};
    CULPRIT_CLEANUP(stored_build_clear) struct stored_build build = {0};
    struct service *service = task->course->service;

    if (task->status < 0) {
        int failed = conclude_failure(task->course, task->error.message, error);
        return failed < 0 ? failed : settle_nothing(task, error);
    }
    int status = store_build_find(service->options.store, task->recipe, &build, error);
    if (status < 0 && status != -CULPRIT_NOT_FOUND)
        return status;
    if (status < 0 || !can_be_used(service, &build)) {
        task->waiting = recipe_in_flight(service, task);
        if (task->waiting)
            return 1;
        task->kind = TASK_BUILD;
        status = dispatch_again(task, error);
        if (status < 0)
            task->kind = TASK_IDENTIFY; /* it is settled again, and nothing was built */
        return status < 0 ? status : 1;
    }
    status = store_begin(service->options.store, &transaction, error);
    if (status == 0)
        status = use_build(task, &build, build.id, false, error);
    return status < 0 ? status : store_commit(&transaction, error);
}

static void log_build(const struct task *task, const struct stored_build *build)
{
    char job[64], commit[64], outcome[64];

    snprintf(job, sizeof job, "JOB=%lld", (long long)task->course->id);
    snprintf(commit, sizeof commit, "COMMIT=%.12s", task->commit_id);
    snprintf(outcome, sizeof outcome, "OUTCOME=%s", outcome_name(build->outcome));
    log_info("build ended", job, commit, outcome, NULL);
}

/* The build as the store takes it; texts are lent from the task. */
static void describe_build(struct task *task, struct stored_build *ret)
{
    struct build_result *result = &task->build_result;

    utf8_repair(result->message);
    utf8_repair(result->release);
    utf8_repair(result->compiler);
    *ret = (struct stored_build){.outcome = result->outcome,
                                 .message = result->message,
                                 .build_id = result->build_id,
                                 .release = result->release,
                                 .compiler = result->compiler,
                                 .wall_ns = result->wall_ns};
    if (task->status < 0) {
        ret->outcome = OUTCOME_INFRA_FAILED;
        ret->message = task->error.message;
    }
    memcpy(ret->recipe, task->recipe, sizeof ret->recipe);
    if (ret->outcome == OUTCOME_OK)
        memcpy(ret->image, result->image_digest, sizeof ret->image);
    memcpy(ret->log, task->log, sizeof ret->log);
    memcpy(ret->config, task->config, sizeof ret->config);
}

static int settle_build(struct task *task, struct culprit_error *error)
{
    CULPRIT_CLEANUP(store_rollback) struct store_transaction transaction = {0};
    struct store *store = task->course->service->options.store;
    struct stored_build build;
    int64_t id = 0;

    describe_build(task, &build);
    bool fresh = task->status < 0 || task->build_result.fresh;
    int status = store_begin(store, &transaction, error);
    if (status == 0)
        status = store_build_add(store, &build, &id, error);
    if (status == 0)
        status = use_build(task, &build, id, fresh, error);
    if (status == 0)
        status = store_commit(&transaction, error);
    if (status == 0)
        log_build(task, &build);
    return status;
}

/* --- trials ------------------------------------------------------------------------------- */

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

/* A trial that is ok and lacks the metric that the job is about is of no use to it. */
static enum outcome judge_trial(struct task *task, double *ret_value)
{
    struct trial_result *result = task->trial_result;
    const char *metric = task->job->metric.name;

    *ret_value = (double)NAN;
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

static int trial_event(struct task *task, const struct stored_trial *trial, unsigned number,
                       double value, struct culprit_error *error)
{
    return event_put(task->course->service, task->course->id, "trial",
                     json_pack("{s:I, s:s, s:s, s:I, s:s, s:s, s:o, s:f}", "number",
                               (json_int_t)number, "commit", task->commit_id, "purpose",
                               trial->purpose, "seed", (json_int_t)trial->seed, "outcome",
                               outcome_name(trial->outcome), "message", trial->message, "value",
                               isfinite(value) ? json_real(value) : json_null(), "seconds",
                               (double)trial->wall_ns / 1e9),
                     error);
}

static void log_trial(const struct task *task, const struct stored_trial *trial, unsigned number)
{
    char job[64], name[64], commit[64], outcome[64];

    snprintf(job, sizeof job, "JOB=%lld", (long long)task->course->id);
    snprintf(name, sizeof name, "TRIAL=%u", number);
    snprintf(commit, sizeof commit, "COMMIT=%.12s", task->commit_id);
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
    }
    memcpy(ret->console, task->console, sizeof ret->console);
    memcpy(ret->records, task->records, sizeof ret->records);
    return value;
}

static int settle_trial(struct task *task, struct culprit_error *error)
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

/* --- all ---------------------------------------------------------------------------------- */

/* The report can do without the culprit's message: a failure here is none of the job's. */
static int settle_describe(struct task *task)
{
    struct course *course = task->course;

    course->described = true;
    course->message = take(task->message);
    course->diffstat = take(task->diffstat);
    utf8_repair(course->message);
    utf8_repair(course->diffstat);
    return 0;
}

static int settle_one(struct task *task, struct culprit_error *error)
{
    if (was_cancelled(task))
        return settle_nothing(task, error);
    switch (task->kind) {
    case TASK_RESOLVE:
        return settle_resolve(task, error);
    case TASK_ENGINE:
        return settle_engine(task, error);
    case TASK_IDENTIFY:
        return settle_identify(task, error);
    case TASK_BUILD:
        return settle_build(task, error);
    case TASK_TRIAL:
        return settle_trial(task, error);
    case TASK_DESCRIBE:
        return settle_describe(task);
    }
    return 0;
}

/* Those that waited for a build that has ended look for it again. */
static void release_waiting(struct service *service)
{
    for (struct course *course = service->courses; course; course = course->next) {
        for (struct task *task = course->tasks, *next; task; task = next) {
            next = task->next;
            if (task->waiting) {
                task->waiting = false;
                settle(task);
            }
        }
    }
}

static void log_result_refused(const struct course *course, const struct culprit_error *error)
{
    char job[64], reason[1100];

    snprintf(job, sizeof job, "JOB=%lld", (long long)course->id);
    snprintf(reason, sizeof reason, "REASON=%s", error->message);
    log_warning("a result was lost, the work will be done again", job, reason, NULL);
}

void settle(struct task *task)
{
    struct course *course = task->course;
    struct service *service = course->service;
    struct culprit_error error = {0};
    bool built = task->kind == TASK_BUILD;

    task->ended = true;
    utf8_repair(task->error.message);
    int status = settle_one(task, &error);
    if (status > 0) {
        task->ended = false;
        return;
    }
    if (status == -CULPRIT_CONFLICT || (status < 0 && service->stopping))
        log_result_refused(course, &error);
    if (status < 0 && status != -CULPRIT_CONFLICT && !service->stopping) {
        service_stall(service, course->id, &error);
        return; /* stays, to be settled again */
    }
    dispatch_drop(task);
    service_notify(service, course->id);
    if (built)
        release_waiting(service);
}

void settle_postponed(struct course *course)
{
    for (struct task *task = course->tasks, *next; task; task = next) {
        next = task->next;
        if (task->ended)
            settle(task);
    }
}
