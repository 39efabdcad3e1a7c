/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work for the scheduler without git, compilers or guests: a history of numbered commits of which
 * one is the culprit, "images" that say which commit they are of, and trials whose values are drawn
 * around that commit's level by their seed. So a whole job runs in a moment, and a trial of the
 * wrong image would give the wrong value. Thread-safe; counts what it was asked for.
 */
#ifndef CULPRIT_TESTS_SCRIPTED_WORK_H
#define CULPRIT_TESTS_SCRIPTED_WORK_H

#include <stdbool.h>

#include "sched/work.h"

enum { SCRIPTED_SEEDS_MAXIMUM = 4096, SCRIPTED_COMMITS_MAXIMUM = 256 };

enum scripted_step {
    SCRIPTED_ENGINE,
    SCRIPTED_RESOLVE,
    SCRIPTED_IDENTIFY,
    SCRIPTED_BUILD,
    SCRIPTED_TRIAL,
    SCRIPTED_STEP_COUNT
};

struct scripted_script {
    unsigned commits; /* of a bisection: 0 is good, the last is bad; a line without merges */
    unsigned culprit; /* from this number on the level is the bad one; 0: none */
    double good_level, bad_level;
    /* What confirmations meet: levels as far apart as above unless these say otherwise. */
    bool gone_at_second_shift, gone_when_aligned;
    bool revert_conflicts; /* the culprit cannot be taken back from bad */
    bool revert_is_idle;   /* bad without the culprit is as bad */
    double noise;          /* standard deviation of a trial */
    /* A job with a criterion: with which probability a trial fails, by its seed; and what the
     * console then shows, before the kernel crashes in every second such trial. */
    double good_fails, bad_fails;
    const char *console_line;

    /* By commit number: */
    bool unbuildable[SCRIPTED_COMMITS_MAXIMUM];
    bool unbootable[SCRIPTED_COMMITS_MAXIMUM];
    bool same_image[SCRIPTED_COMMITS_MAXIMUM];          /* as the commit before */
    enum relevance relevance[SCRIPTED_COMMITS_MAXIMUM]; /* what prune() says */
    bool lists_no_inputs;                               /* builds do not say what they read */

    unsigned infra_builds; /* the first so many builds fail for the host's reasons */
    unsigned infra_trials; /* likewise trials */
    /* The first so many calls of each operation give the error below, and no result. Its sentence
     * has the number of the call in brackets behind it. */
    unsigned passing[SCRIPTED_STEP_COUNT];
    enum culprit_code passing_code;
    const char *passing_failure;
    bool hold_builds;            /* a build lasts until it is cancelled */
    bool hold_trials;            /* likewise a trial */
    const char *metric;          /* "exec.duration" when NULL */
    unsigned silent_every;       /* a trial whose seed this divides lacks that metric; 0: none */
    unsigned sparse_every;       /* likewise it lacks the counter; 0: none */
    const char *resolve_failure; /* resolve() fails with this sentence */
    enum culprit_code resolve_code;
    const char *identify_failure; /* no recipe can be written: so say all builds */
    enum engine engine;           /* AUTO: deterministic */
    bool engine_needs_kernel;
};

struct scripted_counts {
    unsigned resolves, builds, prunes, trials, describes; /* those that did not fail in passing */
    unsigned calls[SCRIPTED_STEP_COUNT];
    unsigned builds_at_once, trials_at_once; /* most that were seen */
    unsigned beside_exclusive;               /* times that something ran beside a realtime trial */
    unsigned repeated_seeds;                 /* of trials that had given a value before */
    unsigned cancelled;
};

/* The script's memory must outlive the work; a test may change it while nothing runs. */
int scripted_work_new(const struct scripted_script *script, struct work **ret,
                      struct culprit_error *error);
void scripted_work_free(struct work *work);
DEFINE_CLEANUP(struct work *, scripted_work_free);

struct scripted_counts scripted_work_counts(struct work *work);

/* The id of a commit by its number. */
void scripted_commit_id(unsigned number, char ret_id[COMMIT_ID_SIZE]);

#endif
