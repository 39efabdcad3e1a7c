/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A build that was made, or was there already. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/utf8.h"
#include "sched/settle.h"

static bool can_be_used(struct service *service, const struct stored_build *build)
{
    _cleanup_free_ char *path = NULL;

    return build->outcome == OUTCOME_BUILD_FAILED ||
           blobs_path(service->options.blobs, build->image, &path, NULL) == 0;
}

static int build_event(struct task *task, const struct stored_build *build, bool fresh,
                       struct culprit_error *error)
{
    const char *variant = build_variant_name(task->variant);

    return event_put(task->course->service, task->course->id, "build",
                     json_pack("{s:s, s:s?, s:s, s:b, s:s, s:f}", "commit", task_commit(task),
                               "variant", variant[0] ? variant : NULL, "outcome",
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

    int status = store_build_use(store, task->course->id, task->lease.commit,
                                 build_variant_name(task->variant), task->lease.attempt, id, fresh,
                                 error);
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

int settle_identify(struct task *task, struct culprit_error *error)
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
    snprintf(commit, sizeof commit, "COMMIT=%.12s", task_commit(task));
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
    memcpy(ret->inputs, task->inputs, sizeof ret->inputs);
}

int settle_build(struct task *task, struct culprit_error *error)
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
