/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the scheduler: the jobs that take turns at the slots, each with its work in flight, and
 * what moves them on. The store is the truth; a course holds only what dies with the process.
 *
 * course.c decides from the facts what to start, settle.c puts results into the store, conclude.c
 * ends a job, task.c is what runs in a worker.
 */
#ifndef CULPRIT_SCHED_COURSE_H
#define CULPRIT_SCHED_COURSE_H

#include "base/worker.h"
#include "sched/decide.h"
#include "sched/progress.h"
#include "sched/service.h"
#include "sched/task.h"

struct mail_room;
struct housekeeping;

enum want_slot { SLOT_BUILD, SLOT_GUEST };

struct course {
    struct service *service;
    int64_t id;
    struct job *job;
    struct task *tasks;
    struct course *next;
    bool described; /* the culprit's commit was asked for */
    char *message, *diffstat;
    char *progress;                     /* as last stored */
    char resting[CULPRIT_MESSAGE_SIZE]; /* what its work waits for, which may pass by itself; "":
                                           not */
    char noticed[CULPRIT_MESSAGE_SIZE]; /* the last such sentence among its events */
};

struct service_subscription {
    struct service *service;
    struct service_subscription *next;
    int64_t job;
    service_wake wake;
    void *context;
    bool pending, dead;
    int64_t pending_job;
};

struct service {
    struct service_options options;
    struct worker_pool *pool; /* the jobs' work */
    struct worker_pool *side; /* mail and clearing up */
    struct course *courses;   /* by id */
    unsigned builds_busy, guests_busy;
    bool exclusive_running; /* a realtime guest has the host */
    bool draining;          /* one waits for it: start nothing more in this round */

    bool started, stopping;
    void (*stopped)(void *context);
    void *stopped_context;
    char
        stalled[CULPRIT_MESSAGE_SIZE]; /* why something waits that should go on; "": nothing does */
    char told[CULPRIT_MESSAGE_SIZE];   /* the last such sentence in the log */
    char held[CULPRIT_MESSAGE_SIZE];   /* of service_hold() */
    bool retry_due;                    /* what rests is to be tried again in this round */

    sd_event_source *advance;  /* deferred: something changed */
    sd_event_source *wake;     /* deferred: subscribers are to be told */
    sd_event_source *retry;    /* timer: something stalled */
    sd_event_source *deadline; /* timer: a time budget ends */
    struct service_subscription *subscriptions;
    bool waking;

    struct mail_room *mail_room;
    struct housekeeping *housekeeping;
};

/* --- service.c */
void service_kick(struct service *service); /* advance soon */
void service_notify(struct service *service, int64_t job);
/* Something did not go on that may go on later: says so, and has it tried again in a while. */
void service_stall(struct service *service, int64_t job, const struct culprit_error *error);
/* Whether two such sentences say the same trouble: particulars in brackets (bytes that are left,
 * names of temporary files) change with each try. */
bool service_stall_is_same(const char *message, const char *before);
/* When the next time budget ends, if that is sooner than what is set. */
void service_wake_at(struct service *service, uint64_t deadline_ns);

/* --- course.c */
int course_new(struct service *service, const struct stored_job *record, struct course **ret,
               struct culprit_error *error);
void course_free(struct course *course);
DEFINE_CLEANUP(struct course *, course_free);

/* What the course can do now, within the slots that are free. 1: the job is over and the course
 * can go. */
int course_advance(struct course *course, struct culprit_error *error);

/* Asks all of its work to stop. */
void course_cancel_tasks(struct course *course);
void course_flight(const struct course *course, struct progress_flight *ret);

/* --- dispatch.c */
int dispatch_resolve(struct course *course, struct culprit_error *error);
/* Finds out which commits cannot change the image, unless that is under way. */
int dispatch_prune(struct course *course, const struct dossier *dossier,
                   struct culprit_error *error);
int dispatch_describe(struct course *course, const char *commit_id, struct culprit_error *error);
/* Starts what is wanted and is not in flight, as far as the slots go. */
int dispatch_wants(struct course *course, const struct dossier *dossier,
                   const struct decision *decision, struct culprit_error *error);
/* Again into a worker, as the kind that it is now. */
int dispatch_again(struct task *task, struct culprit_error *error);
/* Removes it from its course and frees its slot. */
void dispatch_drop(struct task *task);
/* Asks it to stop. One that no worker has is gone afterwards. */
void dispatch_cancel(struct task *task);

/* --- settle.c */
/* Puts what came out into the store and drops the task; when the store is full the task stays, to
 * be settled later. What failed for a reason that may pass leaves no fact: its course rests. */
void settle(struct task *task);
void settle_postponed(struct course *course);

/* --- conclude.c */
int conclude_verdict(struct course *course, const struct dossier *dossier,
                     const struct decision *decision, struct culprit_error *error);
int conclude_failure(struct course *course, const char *message, struct culprit_error *error);
int conclude_cancelled(struct course *course, struct culprit_error *error);

/* --- events.c: each adds one event in the open transaction. The data is stolen. */
int event_put(struct service *service, int64_t job, const char *type, json_t *data,
              struct culprit_error *error);
int event_state(struct service *service, int64_t job, enum job_state state, const char *message,
                struct culprit_error *error);

/* --- queries.c: "2026-01-02T03:04:05Z"; null for 0. */
json_t *time_json(uint64_t ns);

/* --- answers.c: the report of a job in one of its forms, whatever the job's state; appended to
 * ret. */
int report_write(const struct service *service, const struct dossier *dossier,
                 enum report_form form, struct buffer *ret, struct culprit_error *error);

#endif
