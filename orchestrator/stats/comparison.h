/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two sets of trials against each other, in one place: what the service's reports, `culprit samples
 * compare` and any table of variants say of a pair comes from here, so that they cannot disagree.
 *
 * A change counts when it is significant (two-sided Mann–Whitney, corrected after Holm over the
 * family), and larger than what matters (a share of the base's median), and larger than what
 * identical builds differ by, where that was measured. The three are kept apart in the result.
 *
 * Units: shifts, bounds and detectable differences in the samples' unit; shares of the base's
 * median as fractions (0.01 is 1 %). No field is ever NaN or infinite; what cannot be known is
 * marked as missing. Pure and thread-safe.
 */
#ifndef CULPRIT_STATS_COMPARISON_H
#define CULPRIT_STATS_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "stats/bootstrap.h"
#include "stats/rank.h"
#include "stats/summary.h"

enum comparison_better { COMPARISON_NEITHER, COMPARISON_LOWER, COMPARISON_HIGHER };

enum comparison_verdict {
    COMPARISON_NO_DIFFERENCE, /* none was shown; `significant` says whether one is there, but small
                               */
    COMPARISON_BETTER,
    COMPARISON_WORSE,
    COMPARISON_DIFFERS,   /* and nobody said which way is better */
    COMPARISON_NEEDS_MORE /* so few trials cannot be significant, whatever they measure */
};

#define COMPARISON_ALPHA     0.01 /* a job's confidence of 0.99 */
#define COMPARISON_THRESHOLD 0.01
#define COMPARISON_POWER     0.9
enum { COMPARISON_TRIALS_MAXIMUM = 1000000 };

struct comparison_options {
    enum comparison_better better;
    double alpha;     /* of the family, 0.001 to 0.5; intervals have the confidence 1 − alpha */
    double threshold; /* share of the base's median that matters, 0 to 10 */
    double noise;     /* share by which identical builds differ at this number of trials (half the
                         width of the A/A interval), 0 to 10; 0: not measured */
    size_t resamples; /* of the bootstrap; 0: no ratio is computed */
    uint64_t seed;
};

#define COMPARISON_OPTIONS_DEFAULT                                    \
    {                                                                 \
        .alpha = COMPARISON_ALPHA, .threshold = COMPARISON_THRESHOLD, \
        .resamples = BOOTSTRAP_RESAMPLES_DEFAULT, .seed = 1,          \
    }

struct comparison {
    struct comparison_options options;
    struct sample_summary base, other;
    struct hodges_lehmann shift; /* other − base; its interval may be missing */
    bool relative;               /* the base's median is not 0, so that there are shares of it */
    double share, share_lower, share_upper; /* of the shift and its bounds; valid when relative */
    struct mann_whitney test;               /* of other over base */
    double p;                               /* two-sided, corrected over the family */
    size_t family;                          /* comparisons that were corrected together */
    bool has_ratio;
    struct bootstrap_interval ratio; /* of the medians, other over base */
    bool has_detectable;             /* two trials a side or more */
    double detectable; /* the smallest difference that so many trials show nine times in ten: (z_{1−
                          α/2} + z_{power}) · √(σ_base²/n + σ_other²/n), robust σ, α as if alone in
                          the family; optimistic below about ten a side */
    bool significant; /* p is at most alpha */
    bool beyond;      /* the shift is larger than threshold and noise, or has no share */
    enum comparison_verdict verdict;
    size_t more;   /* COMPARISON_NEEDS_MORE: trials that each side lacks */
    size_t wanted; /* trials a side that would show a change of the threshold nine times in ten; 0:
                      not known, or so many are there; COMPARISON_TRIALS_MAXIMUM: that or more */
};

/*
 * Compares as a family of one. INVALID for a side without trials, a sample that is not finite (its
 * place is named), sides too far apart for a difference, or options outside their ranges; LIMIT for
 * more than SAMPLES_MAXIMUM trials. What a set of trials cannot give (an interval of three, a ratio
 * to zero) is missing, not an error.
 */
int comparison_make(const double *base, size_t base_count, const double *other, size_t other_count,
                    const struct comparison_options *options, struct comparison *ret,
                    struct culprit_error *error);

/* Corrects the p values of a family after Holm, and reaches the verdicts again. */
int comparison_correct(struct comparison *items, size_t count, struct culprit_error *error);

/* Positive when `other` tends to be greater, negative when it tends to be smaller, 0 for neither:
 * by the ranks, which may know it where the shift is 0. */
int comparison_direction(const struct comparison *comparison);

/* "no_difference", "better", "worse", "differs", "needs_more". */
const char *comparison_verdict_name(enum comparison_verdict verdict);

#endif
