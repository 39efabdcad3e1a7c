/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of a job: verdict, state, event and mail in one transaction. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/utf8.h"
#include "sched/conclusion.h"
#include "sched/course.h"
#include "sched/housekeeping.h"
#include "sched/mail_room.h"
#include "store/outbox.h"

enum { MAIL_MAXIMUM = 16 * 1024 * 1024 };

/* In the open transaction, after all else of the job is there. A report that cannot be written
 * must not keep the verdict from standing: then the job says so. */
static int put_mail(struct course *course, struct culprit_error *error)
{
    CULPRIT_CLEANUP(dossier_clear) struct dossier dossier = {0};
    _cleanup_buffer_ struct buffer message = BUFFER_INIT(MAIL_MAXIMUM);
    struct service *service = course->service;
    struct culprit_error why = {0};

    if (!service->options.mailer || !course->job->mail.count)
        return 0;
    int status = dossier_load(service->options.store, course->id, &dossier, error);
    if (status < 0)
        return status;
    if (report_write(service, &dossier, REPORT_FORM_MAIL, &message, &why) < 0) {
        culprit_error_prefix(&why, "the report could not be mailed");
        return event_put(service, course->id, "notice", json_pack("{s:s}", "message", why.message),
                         error);
    }
    return store_mail_add(service->options.store, course->id, &course->job->mail, message.data,
                          error);
}

static void log_end(const struct course *course, enum job_state state, const char *message)
{
    char job[64], name[64], text[1200];

    snprintf(job, sizeof job, "JOB=%lld", (long long)course->id);
    snprintf(name, sizeof name, "STATE=%s", job_state_name(state));
    snprintf(text, sizeof text, "MESSAGE=%.1100s", message);
    log_info("job ended", job, name, text, NULL);
}

/* The last steps of every end, in the open transaction, which they commit. */
static int end_job(struct course *course, struct store_transaction *transaction,
                   enum job_state state, const char *message, struct culprit_error *error)
{
    struct service *service = course->service;

    int status = event_state(service, course->id, state, message, error);
    if (status == 0 && state != JOB_CANCELLED)
        status = put_mail(course, error);
    if (status == 0)
        status = store_commit(transaction, error);
    if (status < 0)
        return status;
    log_end(course, state, message);
    service_notify(service, course->id);
    mail_room_kick(service->mail_room);
    housekeeping_kick(service->housekeeping);
    service_kick(service);
    return 0;
}

/* Nothing is certain: a posterior that would be written as 1 is given as a bound. */
static void format_confidence(double posterior, char *ret, size_t size)
{
    static const double most = 0.9999;

    if (posterior > most)
        snprintf(ret, size, "above %.4g", most);
    else
        snprintf(ret, size, "of %.4g", posterior);
}

static char *verdict_message(const struct dossier *dossier, const struct decision *decision)
{
    char confidence[32];

    if (decision->step.verdict != VERDICT_CULPRIT)
        return conclusion_reason(dossier, decision->step.reason);
    const struct stored_commit *culprit = &dossier->commits.items[decision->step.culprit];
    format_confidence(decision->step.posterior, confidence, sizeof confidence);
    return text_format("the culprit is %.12s (\"%s\"), with a confidence %s", culprit->id,
                       culprit->subject, confidence);
}

static int put_verdict(struct course *course, const struct dossier *dossier,
                       const struct decision *decision, const char *message,
                       struct culprit_error *error)
{
    struct service *service = course->service;
    struct conclusion_commit commit = {course->message, course->diffstat};
    json_t *result = conclusion_json(dossier, decision, &commit);
    _cleanup_free_ char *text = result ? json_dumps(result, JSON_COMPACT) : NULL;

    json_decref(result);
    if (!text)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot write the verdict: out of memory");
    int status = store_job_set_result(service->options.store, course->id, decision->verdict, text,
                                      error);
    if (status < 0)
        return status;
    return event_put(service, course->id, "verdict",
                     json_pack("{s:s, s:s}", "verdict", decision->verdict, "message", message),
                     error);
}

/* The progress of a job that is over. */
static int put_final_progress(struct course *course, struct culprit_error *error)
{
    CULPRIT_CLEANUP(dossier_clear) struct dossier dossier = {0};
    struct progress_flight flight = {.build_slots = 1, .guest_slots = 1};
    struct store *store = course->service->options.store;

    int status = dossier_load(store, course->id, &dossier, error);
    if (status < 0)
        return status;
    dossier.record.state = JOB_DONE;
    json_t *json = progress_json(&dossier, NULL, &flight);
    _cleanup_free_ char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    return text ? store_job_set_progress(store, course->id, text, error) : 0;
}

int conclude_verdict(struct course *course, const struct dossier *dossier,
                     const struct decision *decision, struct culprit_error *error)
{
    CULPRIT_CLEANUP(store_rollback) struct store_transaction transaction = {0};
    _cleanup_free_ char *message = verdict_message(dossier, decision);

    if (!message)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot write the verdict: out of memory");
    int status = store_begin(course->service->options.store, &transaction, error);
    if (status == 0)
        status = put_verdict(course, dossier, decision, message, error);
    if (status == 0)
        status = put_final_progress(course, error);
    if (status == 0)
        status = end_job(course, &transaction, JOB_DONE, message, error);
    return status;
}

static int end_without_verdict(struct course *course, enum job_state state, const char *message,
                               struct culprit_error *error)
{
    CULPRIT_CLEANUP(store_rollback) struct store_transaction transaction = {0};

    int status = store_begin(course->service->options.store, &transaction, error);
    if (status == 0)
        status = put_final_progress(course, error);
    if (status == 0)
        status = end_job(course, &transaction, state, message, error);
    return status;
}

/* Of two tasks that fail side by side the first has ended the job: one end, one mail. */
static int is_over(struct course *course, bool *ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(stored_job_clear) struct stored_job job = {0};

    int status = store_job_get(course->service->options.store, course->id, &job, error);
    *ret = status == 0 && job_state_final(job.state);
    return status;
}

int conclude_failure(struct course *course, const char *message, struct culprit_error *error)
{
    char copy[1024];
    bool over = false;

    /* `message` may be the error's own, which is written to. */
    snprintf(copy, sizeof copy, "%s", message);
    utf8_repair(copy); /* it may have been cut, and an event that is no JSON would stall the job */
    course_cancel_tasks(course);
    int status = is_over(course, &over, error);
    return status < 0 || over ? status : end_without_verdict(course, JOB_FAILED, copy, error);
}

int conclude_cancelled(struct course *course, struct culprit_error *error)
{
    return end_without_verdict(course, JOB_CANCELLED, "cancelled on request", error);
}
