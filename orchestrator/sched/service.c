/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The service's life: what it owns, when its jobs move on, and who is told. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "sched/course.h"
#include "sched/housekeeping.h"
#include "sched/mail_room.h"

/* A disk was full, a service away: somebody may have seen to it by then. */
#define RETRY_NS (10ull * 1000000000)

enum { SIDE_THREADS = 2, QUEUE_MAXIMUM = 1024 };

/* --- events of the loop ---------------------------------------------------------------------- */

void service_kick(struct service *service)
{
    if (service->started)
        sd_event_source_set_enabled(service->advance, SD_EVENT_ONESHOT);
}

static int on_kick_timer(sd_event_source *source, uint64_t usec, void *context)
{
    (void)source;
    (void)usec;
    service_kick(context);
    return 0;
}

static int on_retry(sd_event_source *source, uint64_t usec, void *context)
{
    struct service *service = context;

    service->retry_due = true;
    return on_kick_timer(source, usec, context);
}

static const char *describe_stall(enum culprit_code code)
{
    switch (code) {
    case CULPRIT_NO_SPACE:
        return "there is no room on a disk: what needs it waits";
    case CULPRIT_NO_MEMORY:
        return "there is no memory: what needs it waits";
    case CULPRIT_UNAVAILABLE:
    case CULPRIT_TIMED_OUT:
        return "a service does not answer: what needs it waits";
    case CULPRIT_LIMIT:
        return "more work waits than is allowed: some of it is put off";
    default:
        return "something failed that may pass: what needs it is tried again";
    }
}

bool service_stall_is_same(const char *message, const char *before)
{
    const char *particulars = strstr(message, " (");
    size_t length = particulars ? (size_t)(particulars - message) + 2 : strlen(message) + 1;

    return strncmp(message, before, length) == 0;
}

/* Once for as long as it lasts, however often it is tried meanwhile. */
static void tell_stall(struct service *service, int64_t job, const struct culprit_error *error)
{
    char name[64], reason[CULPRIT_MESSAGE_SIZE + 16];

    if (service_stall_is_same(error->message, service->told))
        return;
    snprintf(service->told, sizeof service->told, "%s", error->message);
    snprintf(name, sizeof name, "JOB=%lld", (long long)job);
    snprintf(reason, sizeof reason, "REASON=%s", error->message);
    log_error(describe_stall(error->code), name, reason, NULL);
}

void service_stall(struct service *service, int64_t job, const struct culprit_error *error)
{
    uint64_t pause_ns = service->options.retry_ns ? service->options.retry_ns : RETRY_NS;
    int enabled = SD_EVENT_OFF;

    tell_stall(service, job, error);
    snprintf(service->stalled, sizeof service->stalled, "%s", error->message);
    /* One that is set already stays: each new trouble would else put the others' retry off. */
    sd_event_source_get_enabled(service->retry, &enabled);
    if (enabled != SD_EVENT_OFF)
        return;
    sd_event_source_set_time_relative(service->retry, pause_ns / 1000);
    sd_event_source_set_enabled(service->retry, SD_EVENT_ONESHOT);
}

void service_hold(struct service *service, const char *why)
{
    snprintf(service->held, sizeof service->held, "%s", why ? why : "");
    service->retry_due = service->retry_due || !why;
    service_kick(service);
}

void service_wake_at(struct service *service, uint64_t deadline_ns)
{
    uint64_t set = 0, wanted = deadline_ns / 1000 + 1;
    int enabled = SD_EVENT_OFF;

    sd_event_source_get_enabled(service->deadline, &enabled);
    sd_event_source_get_time(service->deadline, &set);
    if (enabled != SD_EVENT_OFF && set <= wanted)
        return;
    sd_event_source_set_time(service->deadline, wanted);
    sd_event_source_set_enabled(service->deadline, SD_EVENT_ONESHOT);
}

/* --- subscriptions --------------------------------------------------------------------------- */

void service_notify(struct service *service, int64_t job)
{
    for (struct service_subscription *s = service->subscriptions; s; s = s->next) {
        if (s->job && s->job != job)
            continue;
        s->pending = true;
        s->pending_job = job;
        sd_event_source_set_enabled(service->wake, SD_EVENT_ONESHOT);
    }
}

static void remove_dead(struct service *service)
{
    struct service_subscription **place = &service->subscriptions;

    while (*place) {
        struct service_subscription *subscription = *place;
        if (!subscription->dead) {
            place = &subscription->next;
            continue;
        }
        *place = subscription->next;
        free(subscription);
    }
}

