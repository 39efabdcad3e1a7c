/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/mail_room.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "sched/course.h"
#include "store/outbox.h"

#define FIRST_PAUSE_NS   (30ull * 1000000000)
#define LONGEST_PAUSE_NS (3600ull * 1000000000)

struct mail_room {
    struct service *service;
    sd_event_source *timer;
    struct stored_mail mail; /* being delivered; id 0: none */
    bool delivering;         /* a worker has it */
    int status;
    struct culprit_error error;
};

static int on_timer(sd_event_source *source, uint64_t usec, void *context)
{
    (void)source;
    (void)usec;
    mail_room_kick(context);
    return 0;
}

int mail_room_new(struct service *service, struct mail_room **ret, struct culprit_error *error)
{
    struct mail_room *room = calloc(1, sizeof *room);
    if (!room)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot set up the outbox: out of memory");
    room->service = service;
    int status = sd_event_add_time(service->options.event, &room->timer, CLOCK_BOOTTIME, UINT64_MAX,
                                   0, on_timer, room);
    if (status < 0) {
        free(room);
        return culprit_fail_errno(error, -status, "cannot set up the outbox");
    }
    *ret = room;
    return 0;
}

void mail_room_free(struct mail_room *room)
{
    if (!room)
        return;
    sd_event_source_unref(room->timer);
    stored_mail_clear(&room->mail);
    free(room);
}

static void wait_for(struct mail_room *room, uint64_t pause_ns)
{
    sd_event_source_set_time_relative(room->timer, pause_ns / 1000);
    sd_event_source_set_enabled(room->timer, SD_EVENT_ONESHOT);
}

static uint64_t pause_after(const struct mail_room *room)
{
    uint64_t first = room->service->options.mail_retry_ns;
    unsigned doublings = room->mail.attempts < 16 ? room->mail.attempts : 16;
    uint64_t pause = (first ? first : FIRST_PAUSE_NS) << doublings;

    return pause < LONGEST_PAUSE_NS ? pause : LONGEST_PAUSE_NS;
}

/* The server refused this message: it would do so again. Whatever else went wrong may pass. */
static bool refused(int status)
{
    return status == -CULPRIT_FAILED || status == -CULPRIT_DENIED || status == -CULPRIT_INVALID ||
           status == -CULPRIT_UNSUPPORTED;
}

static enum mail_state state_after(int status)
{
    return status == 0 ? MAIL_DELIVERED : refused(status) ? MAIL_REFUSED : MAIL_WAITING;
}

static int record(struct mail_room *room, enum mail_state state, struct culprit_error *error)
{
    CULPRIT_CLEANUP(store_rollback) struct store_transaction transaction = {0};
    struct service *service = room->service;
    const char *message = state == MAIL_DELIVERED ? "" : room->error.message;
    uint64_t next = clock_realtime(service->options.clock) + pause_after(room);

    int status = store_begin(service->options.store, &transaction, error);
    if (status == 0)
        status = store_mail_update(service->options.store, room->mail.id, state, next, message,
                                   error);
    if (status == 0)
        status = event_put(
            service, room->mail.job, "mail",
            json_pack("{s:s, s:s}", "state", mail_state_name(state), "message", message), error);
    return status < 0 ? status : store_commit(&transaction, error);
}

static void log_outcome(const struct mail_room *room, enum mail_state state)
{
    char job[64], reason[1100];

    snprintf(job, sizeof job, "JOB=%lld", (long long)room->mail.job);
    snprintf(reason, sizeof reason, "REASON=%s", room->error.message);
    if (state == MAIL_DELIVERED)
        log_info("mail delivered", job, NULL);
    else if (state == MAIL_REFUSED)
        log_error("mail refused for good", job, reason, NULL);
    else
        log_warning("mail not delivered, will be tried again", job, reason, NULL);
}

/* While the store cannot take the outcome, it is kept here and tried again: a message that was
 * delivered is not sent a second time for want of space. */
static void settle_mail(struct mail_room *room)
{
    enum mail_state state = state_after(room->status);
    struct culprit_error error = {0};
    int64_t job = room->mail.job;

    if (record(room, state, &error) < 0) {
        service_stall(room->service, job, &error);
        wait_for(room, FIRST_PAUSE_NS);
        return;
    }
    log_outcome(room, state);
    stored_mail_clear(&room->mail);
    service_notify(room->service, job);
    mail_room_kick(room);
}

static void on_run(void *argument, struct cancel *cancel)
{
    struct mail_room *room = argument;
    struct mailer *mailer = room->service->options.mailer;

    room->status = mailer->ops->deliver(mailer, &room->mail.recipients, room->mail.message, cancel,
                                        &room->error);
}

static void on_done(void *argument, bool ran)
{
    struct mail_room *room = argument;

    room->delivering = false;
    if (!ran || room->status == -CULPRIT_CANCELLED) {
        stored_mail_clear(&room->mail); /* the next start finds it in the outbox */
        return;
    }
    settle_mail(room);
}

static void deliver(struct mail_room *room)
{
    room->error = (struct culprit_error){0};
    room->status = 0;
    room->delivering = worker_submit(room->service->side, on_run, on_done, room, NULL) == 0;
    if (!room->delivering) {
        stored_mail_clear(&room->mail);
        wait_for(room, FIRST_PAUSE_NS);
    }
}

void mail_room_kick(struct mail_room *room)
{
    if (!room || room->delivering || room->service->stopping || !room->service->options.mailer)
        return;
    if (room->mail.id) {
        settle_mail(room);
        return;
    }
    int status = store_mail_next(room->service->options.store, &room->mail, NULL);
    if (status < 0 && status != -CULPRIT_NOT_FOUND)
        wait_for(room, FIRST_PAUSE_NS); /* nobody else would come back to it */
    if (status < 0)
        return;
    uint64_t now = clock_realtime(room->service->options.clock);
    if (room->mail.next_ns > now) {
        wait_for(room, room->mail.next_ns - now);
        stored_mail_clear(&room->mail);
        return;
    }
    deliver(room);
}
