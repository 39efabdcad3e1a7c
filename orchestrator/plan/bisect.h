/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bisection planner: a pure function from a problem and the facts so far to the work that is
 * wanted next, or a verdict. It does no I/O, keeps no memory between calls, and gives the same
 * answer for the same facts, in whatever order they came; so a restarted daemon goes on where it
 * was, and a simulation tests it without a guest.
 *
 * Commits are numbered 0 … count-1, parents before children. Number 0 is `good`; the last is `bad`;
 * between them are the commits reachable from bad and not from good. A parent outside the range
 * is an ancestor of good, and stands as 0 in the parent lists.
 *
 *        good          b---c            1..6 are the candidates; 4 is a merge.
 *          0---1---2---d---4---5---6 bad
 */
#ifndef CULPRIT_PLAN_BISECT_H
#define CULPRIT_PLAN_BISECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/outcome.h"

enum {
    /* That a job may ask for behind an end or a verdict: as many as the exact rank test takes. */
    BISECT_TRIALS_MAXIMUM = 20,
    /* That the search takes of one commit, and the verification again; no more are wanted. */
    BISECT_SEARCH_TRIALS_MAXIMUM = 400,
    BISECT_VERIFY_TRIALS_MAXIMUM = 400,
};

struct bisect_commit {
    const unsigned *parents; /* numbers, each below this commit's own; at least one but for 0 */
    unsigned parent_count;
};

/* What identical builds differ by in this metric and setup, where an A/A calibration measured it.
 */
struct bisect_noise {
    double spread;   /* a standard deviation of one trial, in the metric's unit; at least 0 */
    unsigned trials; /* that it rests on; 0: not measured */
};

enum bisect_measure {
    MEASURE_CONTINUOUS = 0, /* a value is a figure */
    MEASURE_EVENT,          /* 1: the trial failed; 0: it did not */
};

struct bisect_problem {
    const struct bisect_commit *commits;
    unsigned count; /* at least 2 */
    enum bisect_measure measure;
    bool lower_is_better; /* true for events */
    double min_effect;    /* smallest shift that counts; a fraction of the good side's median when
                             min_effect_relative, else in the metric's unit; 0 for events */
    bool min_effect_relative;
    double confidence;          /* 0.5 < c < 1 */
    unsigned trials_per_commit; /* at least so many behind an end and a verdict; the search takes
                                   what it needs; 1 to BISECT_TRIALS_MAXIMUM; 5 */
    unsigned max_builds;        /* budget for fresh builds; 0: none */
    unsigned max_trials;        /* budget for trials; 0: none */
    /* [count], finite: how much more likely than another a commit is to be the culprit, as far as
     * can be told beforehand; 0: proven not to change the image, never reported. NULL: all alike.
     */
    const double *prior_weights;
    double build_seconds, trial_seconds; /* what they cost; 0: not known, 300 and 60 */
    unsigned trials_abreast;             /* that run side by side; 0: one */
    struct bisect_noise noise;
    /* good was not an ancestor of bad: 0 is their merge base, and this is said in the verdict. */
    bool good_is_merge_base;
};

enum build_state { BUILD_UNKNOWN = 0, BUILD_OK, BUILD_BROKEN };

struct bisect_build {
    enum build_state state; /* BROKEN: does not build. A kernel that does not boot is told by its
                               trials: the planner skips a commit whose trials fail. */
    unsigned image;         /* equal numbers: bit-identical kernel images; valid when OK */
    bool reused;            /* came from the cache: not counted against max_builds */
};

/* A commit's kernel, or one that a verdict is held against afterwards (plan/confirm.h). */
enum build_variant {
    VARIANT_PLAIN = 0,
    VARIANT_ALIGNED,  /* the commit's, with every function on a cache line of its own */
    VARIANT_REVERTED, /* bad's, with the commit taken back */
    VARIANT_COUNT
};

/* "", "aligned", "reverted". */
const char *build_variant_name(enum build_variant variant);

enum trial_purpose {
    PURPOSE_SEARCH = 0,
    PURPOSE_VERIFY,
    /* The planner does without these: they come after its verdict (plan/confirm.h). */
    PURPOSE_SHIFT,    /* at the second speed of the virtual CPU */
    PURPOSE_ALIGNED,  /* of VARIANT_ALIGNED */
    PURPOSE_TIP,      /* of bad, beside: */
    PURPOSE_REVERTED, /* of VARIANT_REVERTED */
    PURPOSE_COUNT
};

const char *trial_purpose_name(enum trial_purpose purpose);
/* The kernel that its trials boot. */
enum build_variant trial_purpose_variant(enum trial_purpose purpose);