static int on_wake(sd_event_source *source, void *context)
{
    struct service *service = context;

    (void)source;
    service->waking = true;
    for (struct service_subscription *s = service->subscriptions; s; s = s->next) {
        if (!s->pending || s->dead)
            continue;
        s->pending = false;
        s->wake(s->pending_job, s->context);
    }
    service->waking = false;
    remove_dead(service);
    return 0;
}

int service_subscribe(struct service *service, int64_t job, service_wake wake, void *context,
                      struct service_subscription **ret, struct culprit_error *error)
{
    struct service_subscription *subscription = calloc(1, sizeof *subscription);
    if (!subscription)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot watch job %lld: out of memory",
                            (long long)job);
    *subscription = (struct service_subscription){
        .service = service,
        .next = service->subscriptions,
        .job = job,
        .wake = wake,
        .context = context,
    };
    service->subscriptions = subscription;
    *ret = subscription;
    return 0;
}

void service_unsubscribe(struct service_subscription *subscription)
{
    if (!subscription)
        return;
    subscription->dead = true;
    if (!subscription->service->waking)
        remove_dead(subscription->service);
}

/* --- moving jobs on -------------------------------------------------------------------------- */

static struct course *find_course(struct service *service, int64_t id)
{
    struct course *course = service->courses;
    while (course && course->id != id)
        course = course->next;
    return course;
}

static void insert_course(struct service *service, struct course *course)
{
    struct course **place = &service->courses;
    while (*place && (*place)->id < course->id)
        place = &(*place)->next;
    course->next = *place;
    *place = course;
}

/* The oldest unfinished jobs take part. One that cannot be taken up (a document that this version
 * does not read) is failed, or it would bar the way for ever. */
static int take_up_job(struct service *service, const struct stored_job *record,
                       struct culprit_error *error)
{
    struct course *course = NULL;
    struct culprit_error why = {0};

    if (find_course(service, record->id))
        return 0;
    if (course_new(service, record, &course, &why) == 0) {
        insert_course(service, course);
        return 0;
    }
    return event_state(service, record->id, JOB_FAILED, why.message, error);
}

static int take_up_jobs(struct service *service, struct culprit_error *error)
{
    CULPRIT_CLEANUP(stored_jobs_clear) struct stored_jobs jobs = {0};
    struct job_filter filter = {.state = -1, .active = true, .limit = service->options.active_jobs};

    int status = store_job_list(service->options.store, &filter, &jobs, error);
    for (size_t i = 0; status == 0 && i < jobs.count; i++)
        status = take_up_job(service, &jobs.items[i], error);
    return status;
}

static bool idle(const struct service *service)
{
    for (const struct course *course = service->courses; course; course = course->next) {
        if (course->tasks)
            return false;
    }
    return true;
}

/* Moves one course; removes it when its job is over. Gives the place of the next. */
static struct course **advance_course(struct service *service, struct course **place)
{
    struct course *course = *place;
    struct culprit_error error = {0};

    settle_postponed(course);
    int status = course_advance(course, &error);
    if (status < 0)
        service_stall(service, course->id, &error);
    if (status <= 0)
        return &course->next;
    *place = course->next;
    course_free(course);
    service_kick(service); /* another job may take its place */
    return place;
}

/* A course that rested has brought nothing to its end since. */
static bool still_troubled(const struct service *service)
{
    const struct course *course = service->courses;

    while (course && !course->noticed[0])
        course = course->next;
    return course != NULL;
}

/* What rests goes on in the round of a retry; in any other the service stays stalled. */
static void begin_round(struct service *service)
{
    service->stalled[0] = '\0';
    service->draining = false;
    for (struct course *course = service->courses; course; course = course->next) {
        if (service->retry_due)
            course->resting[0] = '\0';
        else if (course->resting[0])
            snprintf(service->stalled, sizeof service->stalled, "%s", course->resting);
    }
    service->retry_due = false;
}

static int on_advance(sd_event_source *source, void *context)
{
    struct service *service = context;
    struct culprit_error error = {0};

    (void)source;
    begin_round(service);
    if (!service->stopping && take_up_jobs(service, &error) < 0)
        service_stall(service, 0, &error);
    for (struct course **place = &service->courses; *place;)
        place = advance_course(service, place);
    if (!service->stalled[0] && !still_troubled(service))
        service->told[0] = '\0';
    if (service->stopping && service->stopped && idle(service)) {
        void (*stopped)(void *) = service->stopped;
        service->stopped = NULL;
        stopped(service->stopped_context);
    }
    return 0;
}

