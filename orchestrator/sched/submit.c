/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What people do to jobs: submit, cancel, submit again. */
#include <string.h>

#include "sched/calibrations.h"
#include "sched/course.h"

/* 0: there is none; 1: the job of the same key and document. */
static int find_by_key(struct service *service, const char *key, const char *document,
                       int64_t *ret_id, struct culprit_error *error)
{
    CULPRIT_CLEANUP(stored_job_clear) struct stored_job job = {0};

    int status = store_job_by_key(service->options.store, key, &job, error);
    if (status == -CULPRIT_NOT_FOUND)
        return 0;
    if (status < 0)
        return status;
    if (strcmp(job.document, document) != 0)
        return culprit_fail(error, CULPRIT_CONFLICT,
                            "the idempotency key '%s' was used for job %lld, with another document",
                            key, (long long)job.id);
    *ret_id = job.id;
    return 1;
}

static int check_room(struct service *service, struct culprit_error *error)
{
    uint64_t counts[JOB_STATE_COUNT];

    int status = store_job_counts(service->options.store, counts, error);
    if (status < 0)
        return status;
    if (counts[JOB_QUEUED] + counts[JOB_PREPARING] + counts[JOB_RUNNING] >=
        service->options.waiting_jobs)
        return culprit_fail(error, CULPRIT_LIMIT,
                            "%u jobs are unfinished already: submit again when some are done",
                            service->options.waiting_jobs);
    return 0;
}

static const char queued_progress[] =
    "{\"phase\":\"queued\",\"commits\":0,\"suspects\":0,"
    "\"builds\":{\"fresh\":0,\"reused\":0,\"failed\":0,\"running\":0},"
    "\"trials\":{\"done\":0,\"failed\":0,\"running\":0},\"expected\":null,\"seconds_left\":null}";

static int add_job(struct service *service, const struct stored_job *draft, int64_t *ret_id,
                   struct culprit_error *error)
{
    CULPRIT_CLEANUP(store_rollback) struct store_transaction transaction = {0};
    struct store *store = service->options.store;

    int status = store_begin(store, &transaction, error);
    if (status == 0)
        status = store_job_add(store, draft, ret_id, error);
    if (status == 0)
        status = store_job_set_progress(store, *ret_id, queued_progress, error);
    if (status == 0)
        status = event_put(service, *ret_id, "state",
                           json_pack("{s:s, s:s}", "state", "queued", "message", ""), error);
    return status < 0 ? status : store_commit(&transaction, error);
}

static int submit_job(struct service *service, struct job *job, char *document, const char *key,
                      int64_t *ret_id, struct culprit_error *error)
{
    json_t *json = job_json(job);
    _cleanup_free_ char *normalised = json ? json_dumps(json, JSON_COMPACT) : NULL;
    _cleanup_free_ char *kind = strdup(job_kind_name(job->kind));
    _cleanup_free_ char *own_key = key ? strdup(key) : NULL;

    json_decref(json);
    if (!normalised || !kind || (key && !own_key))
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot take the job: out of memory");
    struct stored_job draft = {
        .name = job->name,
        .kind = kind,
        .document = document,
        .normalised = normalised,
        .key = own_key,
    };
    return add_job(service, &draft, ret_id, error);
}

int service_submit(struct service *service, const char *document, size_t length, const char *key,
                   int64_t *ret_id, bool *ret_created, struct culprit_error *error)
{
    CULPRIT_CLEANUP(job_free) struct job *job = NULL;
    _cleanup_free_ char *copy = NULL;
    int64_t id = 0;

    int status = job_decode(document, length, catalogue_environment(service->options.catalogue),
                            &job, error);
    if (status < 0)
        return status;
    copy = strndup(document, length);
    if (!copy)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot take the job: out of memory");
    status = key ? find_by_key(service, key, copy, ret_id, error) : 0;
    if (status > 0)
        *ret_created = false;
    if (status != 0)
        return status < 0 ? status : 0;

    status = check_room(service, error);
    if (status == 0)
        status = submit_job(service, job, copy, key, &id, error);
    if (status < 0)
        return status;
    *ret_id = id;
    *ret_created = true;
    service_notify(service, id);
    service_kick(service);
    return 0;
}

int service_cancel(struct service *service, int64_t id, struct culprit_error *error)
{
    CULPRIT_CLEANUP(stored_job_clear) struct stored_job job = {0};
    CULPRIT_CLEANUP(store_rollback) struct store_transaction transaction = {0};
    struct store *store = service->options.store;

    int status = store_job_get(store, id, &job, error);
    if (status < 0)
        return status;
    if (job_state_final(job.state))
        return culprit_fail(error, CULPRIT_CONFLICT, "job %lld is %s already", (long long)id,
                            job_state_name(job.state));
    if (job.cancel_requested)
        return 0;
    status = store_begin(store, &transaction, error);
    if (status == 0)
        status = store_job_request_cancel(store, id, error);
    if (status == 0)
        status = event_put(service, id, "notice",
                           json_pack("{s:s}", "message", "the job is being cancelled"), error);
    /* One that never began has nothing to stop, and would else wait for its turn. */
    if (status == 0 && job.state == JOB_QUEUED)
        status = event_state(service, id, JOB_CANCELLED, "cancelled on request", error);
    if (status == 0)
        status = store_commit(&transaction, error);
    if (status < 0)
        return status;
    service_notify(service, id);
    service_kick(service);
    return 0;
}

int service_rerun(struct service *service, int64_t id, int64_t *ret_id, struct culprit_error *error)
{
    CULPRIT_CLEANUP(stored_job_clear) struct stored_job job = {0};
    bool created;

    int status = store_job_get(service->options.store, id, &job, error);
    if (status < 0)
        return status;
    status = service_submit(service, job.document, strlen(job.document), NULL, ret_id, &created,
                            error);
    /* What is repeated is planned as it was. It has not begun yet: that is the loop's to do. */
    return status < 0 ? status : calibration_inherit(service->options.store, id, *ret_id, error);
}