static inline bool trial_purpose_confirms(enum trial_purpose purpose)
{
    return purpose > PURPOSE_VERIFY;
}

struct bisect_trial {
    unsigned commit;
    enum trial_purpose purpose;
    unsigned index;       /* 0, 1, … within (commit, purpose); names the seed */
    enum outcome outcome; /* INFRA_FAILED: the index is wanted again, three times at most;
                             CANCELLED: as if it had never been */
    double value;         /* finite when outcome is OK; of an event 0 or 1, however it ended */
};

struct bisect_facts {
    const struct bisect_build *builds; /* [problem.count] */
    const struct bisect_trial *trials;
    size_t trial_count;
};

enum bisect_want_kind { WANT_BUILD, WANT_TRIAL };

struct bisect_want {
    enum bisect_want_kind kind;
    unsigned commit;
    enum build_variant variant; /* WANT_BUILD */
    enum trial_purpose purpose; /* WANT_TRIAL */
    unsigned index;             /* WANT_TRIAL */
};

enum bisect_verdict_kind {
    VERDICT_NONE = 0,       /* work is wanted */
    VERDICT_CULPRIT,        /* found and verified */
    VERDICT_NO_REGRESSION,  /* bad is not worse than good */
    VERDICT_MERGE_BASE_BAD, /* the merge base is as bad: good carries a fix, not bad the fault */
    VERDICT_INCONCLUSIVE,   /* see reason; suspects are the smallest set that is left */
};

enum { BISECT_MAX_WANTS = 16, BISECT_MAX_CHECKS = 8, BISECT_REASON_SIZE = 1024 };

/* Two commits compared: is `worse` worse than `base`, by the one-sided exact Mann–Whitney test, or
 * does it fail more often, by Fisher's? */
struct bisect_check {
    unsigned worse, base;
    unsigned worse_count, base_count;   /* trials that took part */
    double worse_median, base_median;   /* events: shares of the trials that failed */
    unsigned worse_failed, base_failed; /* events: how many did */
    double p;                           /* one-sided */
    double level;                       /* the p that was asked for */
    bool passed;
};

/*
 * wants holds all work that is certain to be needed, most urgent first, whether or not it is under
 * way: a caller starts what it has not started yet, keyed by (kind, commit, purpose, index), and
 * asks again at every new fact. Nothing is wanted on speculation. What was wanted may cease to be
 * (a label is decided early); its result, if it comes, does no harm.
 */
struct bisect_step {
    enum bisect_verdict_kind verdict;
    struct bisect_want wants[BISECT_MAX_WANTS]; /* when verdict is NONE: at least one */
    size_t want_count;
    unsigned culprit; /* VERDICT_CULPRIT */
    double posterior; /* of the culprit (or of the suspect set); 0 before the endpoints are known */
    double threshold; /* value that separates good from bad, for events half-way between the
                         shares that fail; NaN before the endpoints are known */
    unsigned *suspects; /* ascending; caller frees with bisect_step_clear() */
    size_t suspect_count;
    struct bisect_check endpoint; /* bad against good; worse_count is 0 until it was made */
    struct bisect_check checks[BISECT_MAX_CHECKS]; /* the culprit against each of its parents */
    size_t check_count;
    bool more_changes; /* the culprit explains only a part: there is at least one more change */
    char reason[BISECT_REASON_SIZE]; /* one or more sentences for people; commits stand in it as
                                        "#12", their number: bisect_reason_commit() finds them */
    /* What is thought to remain: expected further builds and trials until a verdict. */
    double expected_builds, expected_trials;
};

/* What a commit's facts say of it, as in a bisect log. */
enum bisect_label { LABEL_UNTESTED = 0, LABEL_GOOD, LABEL_BAD, LABEL_SKIP };

int bisect_plan(const struct bisect_problem *problem, const struct bisect_facts *facts,
                struct bisect_step *ret, struct culprit_error *error);
void bisect_step_clear(struct bisect_step *step);

/* The next "#NUMBER" in a reason at or after `from`: gives where it begins and how long it is, so
 * that a report can put a commit's id and subject there; NULL when there is none. */
const char *bisect_reason_commit(const char *from, unsigned *ret_commit, size_t *ret_length);

/* Labels of all commits ([problem->count]); ret_inferred[c] is true where the label comes from an
 * equal image and not from c's own trials. */
int bisect_labels(const struct bisect_problem *problem, const struct bisect_facts *facts,
                  enum bisect_label *ret_labels, bool *ret_inferred, struct culprit_error *error);

#endif
