/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What came out of a worker goes into the store. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/utf8.h"
#include "sched/settle.h"

static bool was_cancelled(const struct task *task)
{
    if (task->status < 0)
        return task->status == -CULPRIT_CANCELLED;
    if (task->kind == TASK_TRIAL)
        return task->trial_result->outcome == OUTCOME_CANCELLED;
    return task->kind == TASK_BUILD && task->build_result.outcome == OUTCOME_CANCELLED;
}

/* Nothing came of it. */
int settle_nothing(struct task *task, struct culprit_error *error)
{
    if (!task->lease.fence)
        return 0;
    return store_lease_end(task->course->service->options.store, task->lease.fence, error);
}

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

/* Whether it failed for a reason that says nothing about the job and may pass by itself. What is
 * refused (no such fragment, not on this host) would be refused again. */
static bool may_pass(const struct task *task)
{
    switch (-task->status) {
    case CULPRIT_NO_SPACE:
    case CULPRIT_NO_MEMORY:
        return task->kind != TASK_DESCRIBE;
    case CULPRIT_UNAVAILABLE:
        return task->kind == TASK_IDENTIFY || task->kind == TASK_TRIAL || task->host_failed;
    case CULPRIT_TIMED_OUT:
    case CULPRIT_IO:
        return task->kind == TASK_IDENTIFY || task->host_failed;
    default:
        return false;
    }
}

/* Leaves no fact, for there is none: the course starts nothing until the next retry. */
static int rest(struct task *task, struct culprit_error *error)
{
    struct course *course = task->course;
    const char *why = task->error.message;

    int status = settle_nothing(task, error);
    if (status < 0)
        return status;
    snprintf(course->resting, sizeof course->resting, "%s", why);
    service_stall(course->service, course->id, &task->error);
    if (service_stall_is_same(why, course->noticed))
        return 0;
    snprintf(course->noticed, sizeof course->noticed, "%s", why);
    /* Where the store has no room either, health and log say it all the same. */
    event_put(course->service, course->id, "notice", json_pack("{s:s}", "message", why), NULL);
    return 0;
}

static int settle_one(struct task *task, struct culprit_error *error)
{
    if (was_cancelled(task))
        return settle_nothing(task, error);
    if (may_pass(task))
        return rest(task, error);
    if (task->kind != TASK_IDENTIFY && task->kind != TASK_ENGINE)
        task->course->noticed[0] = '\0'; /* it has come further than where it had rested */
    switch (task->kind) {
    case TASK_RESOLVE:
        return settle_resolve(task, error);
    case TASK_ENGINE:
        return settle_engine(task, error);
    case TASK_IDENTIFY:
        return settle_identify(task, error);
    case TASK_BUILD:
        return settle_build(task, error);
    case TASK_PRUNE:
        return settle_prune(task, error);
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

/* False when the result could not be kept: the task stays, to be settled again. */
static bool try_settle(struct task *task)
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
        return true;
    }
    if (status == -CULPRIT_CONFLICT || (status < 0 && service->stopping))
        log_result_refused(course, &error);
    if (status < 0 && status != -CULPRIT_CONFLICT && !service->stopping) {
        service_stall(service, course->id, &error);
        return false;
    }
    dispatch_drop(task);
    service_notify(service, course->id);
    if (built)
        release_waiting(service);
    return true;
}

void settle(struct task *task)
{
    try_settle(task);
}

static struct task *first_ended(const struct course *course)
{
    struct task *task = course->tasks;

    while (task && !task->ended)
        task = task->next;
    return task;
}

/* From the start after each one: what a build's end releases may drop further tasks of the course.
 */
void settle_postponed(struct course *course)
{
    struct task *task;

    while ((task = first_ended(course)))
        if (!try_settle(task))
            return;
}
