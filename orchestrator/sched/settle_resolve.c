/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commits and the engine of a job. */
#include <string.h>

#include "base/utf8.h"
#include "sched/calibrations.h"
#include "sched/settle.h"

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

/* From now on the job has it, or has none: it plans by its own facts. */
static int attach_calibration(const struct task *task, struct culprit_error *error)
{
    const struct service_options *options = &task->course->service->options;

    return calibration_attach(options->store, options->catalogue, task->course->id, task->job,
                              task->engine.engine, task->engine.shift, error);
}

int settle_resolve(struct task *task, struct culprit_error *error)
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
                                      task->engine.second_shift, error);
    if (status == 0 && !task->engine_later)
        status = attach_calibration(task, error);
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

int settle_engine(struct task *task, struct culprit_error *error)
{
    CULPRIT_CLEANUP(store_rollback) struct store_transaction transaction = {0};
    struct course *course = task->course;
    struct store *store = course->service->options.store;

    if (task->status == 0)
        task->status = check_engine(task->job, task->engine.engine, &task->error);
    if (task->status < 0)
        return conclude_failure(course, task->error.message, error);
    int status = store_begin(store, &transaction, error);
    if (status == 0)
        status = store_job_set_engine(store, course->id, task->engine.engine, task->engine.shift,
                                      task->engine.second_shift, error);
    if (status == 0)
        status = attach_calibration(task, error);
    return status < 0 ? status : store_commit(&transaction, error);
}
