/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A scheduler on a test stand: real store, blobs, loop and workers in a directory of the test's
 * own, scripted work and mail. It can be taken down and put up again on the same directory, as a
 * restarted daemon is.
 */
#ifndef CULPRIT_TESTS_SCHED_STAND_H
#define CULPRIT_TESTS_SCHED_STAND_H

#include "sched/service.h"
#include "scratch.h"
#include "scripted_mailer.h"
#include "scripted_work.h"

struct stand {
    const char *directory;
    const struct scripted_script *script;
    struct scripted_mailer mail;
    bool without_mailer;
    unsigned build_slots, guest_slots, active_jobs; /* 0: 1, 2, 2 */
    uint64_t store_maximum;
    struct blobs_limits keep;
    int64_t clock_offset_ns; /* added to the time of day that the scheduler sees */
    uint64_t patience_usec;  /* 0: 60 s */
    uint64_t retry_ns;       /* 0: 1 ms */

    struct clock clock;
    sd_event *event;
    struct store *store;
    struct blobs *blobs;
    struct catalogue *catalogue;
    struct work *work;
    struct service *service;
    bool stopped;
    int64_t waited_job;
    unsigned facts_to_go;
};

void stand_up(struct stand *stand);
/* As SIGTERM does: stops and waits for what is in flight. */
void stand_down(struct stand *stand);

/* Submits a job of the stand's history; `extra` is appended to the document; NULL: nothing. */
int64_t stand_submit_bisect(struct stand *stand, const char *extra);
int64_t stand_submit_run(struct stand *stand, const char *extra);
int64_t stand_submit(struct stand *stand, const char *document);

/* Runs the loop until the job is over; fails the test when it takes too long. */
void stand_finish(struct stand *stand, int64_t job);
/* Runs the loop until so many more builds or trials were stored, or the job is over; true when it
 * is over. */
bool stand_step(struct stand *stand, int64_t job, unsigned facts);
/* Restarts the scheduler at every fact until the job is over; how often. */
unsigned stand_finish_restarting(struct stand *stand, int64_t job);
/* Runs the loop until `ready` says so. */
void stand_until(struct stand *stand, bool (*ready)(struct stand *stand));

/* For stand_until(): something is in flight, or the service says that it is stalled. */
bool stand_guest_is_held(struct stand *stand);
bool stand_build_is_held(struct stand *stand);
bool stand_is_stalled(struct stand *stand);

/* Leaves no room in the store (which needs a maximum). */
void stand_fill_store(struct stand *stand, int64_t job);

/* The job as the service gives it; the caller's. */
json_t *stand_job(struct stand *stand, int64_t job);
/* Fails the test unless the job is in `state` and its message contains `part`. */
void stand_expect_end(struct stand *stand, int64_t job, const char *state, const char *part);
/* Fails the test unless job[key] (a path with dots) is the text. */
void stand_expect(struct stand *stand, int64_t job, const char *key, const char *text);

#endif
