/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The port to the work that a job needs: git, kernel builds, guests. The real one
 * (sched/real_work.h) calls source/, build/ and trial/; tests use a scripted one, so that a whole
 * job runs in a second.
 *
 * All operations block and are called from workers, several at once; the job and the paths stay
 * valid meanwhile. Operations return 0 with a result whatever its outcome, or an error when there
 * is none; CANCELLED when `cancel` was requested.
 *
 * NO_SPACE and NO_MEMORY of any of them, and UNAVAILABLE of choose_engine() and trial(), say
 * nothing about the job: the work is tried again later. The message says what to make room on.
 */
#ifndef CULPRIT_SCHED_WORK_H
#define CULPRIT_SCHED_WORK_H

#include "base/cancel.h"
#include "base/digest.h"
#include "base/error.h"
#include "build/builder.h"
#include "job/job.h"
#include "relevance/relevance.h"
#include "source/repository.h"
#include "trial/trial.h"

struct work;

/* How guests of a job run: found out once a job, kept with it. */
struct work_engine {
    enum engine engine; /* never AUTO */
    unsigned shift;
    int second_shift; /* at which a verdict is confirmed; -1: at none */
};

/* How a kernel differs from the job's own of the commit. Shifts are a trial's matter. */
struct work_variant {
    const struct build_option *options; /* over the job's */
    size_t option_count;
    const char *reverts_id; /* a commit that is taken back (source/repository.h); NULL: none */
};

struct work_build {
    const struct job *job;
    const char *commit_id;
    struct work_variant variant;
    const char *image_path, *log_path, *config_path, *inputs_path; /* to be written */
};

struct work_prune {
    char (*ids)[COMMIT_ID_SIZE]; /* of the range, by number; the last is bad */
    unsigned count;
    struct inputs *inputs; /* what the builds of both ends read */
};

struct work_trial {
    const struct job *job;
    struct work_engine engine;
    const char *kernel; /* bzImage */
    const char *build_id;
    uint64_t seed;
    const char *directory; /* exists, empty */
    const char *label;
};

struct work_ops {
    /* Refs to commits: bisect: the range; run: the one commit, without parents. */
    int (*resolve)(struct work *work, const struct job *job, struct cancel *cancel,
                   struct commit_range *ret, struct culprit_error *error);
    /* UNSUPPORTED, with the reason, when this host has no engine for the job. CONFLICT when that
     * can only be told by booting a guest and there is no kernel yet (`kernel` is NULL). */
    int (*choose_engine)(struct work *work, const struct job *job, const char *kernel,
                         struct cancel *cancel, struct work_engine *ret,
                         struct culprit_error *error);
    /* Names what build() would make of the commit. */
    int (*identify)(struct work *work, const struct job *job, const char *commit_id,
                    const struct work_variant *variant, char ret_recipe[DIGEST_HEX_SIZE],
                    struct culprit_error *error);
    int (*build)(struct work *work, const struct work_build *build, struct cancel *cancel,
                 struct build_result *ret, struct culprit_error *error);
    /* ret_relevance[prune->count]: which commits can change the image. NULL: all can. */
    int (*prune)(struct work *work, const struct job *job, const struct work_prune *prune,
                 struct cancel *cancel, enum relevance *ret_relevance, struct culprit_error *error);
    int (*trial)(struct work *work, const struct work_trial *trial, struct cancel *cancel,
                 struct trial_result **ret, struct culprit_error *error);
    /* Message and diffstat of a commit, for the report; the caller's. */
    int (*describe)(struct work *work, const struct job *job, const char *commit_id,
                    char **ret_message, char **ret_diffstat, struct culprit_error *error);
};

struct work {
    const struct work_ops *ops;
};

#endif