/* --- life ------------------------------------------------------------------------------------ */

static int add_sources(struct service *service, struct culprit_error *error)
{
    sd_event *event = service->options.event;

    int status = sd_event_add_defer(event, &service->advance, on_advance, service);
    if (status >= 0)
        status = sd_event_source_set_enabled(service->advance, SD_EVENT_OFF);
    if (status >= 0)
        status = sd_event_add_defer(event, &service->wake, on_wake, service);
    if (status >= 0)
        status = sd_event_source_set_enabled(service->wake, SD_EVENT_OFF);
    if (status >= 0)
        status = sd_event_add_time(event, &service->retry, CLOCK_BOOTTIME, UINT64_MAX, 0, on_retry,
                                   service);
    if (status >= 0)
        status = sd_event_source_set_enabled(service->retry, SD_EVENT_OFF);
    if (status >= 0)
        status = sd_event_add_time(event, &service->deadline, CLOCK_REALTIME, UINT64_MAX, 0,
                                   on_kick_timer, service);
    return status < 0 ? culprit_fail_errno(error, -status, "cannot set up the event loop") : 0;
}

static int add_parts(struct service *service, struct culprit_error *error)
{
    const struct service_options *options = &service->options;
    unsigned threads = options->build_slots + options->guest_slots + options->active_jobs;

    int status = worker_pool_new(options->event, "work", threads < 256 ? threads : 256,
                                 QUEUE_MAXIMUM, &service->pool, error);
    if (status == 0)
        status = worker_pool_new(options->event, "side", SIDE_THREADS, QUEUE_MAXIMUM,
                                 &service->side, error);
    if (status == 0)
        status = mail_room_new(service, &service->mail_room, error);
    if (status == 0)
        status = housekeeping_new(service, &service->housekeeping, error);
    return status;
}

int service_new(const struct service_options *options, struct service **ret,
                struct culprit_error *error)
{
    CULPRIT_CLEANUP(service_free) struct service *service = calloc(1, sizeof *service);
    if (!service)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot set up the service: out of memory");
    service->options = *options;
    if (!service->options.waiting_jobs)
        service->options.waiting_jobs = 1000;

    int status = add_sources(service, error);
    if (status == 0)
        status = add_parts(service, error);
    if (status < 0)
        return status;
    *ret = take(service);
    return 0;
}

int service_start(struct service *service, struct culprit_error *error)
{
    unsigned leases = 0;
    char count[64];
    _cleanup_free_ char *leftovers = path_join(service->options.state_directory, "work");
    if (!leftovers)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot start: out of memory");

    int status = store_leases_void(service->options.store, &leases, error);
    if (status == 0)
        status = file_remove_tree(leftovers, error);
    if (status == 0)
        status = file_make_directories(leftovers, 0711, error);
    if (status < 0)
        return status;
    if (leases) {
        snprintf(count, sizeof count, "COUNT=%u", leases);
        log_info("work that was cut short will be done again", count, NULL);
    }
    service->started = true;
    service_kick(service);
    mail_room_kick(service->mail_room);
    housekeeping_kick(service->housekeeping);
    return 0;
}

void service_stop(struct service *service, void (*stopped)(void *context), void *context)
{
    service->stopping = true;
    service->stopped = stopped;
    service->stopped_context = context;
    service_kick(service);
}

void service_free(struct service *service)
{
    if (!service)
        return;
    service->stopping = true;
    for (struct course *course = service->courses; course; course = course->next)
        course_cancel_tasks(course);
    worker_pool_free(service->pool); /* settles what ends */
    worker_pool_free(service->side);
    while (service->courses) {
        struct course *course = service->courses;
        service->courses = course->next;
        course_free(course);
    }
    mail_room_free(service->mail_room);
    housekeeping_free(service->housekeeping);
    for (struct service_subscription *s = service->subscriptions, *next; s; s = next) {
        next = s->next;
        free(s);
    }
    sd_event_source_unref(service->advance);
    sd_event_source_unref(service->wake);
    sd_event_source_unref(service->retry);
    sd_event_source_unref(service->deadline);
    free(service);
}
