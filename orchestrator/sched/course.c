/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/course.h"

#include <string.h>

#include "sched/pruning.h"

int course_new(struct service *service, const struct stored_job *record, struct course **ret,
               struct culprit_error *error)
{
    CULPRIT_CLEANUP(course_free) struct course *course = calloc(1, sizeof *course);
    if (!course)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot take up job %lld: out of memory",
                            (long long)record->id);
    course->service = service;
    course->id = record->id;
    int status = job_decode(record->normalised, strlen(record->normalised), NULL, &course->job,
                            error);
    if (status < 0)
        return culprit_error_prefix(error, "cannot take up job %lld", (long long)record->id);
    *ret = take(course);
    return 0;
}

void course_free(struct course *course)
{
    if (!course)
        return;
    while (course->tasks)
        dispatch_drop(course->tasks);
    job_free(course->job);
    free(course->message);
    free(course->diffstat);
    free(course->progress);
    free(course);
}

void course_cancel_tasks(struct course *course)
{
    for (struct task *task = course->tasks, *next; task; task = next) {
        next = task->next;
        if (task->kind != TASK_DESCRIBE)
            dispatch_cancel(task);
    }
}

void course_flight(const struct course *course, struct progress_flight *ret)
{
    const struct service_options *options = &course->service->options;
    uint64_t now = clock_monotonic(options->clock);

    *ret = (struct progress_flight){.build_slots = options->build_slots,
                                    .guest_slots = options->guest_slots};
    for (const struct task *task = course->tasks; task; task = task->next) {
        if (task->kind == TASK_TRIAL) {
            ret->trials++;
            ret->trial_ns += now - task->started_ns;
        } else if (task->kind == TASK_BUILD) {
            ret->builds++;
            ret->build_ns += now - task->started_ns;
        }
    }
}

/* Tells watchers when something in it changed since the last time. */
static int keep_progress(struct course *course, const struct dossier *dossier,
                         const struct decision *decision, struct culprit_error *error)
{
    CULPRIT_CLEANUP(store_rollback) struct store_transaction transaction = {0};
    struct service *service = course->service;
    struct progress_flight flight;

    course_flight(course, &flight);
    json_t *json = progress_json(dossier, decision, &flight);
    _cleanup_free_ char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    if (!text || (course->progress && strcmp(course->progress, text) == 0)) {
        json_decref(json);
        return 0;
    }
    int status = store_begin(service->options.store, &transaction, error);
    if (status == 0)
        status = store_job_set_progress(service->options.store, course->id, text, error);
    if (status == 0)
        status = event_put(service, course->id, "progress", json_incref(json), error);
    json_decref(json);
    if (status == 0)
        status = store_commit(&transaction, error);
    if (status < 0)
        return status;
    free(course->progress);
    course->progress = take(text);
    service_notify(service, course->id);
    return 0;
}

static int begin(struct course *course, struct culprit_error *error)
{
    CULPRIT_CLEANUP(store_rollback) struct store_transaction transaction = {0};
    struct service *service = course->service;

    int status = store_begin(service->options.store, &transaction, error);
    if (status == 0)
        status = event_state(service, course->id, JOB_PREPARING, "", error);
    if (status == 0)
        status = store_commit(&transaction, error);
    if (status < 0)
        return status;
    service_notify(service, course->id);
    service_kick(service);
    return 0;
}

/* What is still in flight is stopped first; the culprit is looked up; then the verdict stands. */
static int reach_verdict(struct course *course, const struct dossier *dossier,
                         const struct decision *decision, struct culprit_error *error)
{
    const struct bisect_step *step = &decision->step;

    course_cancel_tasks(course);
    if (course->tasks)
        return 0;
    if (step->verdict == VERDICT_CULPRIT && !course->described)
        return dispatch_describe(course, dossier->commits.items[step->culprit].id, error);
    return conclude_verdict(course, dossier, decision, error);
}

static int advance_running(struct course *course, const struct dossier *dossier,
                           struct culprit_error *error)
{
    CULPRIT_CLEANUP(decision_clear) struct decision decision = {0};
    struct service *service = course->service;
    uint64_t deadline = dossier_deadline(dossier);

    int status = decide(dossier, clock_realtime(service->options.clock), &decision, error);
    if (status == -CULPRIT_NO_MEMORY)
        return status; /* which says nothing about the job */
    if (status < 0)
        return conclude_failure(course, error ? error->message : "it cannot be planned", error);
    if (deadline && decision.kind == DECISION_WORK)
        service_wake_at(service, deadline);
    switch (decision.kind) {
    case DECISION_WORK:
        if (course->resting[0])
            break;
        if (pruning_is_due(dossier))
            status = dispatch_prune(course, dossier, error);
        if (status == 0)
            status = dispatch_wants(course, dossier, &decision, error);
        break;
    case DECISION_VERDICT:
        status = reach_verdict(course, dossier, &decision, error);
        break;
    case DECISION_FAILURE:
        return conclude_failure(course, decision.message, error);
    }
    if (status < 0 || (decision.kind == DECISION_VERDICT && !course->tasks))
        return status;
    return keep_progress(course, dossier, &decision, error);
}

static int advance_unfinished(struct course *course, const struct dossier *dossier,
                              struct culprit_error *error)
{
    if (dossier->record.cancel_requested) {
        course_cancel_tasks(course);
        return course->tasks ? 0 : conclude_cancelled(course, error);
    }
    switch (dossier->record.state) {
    case JOB_QUEUED:
        return begin(course, error);
    case JOB_PREPARING:
        if (!course->tasks && !course->resting[0]) {
            int status = dispatch_resolve(course, error);
            if (status < 0)
                return status;
        }
        return keep_progress(course, dossier, NULL, error);
    default:
        return advance_running(course, dossier, error);
    }
}

int course_advance(struct course *course, struct culprit_error *error)
{
    CULPRIT_CLEANUP(dossier_clear) struct dossier dossier = {0};

    if (course->service->stopping) {
        course_cancel_tasks(course);
        return 0;
    }
    int status = dossier_load(course->service->options.store, course->id, &dossier, error);
    if (status < 0)
        return status;
    dossier.guest_slots = course->service->options.guest_slots;
    if (!job_state_final(dossier.record.state))
        return advance_unfinished(course, &dossier, error);
    course_cancel_tasks(course);
    return course->tasks ? 0 : 1;
}
