/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs in the store: the document as it was submitted, how far it is, and what came out. */
#ifndef CULPRIT_STORE_JOBS_H
#define CULPRIT_STORE_JOBS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/outcome.h"
#include "store/store.h"

enum job_state {
    JOB_QUEUED = 0,
    JOB_PREPARING, /* refs and range are being resolved */
    JOB_RUNNING,
    JOB_DONE,   /* with a verdict, be it "inconclusive" */
    JOB_FAILED, /* could not be carried out; the message says why */
    JOB_CANCELLED,
    JOB_STATE_COUNT
};

const char *job_state_name(enum job_state state);
bool job_state_from_name(const char *name, enum job_state *ret);

static inline bool job_state_final(enum job_state state)
{
    return state >= JOB_DONE;
}

struct stored_job {
    int64_t id; /* from 1 upwards, never used again */
    char *name;
    char *kind;
    char *document;   /* as submitted, byte for byte */
    char *normalised; /* JSON with every default */
    char *key;        /* idempotency key, or NULL */
    enum job_state state;
    bool cancel_requested;
    enum engine engine; /* AUTO until it is resolved */
    unsigned shift;
    int second_shift; /* at which a verdict is confirmed; -1: at none */
    char *message;    /* a sentence for people; "" while there is nothing to say */
    char *verdict;    /* "culprit", … once done; NULL before */
    char *progress;   /* JSON object */
    char *result;     /* JSON object once done: what the verdict rests on; NULL before */
    uint64_t created_ns, started_ns, finished_ns; /* 0: not yet */
};

void stored_job_clear(struct stored_job *job);
DEFINE_CLEAR(struct stored_job, stored_job_clear);

struct stored_jobs {
    struct stored_job *items;
    size_t count;
};

void stored_jobs_clear(struct stored_jobs *jobs);
DEFINE_CLEAR(struct stored_jobs, stored_jobs_clear);

/* Takes name, kind, document, normalised and key of the draft; the rest is set here. CONFLICT when
 * the key is taken. */
int store_job_add(struct store *store, const struct stored_job *draft, int64_t *ret_id,
                  struct culprit_error *error);

int store_job_get(struct store *store, int64_t id, struct stored_job *ret,
                  struct culprit_error *error);
int store_job_by_key(struct store *store, const char *key, struct stored_job *ret,
                     struct culprit_error *error);

struct job_filter {
    int state;        /* of enum job_state; -1: any */
    const char *kind; /* NULL: any */
    int64_t before;   /* only smaller ids; 0: from the newest */
    unsigned limit;   /* at most this many, newest first */
    bool active;      /* only those that are not final, oldest first; `before` is ignored */
};

int store_job_list(struct store *store, const struct job_filter *filter, struct stored_jobs *ret,
                   struct culprit_error *error);
int store_job_counts(struct store *store, uint64_t ret_counts[JOB_STATE_COUNT],
                     struct culprit_error *error);

/* The first change to PREPARING sets the start; one to a final state sets the finish. */
int store_job_set_state(struct store *store, int64_t id, enum job_state state, const char *message,
                        struct culprit_error *error);
int store_job_set_engine(struct store *store, int64_t id, enum engine engine, unsigned shift,
                         int second_shift, struct culprit_error *error);
int store_job_set_progress(struct store *store, int64_t id, const char *progress,
                           struct culprit_error *error);
int store_job_set_result(struct store *store, int64_t id, const char *verdict, const char *result,
                         struct culprit_error *error);
int store_job_request_cancel(struct store *store, int64_t id, struct culprit_error *error);

#endif
