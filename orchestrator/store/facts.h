/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a job's verdict rests on: its commits, the builds that stand for them, and its trials with
 * their samples. Facts are only added. Builds belong to all jobs: equal recipes give equal images.
 */
#ifndef CULPRIT_STORE_FACTS_H
#define CULPRIT_STORE_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/digest.h"
#include "base/outcome.h"
#include "store/store.h"

/* One commit of a job's range; numbers as in plan/bisect.h. */
struct stored_commit {
    unsigned number;
    char id[41];
    char *subject;
    char *author;
    uint64_t author_time; /* seconds since 1970 */
    unsigned *parents;
    unsigned parent_count;
};

struct stored_commits {
    struct stored_commit *items; /* by number */
    size_t count;
    bool good_is_merge_base;
    char good_asked[41]; /* "" unless good_is_merge_base */
};

int store_commits_put(struct store *store, int64_t job, const struct stored_commits *commits,
                      struct culprit_error *error);
/* count 0 when none were put yet. */
int store_commits_get(struct store *store, int64_t job, struct stored_commits *ret,
                      struct culprit_error *error);
void stored_commits_clear(struct stored_commits *commits);
DEFINE_CLEAR(struct stored_commits, stored_commits_clear);

struct stored_build {
    int64_t id;
    char recipe[DIGEST_HEX_SIZE];
    enum outcome outcome; /* OK, BUILD_FAILED, TIMED_OUT, INFRA_FAILED */
    char *message;
    char image[DIGEST_HEX_SIZE]; /* blob; "" unless OK */
    char log[DIGEST_HEX_SIZE];   /* blob; "" when there is none */
    char config[DIGEST_HEX_SIZE];
    char inputs[DIGEST_HEX_SIZE]; /* blob: what the build read; "" when it is not known */
    char *build_id;
    char *release;
    char *compiler;
    uint64_t wall_ns;
    uint64_t created_ns;
    /* Only in the builds of a job: */
    unsigned commit;  /* number in the job's range */
    char variant[16]; /* which of the commit's kernels, by the caller's word; "": its own */
    unsigned attempt; /* from 0 */
    bool fresh;       /* compiled for this job */
};

struct stored_builds {
    struct stored_build *items; /* in the order in which they were recorded */
    size_t count;
};

/* The newest build of the recipe that is OK or BUILD_FAILED; NOT_FOUND without. */
int store_build_find(struct store *store, const char *recipe, struct stored_build *ret,
                     struct culprit_error *error);
/* Keeps a build; `build->id` and created_ns are ignored. */
int store_build_add(struct store *store, const struct stored_build *build, int64_t *ret_id,
                    struct culprit_error *error);
/* Says that the build stands for a commit of the job, or for a variant of it. */
int store_build_use(struct store *store, int64_t job, unsigned commit, const char *variant,
                    unsigned attempt, int64_t build, bool fresh, struct culprit_error *error);
int store_builds_get(struct store *store, int64_t job, struct stored_builds *ret,
                     struct culprit_error *error);
void stored_build_clear(struct stored_build *build);
DEFINE_CLEAR(struct stored_build, stored_build_clear);
void stored_builds_clear(struct stored_builds *builds);
DEFINE_CLEAR(struct stored_builds, stored_builds_clear);

/* Which commits of a job cannot change the image, as was found once both its ends were built. */
struct stored_pruned {
    unsigned commit;
    char reason[24]; /* a word of relevance/relevance.h */
};

struct stored_pruning {
    bool known;                  /* false: nobody has looked yet, and all else is empty */
    char *note;                  /* why nothing could be said; "" when it could */
    struct stored_pruned *items; /* by commit */
    size_t count;
};

/* Once for a job; CONFLICT at the second time. */
int store_pruning_put(struct store *store, int64_t job, const struct stored_pruning *pruning,
                      struct culprit_error *error);
int store_pruning_get(struct store *store, int64_t job, struct stored_pruning *ret,
                      struct culprit_error *error);
void stored_pruning_clear(struct stored_pruning *pruning);
DEFINE_CLEAR(struct stored_pruning, stored_pruning_clear);

struct stored_sample {
    unsigned trial; /* number */
    char *name;
    char *unit;
    char *better;   /* "lower", "higher", "neither" */
    unsigned index; /* of the workload in the plan */
    double value;
    bool counter;
};

struct stored_samples {
    struct stored_sample *items; /* by trial, then in the order of the result */
    size_t count;
};

struct stored_trial {
    unsigned number; /* from 1, within the job */
    unsigned commit;
    char *purpose; /* "search", "verify", … as the planner names them */
    unsigned index;
    unsigned attempt; /* from 0: infrastructure failures repeat an index */
    uint64_t seed;
    int64_t build;
    enum outcome outcome;
    char *message;
    bool observed;                 /* a job with a criterion: the trial says whether… */
    bool failed;                   /* …it failed */
    char *evidence;                /* the line that shows it; "" when there is none */
    char digest[DIGEST_HEX_SIZE];  /* of the result; "" unless OK */
    char console[DIGEST_HEX_SIZE]; /* blob; "" when there is none */
    char records[DIGEST_HEX_SIZE];
    char *identity; /* JSON object */
    char *topology; /* JSON object: what the guest saw */
    uint64_t wall_ns;
    uint64_t finished_ns;
};

struct stored_trials {
    struct stored_trial *items; /* by number */
    size_t count;
};

/* Keeps a trial with its samples (whose `trial` is ignored) under the job's next number. */
int store_trial_add(struct store *store, int64_t job, const struct stored_trial *trial,
                    const struct stored_sample *samples, size_t sample_count, unsigned *ret_number,
                    struct culprit_error *error);
int store_trials_get(struct store *store, int64_t job, struct stored_trials *ret,
                     struct culprit_error *error);
int store_trial_get(struct store *store, int64_t job, unsigned number, struct stored_trial *ret,
                    struct culprit_error *error);
/* Of one trial, or of all trials of the job with number 0. */
int store_samples_get(struct store *store, int64_t job, unsigned number, struct stored_samples *ret,
                      struct culprit_error *error);
void stored_trial_clear(struct stored_trial *trial);
DEFINE_CLEAR(struct stored_trial, stored_trial_clear);
void stored_trials_clear(struct stored_trials *trials);
DEFINE_CLEAR(struct stored_trials, stored_trials_clear);
void stored_samples_clear(struct stored_samples *samples);
DEFINE_CLEAR(struct stored_samples, stored_samples_clear);

/*
 * Work in flight. A lease is taken before a worker starts and ends with the result, in the
 * result's transaction. A result whose lease is gone (the daemon was restarted, the job
 * cancelled) is refused with CONFLICT: its fencing number is never given out again.
 */
enum work_kind { WORK_BUILD = 0, WORK_TRIAL };

struct lease {
    int64_t fence;
    int64_t job;
    enum work_kind kind;
    unsigned commit;
    unsigned purpose; /* of a trial; of a build its variant; as the caller numbers them */
    unsigned index;
    unsigned attempt;
};

int store_lease_take(struct store *store, struct lease *lease, struct culprit_error *error);
int store_lease_end(struct store *store, int64_t fence, struct culprit_error *error);
/* At the start of the one daemon nothing can be in flight; gives how many leases were left. */
int store_leases_void(struct store *store, unsigned *ret_count, struct culprit_error *error);

#endif
