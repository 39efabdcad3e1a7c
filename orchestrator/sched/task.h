/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One piece of blocking work for a job. The loop makes it and hands it to a worker; task_run()
 * works on it there; then it is the loop's again, which settles what came out (settle.h).
 */
#ifndef CULPRIT_SCHED_TASK_H
#define CULPRIT_SCHED_TASK_H

#include "base/cancel.h"
#include "plan/bisect.h"
#include "sched/work.h"
#include "store/blobs.h"
#include "store/facts.h"

enum task_kind {
    TASK_RESOLVE,  /* refs to commits; the engine where it can be told without a kernel */
    TASK_ENGINE,   /* the engine, with a kernel to boot */
    TASK_IDENTIFY, /* a build's recipe; goes on as TASK_BUILD where there is none yet */
    TASK_BUILD,
    TASK_PRUNE, /* which commits cannot change the image */
    TASK_TRIAL,
    TASK_DESCRIBE, /* the culprit's message and diffstat */
};

struct course;

struct task {
    struct task *next; /* of the course's tasks */
    struct course *course;
    struct cancel *cancel;
    uint64_t started_ns; /* monotonic */
    enum task_kind kind;
    bool exclusive;    /* nothing else may run beside it */
    bool waiting;      /* another task is building the same recipe */
    bool ended;        /* its result waits for the store to have room */
    bool engine_later; /* out; RESOLVE: it takes a kernel */
    bool host_failed;  /* out; RESOLVE, ENGINE: no engine could be told, for the host's sake */

    /* Borrowed; valid while the task is. */
    struct work *work;
    struct blobs *blobs;
    const struct job *job;
    const char *state_directory;

    /* In. */
    struct lease lease; /* IDENTIFY, BUILD, TRIAL */
    char *directory;    /* made before and removed after the work; BUILD, TRIAL */
    char *kernel;       /* TRIAL, ENGINE */
    char *build_id;
    int64_t build;
    uint64_t seed;
    struct work_engine engine;       /* TRIAL; RESOLVE, ENGINE: out */
    char commit_id[COMMIT_ID_SIZE];  /* whose sources they are */
    enum build_variant variant;      /* IDENTIFY, BUILD, TRIAL */
    char reverts_id[COMMIT_ID_SIZE]; /* VARIANT_REVERTED: taken back from them */
    char (*ids)[COMMIT_ID_SIZE];     /* PRUNE: of the range */
    unsigned id_count;
    char end_inputs[2][DIGEST_HEX_SIZE]; /* PRUNE: of good and bad */
    char recipe[DIGEST_HEX_SIZE];        /* BUILD; IDENTIFY: out */

    /* Out. */
    struct culprit_error error;
    int status;
    struct commit_range range;
    struct build_result build_result;
    char log[DIGEST_HEX_SIZE], config[DIGEST_HEX_SIZE], inputs[DIGEST_HEX_SIZE],
        console[DIGEST_HEX_SIZE], records[DIGEST_HEX_SIZE]; /* blobs */
    struct trial_result *trial_result;
    char *message, *diffstat;
    enum relevance *relevance; /* PRUNE: [id_count] */
};

int task_new(enum task_kind kind, struct task **ret, struct culprit_error *error);
void task_free(struct task *task);
DEFINE_CLEANUP(struct task *, task_free);

/* The commit that its result is of: where one was taken back from bad, that one. */
static inline const char *task_commit(const struct task *task)
{
    return task->variant == VARIANT_REVERTED ? task->reverts_id : task->commit_id;
}

/* In a worker. */
void task_run(struct task *task);

#endif
