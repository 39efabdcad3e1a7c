/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The service: what the REST API, or a test, can ask of the scheduler. It owns no transport and no
 * format of errors; it answers in JSON values, text and readers.
 *
 * Thread rule: everything here is called on the loop's thread and returns without waiting for
 * builds or guests. Readers (store/blobs.h) may be used on any thread.
 *
 * Errors say what a user can do. Codes: INVALID (with line, column and key of a document),
 * NOT_FOUND (no such job, trial, build), CONFLICT (the state does not permit it), NO_SPACE,
 * LIMIT (too many jobs wait).
 */
#ifndef CULPRIT_SCHED_SERVICE_H
#define CULPRIT_SCHED_SERVICE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <systemd/sd-event.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "sched/catalogue.h"
#include "sched/mailer.h"
#include "sched/work.h"
#include "store/blobs.h"
#include "store/jobs.h"
#include "store/store.h"

struct service;

/* All pointers are borrowed and outlive the service. */
struct service_options {
    sd_event *event;
    const struct clock *clock;
    struct store *store;
    struct blobs *blobs;
    const struct catalogue *catalogue;
    struct work *work;           /* how commits are resolved, built and tried */
    struct mailer *mailer;       /* NULL: reports are kept, not mailed */
    const char *state_directory; /* directories of running work lie in it */
    unsigned build_slots;        /* kernel builds side by side; at least 1 */
    unsigned guest_slots;        /* guests side by side; at least 1 */
    unsigned active_jobs;        /* jobs that take turns at the slots; at least 1 */
    unsigned waiting_jobs;       /* more than this many unfinished jobs are refused; 0: 1000 */
    const char *host;            /* this service's name for itself, in reports */
    const char *mail_from;       /* "culprit <culprit@example.org>"; with a mailer */
    const char *mail_domain;     /* right side of Message-IDs */
    uint64_t mail_retry_ns;      /* first pause after a failure, then doubled; 0: 30 s */
    uint64_t retry_ns;           /* before what stalled is tried again; 0: 10 s */
    struct blobs_limits keep;    /* for old artefacts; now_ns is ignored */
};

int service_new(const struct service_options *options, struct service **ret,
                struct culprit_error *error);

/* Takes up the unfinished jobs of the store: voids what an earlier process had in flight, removes
 * its directories, plans again. */
int service_start(struct service *service, struct culprit_error *error);

/* Starts nothing new and asks everything in flight to stop; `stopped` is called on the loop once
 * nothing is in flight. Facts are kept: the jobs go on at the next start. */
void service_stop(struct service *service, void (*stopped)(void *context), void *context);
/* What all jobs need cannot be had for now, and why: the service says that it is stalled. NULL: it
 * can be had again, and what waited for it goes on at once. */
void service_hold(struct service *service, const char *why);

void service_free(struct service *service);
DEFINE_CLEANUP(struct service *, service_free);

/* --- jobs ---------------------------------------------------------------------------------- */

/* Takes a job in (YAML or JSON). key: idempotency key, or NULL; the same key with the same document
 * gives the job of the first time and *ret_created false, with another document CONFLICT. */
int service_submit(struct service *service, const char *document, size_t length, const char *key,
                   int64_t *ret_id, bool *ret_created, struct culprit_error *error);

/*
 * One job:
 *   {"id": 12, "name": "…", "kind": "bisect", "state": "running", "message": "…",
 *    "verdict": null | "culprit" | "no_regression" | "merge_base_bad" | "inconclusive" |
 * "measured", "engine": null | "deterministic", "created": "2026-01-02T03:04:05Z", "started": … |
 * null, "finished": … | null, "cancelling": false, "progress": {…}, "result": null | {…},
 *    "document": {the job with every default}}
 * progress:
 *   {"phase": "queued" | "resolving" | "checking" | "searching" | "verifying" | "confirming" |
 *             "measuring" | "reporting" | "finished",
 *    "commits": 32, "suspects": 7,
 *    "builds": {"fresh": 3, "reused": 1, "failed": 0, "running": 1},
 *    "trials": {"done": 15, "failed": 0, "running": 2},
 *    "expected": {"builds": 2.4, "trials": 18} | null,     further ones, those that run included
 *    "seconds_left": 1260 | null}                          null: not known yet
 * result (bisect): {"reason", "posterior", "threshold", "culprit": {"id", "subject", "author"} |
 *   null, "suspects": [ids], "confirmations": […], "repeat"}; (run): {"metrics": [{"name", "unit",
 * "better", "n", "median", "min", "max", "mad"}], "repeat"}
 */
int service_job(struct service *service, int64_t id, json_t **ret, struct culprit_error *error);

/* {"jobs": [as above, without document and result], "next": "cursor" | null}; newest first.
 * `cursor` is what an earlier answer gave, or NULL; 1 <= limit <= 1000. */
struct service_filter {
    const char *state; /* NULL: any */
    const char *kind;  /* NULL: any */
    const char *cursor;
    unsigned limit; /* 0: 50 */
};
int service_jobs(struct service *service, const struct service_filter *filter, json_t **ret,
                 struct culprit_error *error);

/* The document as it was submitted; the caller's. */
int service_document(struct service *service, int64_t id, char **ret, struct culprit_error *error);

