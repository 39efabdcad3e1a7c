/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/housekeeping.h"

#include <limits.h>
#include <stdio.h>

#include "base/log.h"
#include "sched/course.h"
#include "store/facts.h"

#define PERIOD_USEC (3600ull * 1000000)

struct housekeeping {
    struct service *service;
    sd_event_source *timer;
    bool busy; /* a worker sweeps */
    struct strv keep;
    struct blobs_limits limits;
    struct blobs_swept swept;
    int status;
    struct culprit_error error;
};

static int on_timer(sd_event_source *source, uint64_t usec, void *context)
{
    (void)source;
    (void)usec;
    housekeeping_kick(context);
    return 0;
}

int housekeeping_new(struct service *service, struct housekeeping **ret,
                     struct culprit_error *error)
{
    struct housekeeping *housekeeping = calloc(1, sizeof *housekeeping);
    if (!housekeeping)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot set up housekeeping: out of memory");
    housekeeping->service = service;
    int status = sd_event_add_time(service->options.event, &housekeeping->timer, CLOCK_BOOTTIME,
                                   UINT64_MAX, PERIOD_USEC / 60, on_timer, housekeeping);
    if (status < 0) {
        free(housekeeping);
        return culprit_fail_errno(error, -status, "cannot set up housekeeping");
    }
    *ret = housekeeping;
    return 0;
}

void housekeeping_free(struct housekeeping *housekeeping)
{
    if (!housekeeping)
        return;
    sd_event_source_unref(housekeeping->timer);
    strv_free(&housekeeping->keep);
    free(housekeeping);
}

static void keep_digest(struct strv *keep, const char *digest)
{
    if (digest[0])
        strv_append(keep, digest);
}

static int keep_job(struct store *store, int64_t job, struct strv *keep,
                    struct culprit_error *error)
{
    CULPRIT_CLEANUP(stored_builds_clear) struct stored_builds builds = {0};
    CULPRIT_CLEANUP(stored_trials_clear) struct stored_trials trials = {0};

    int status = store_builds_get(store, job, &builds, error);
    if (status == 0)
        status = store_trials_get(store, job, &trials, error);
    for (size_t i = 0; status == 0 && i < builds.count; i++) {
        keep_digest(keep, builds.items[i].image);
        keep_digest(keep, builds.items[i].log);
        keep_digest(keep, builds.items[i].config);
        keep_digest(keep, builds.items[i].inputs);
    }
    for (size_t i = 0; status == 0 && i < trials.count; i++) {
        keep_digest(keep, trials.items[i].console);
        keep_digest(keep, trials.items[i].records);
    }
    return status;
}

/* All that jobs hold on to that are not over. */
static int list_kept(struct housekeeping *housekeeping, struct culprit_error *error)
{
    CULPRIT_CLEANUP(stored_jobs_clear) struct stored_jobs jobs = {0};
    struct store *store = housekeeping->service->options.store;
    struct job_filter filter = {.state = -1, .active = true, .limit = INT_MAX};

    strv_free(&housekeeping->keep);
    int status = store_job_list(store, &filter, &jobs, error);
    for (size_t i = 0; status == 0 && i < jobs.count; i++)
        status = keep_job(store, jobs.items[i].id, &housekeeping->keep, error);
    if (status == 0 && housekeeping->keep.failed)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot clear up: out of memory");
    return status;
}

static void on_run(void *argument, struct cancel *cancel)
{
    struct housekeeping *housekeeping = argument;

    (void)cancel;
    housekeeping->status = blobs_sweep(housekeeping->service->options.blobs, &housekeeping->limits,
                                       &housekeeping->keep, &housekeeping->swept,
                                       &housekeeping->error);
}

static void on_done(void *argument, bool ran)
{
    struct housekeeping *housekeeping = argument;
    char removed[64], bytes[64], reason[1100];

    housekeeping->busy = false;
    if (!ran)
        return;
    if (housekeeping->status < 0) {
        snprintf(reason, sizeof reason, "REASON=%s", housekeeping->error.message);
        log_warning("old artefacts could not be removed", reason, NULL);
    } else if (housekeeping->swept.removed) {
        snprintf(removed, sizeof removed, "FILES=%llu",
                 (unsigned long long)housekeeping->swept.removed);
        snprintf(bytes, sizeof bytes, "BYTES=%llu",
                 (unsigned long long)housekeeping->swept.removed_bytes);
        log_info("old artefacts removed", removed, bytes, NULL);
    }
}

void housekeeping_kick(struct housekeeping *housekeeping)
{
    if (!housekeeping || housekeeping->busy || housekeeping->service->stopping)
        return;
    sd_event_source_set_time_relative(housekeeping->timer, PERIOD_USEC);
    sd_event_source_set_enabled(housekeeping->timer, SD_EVENT_ONESHOT);
    if (list_kept(housekeeping, NULL) < 0)
        return;
    housekeeping->limits = housekeeping->service->options.keep;
    housekeeping->limits.now_ns = clock_realtime(housekeeping->service->options.clock);
    housekeeping->busy = worker_submit(housekeeping->service->side, on_run, on_done, housekeeping,
                                       NULL) == 0;
}