/* CONFLICT when the job is over already. Its guests and builds stop soon after. */
int service_cancel(struct service *service, int64_t id, struct culprit_error *error);

/* Submits the same document again. */
int service_rerun(struct service *service, int64_t id, int64_t *ret_id,
                  struct culprit_error *error);

/* --- events -------------------------------------------------------------------------------- */

/*
 * Those with a sequence above `after`, at most `limit` (0: 1000), as an array of
 *   {"sequence": 4, "time": "…", "type": "state" | "range" | "build" | "trial" | "progress" |
 *    "notice" | "verdict" | "mail", "data": {…}}.
 * *ret_final: the job is over and these are the last; a stream may end. data by type:
 *   state {"state", "message"}; range {"commits", "good", "bad"};
 *   build {"commit", "variant", "outcome", "fresh", "message", "seconds"};
 *   trial {"number", "commit", "purpose", "seed", "outcome", "message", "value", "unit",
 *         "seconds"};
 *   progress: as in the job; notice {"message"}; verdict {"verdict", "message"};
 *   mail {"state", "message"}.
 */
int service_events(struct service *service, int64_t id, uint64_t after, unsigned limit,
                   json_t **ret, bool *ret_final, struct culprit_error *error);

/* `wake` is called on the loop's thread, from the loop itself, after new events of the job (0: of
 * any job) were stored: it may call every function here, and unsubscribe. It may come once for
 * several events. */
struct service_subscription;
typedef void (*service_wake)(int64_t job, void *context);
int service_subscribe(struct service *service, int64_t job, service_wake wake, void *context,
                      struct service_subscription **ret, struct culprit_error *error);
void service_unsubscribe(struct service_subscription *subscription);

/* --- what was done for a job --------------------------------------------------------------- */

/*
 * Array of {"number", "commit", "purpose", "index", "attempt", "seed", "outcome", "message",
 * "value" (headline metric) | null, "digest", "seconds", "finished", "console": true | false}.
 */
int service_trials(struct service *service, int64_t id, json_t **ret, struct culprit_error *error);

/* One of them, with "metrics": [{"name", "unit", "better", "value", "index", "counter"}],
 * "identity": {…} and "topology": {…}. */
int service_trial(struct service *service, int64_t id, unsigned number, json_t **ret,
                  struct culprit_error *error);

/* The trial's console, to be read and freed by the caller. */
int service_console(struct service *service, int64_t id, unsigned number, struct blob_reader **ret,
                    struct culprit_error *error);

/* Array of {"build", "commit", "variant" (null: the commit's own kernel; "aligned"; "reverted":
 * bad's with the commit taken back), "attempt", "outcome", "fresh", "message", "image", "build_id",
 * "release", "compiler", "seconds", "log": true | false}. */
int service_builds(struct service *service, int64_t id, json_t **ret, struct culprit_error *error);

/* make's output of a build of the job ("build" above). */
int service_build_log(struct service *service, int64_t id, int64_t build, struct blob_reader **ret,
                      struct culprit_error *error);

/* The final .config of a build of the job. */
int service_build_config(struct service *service, int64_t id, int64_t build,
                         struct blob_reader **ret, struct culprit_error *error);

enum report_form { REPORT_FORM_TEXT, REPORT_FORM_JSON, REPORT_FORM_BISECT_LOG, REPORT_FORM_MAIL };

/* Written from the store each time. CONFLICT while the job is not over, and for the bisect log of
 * a job that is no bisection. */
int service_report(struct service *service, int64_t id, enum report_form form, struct buffer *ret,
                   struct culprit_error *error);

/* --- calibrations -------------------------------------------------------------------------- */

/* Takes in a calibration (calibration/record.h), in the place of an older one of the same setup and
 * metric. INVALID with the key; CONFLICT for too many. Jobs that begin later use it. */
int service_calibration_add(struct service *service, const char *document, size_t length,
                            int64_t *ret_id, struct culprit_error *error);
/* As it was put in, its defaults filled in, with "id" and "created". */
int service_calibration(struct service *service, int64_t id, json_t **ret,
                        struct culprit_error *error);
/* Array of those without "values", newest first. */
int service_calibrations(struct service *service, json_t **ret, struct culprit_error *error);
/* Jobs that have begun keep their copies. */
int service_calibration_remove(struct service *service, int64_t id, struct culprit_error *error);

/* --- what the service knows ---------------------------------------------------------------- */

/* [{"name", "location"}] (a URL without user name and password) */
json_t *service_repositories(struct service *service);
/* [{"name", "description", "cpus", "sockets", "dies", "cores", "threads", "nodes", "memory",
 *   "memory_maximum", "shift"}] */
json_t *service_topologies(struct service *service);
/* [{"name", "summary", "options": [{"name", "type", "default", "summary"}],
 *   "metrics": [{"name", "unit", "better", "engines": […], "summary"}], "open_metrics"}] */
json_t *service_workloads(struct service *service);
/* {"status": "ok" | "stalled", "message", "jobs": {"queued": 0, …},
 *  "slots": {"builds": {"size", "busy"}, "guests": {…}}, "outbox": {"waiting": 0}} */
int service_health(struct service *service, json_t **ret, struct culprit_error *error);

#endif
