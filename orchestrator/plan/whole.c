/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/whole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "plan/check.h"
#include "plan/ends.h"
#include "stats/summary.h"

/* Two kernels at the same place differ by chance at these levels, two-sided. */
static const double same_levels[] = {0.01, 0.005, 0.005};
enum { LOOKS = sizeof same_levels / sizeof *same_levels };
/* Below this p, and from this part of the whole difference on, a remainder is looked into. */
static const double doubtful_level = 0.1, doubtful_part = 0.25;

/* A commit, and the end at which it should lie. */
struct pairing {
    unsigned commit, end;
    unsigned trials; /* of the commit, that proved it */
};

/* What a look sees: how surprising it is if there is no remainder, and how large it is, as good or
 * bad as a turned value. */
struct sight {
    double p, remainder;
};

/* Trials of either side at a look; at the first one the end has what the search took. */
static size_t trials_at(const struct pairing *pairing, unsigned look)
{
    return (size_t)pairing->trials << look;
}

static size_t missing(const struct evidence_values *values, size_t wanted)
{
    return wanted > values->count ? wanted - values->count : 0;
}

/* Of the end's fresh trials, on top of the search's. */
static size_t fresh_of_end(const struct planner *planner, const struct pairing *pairing,
                           unsigned look)
{
    struct evidence_values search = evidence_search(planner->evidence, pairing->end);

    return look == 0 ? 0 : missing(&search, trials_at(pairing, look));
}

/* Where the trials of a side lie: at their median, or the share that failed. */
static int place_of(const struct planner *planner, struct evidence_values values, double *ret,
                    struct culprit_error *error)
{
    struct proportion failures;

    if (planner->problem->measure != MEASURE_EVENT)
        return samples_median(values.values, values.count, ret, error);
    failures = check_failures(values);
    *ret = proportion_share(&failures);
    return 0;
}

static int compare(const struct planner *planner, const struct pairing *pairing, unsigned look,
                   struct sight *ret, struct culprit_error *error)
{
    struct evidence_values mine = evidence_verify(planner->evidence, pairing->commit);
    struct evidence_values search = evidence_search(planner->evidence, pairing->end);
    struct evidence_values fresh = evidence_verify(planner->evidence, pairing->end);
    size_t of_end = fresh_of_end(planner, pairing, look);
    _cleanup_free_ double *both = calloc(search.count + of_end + 1, sizeof *both);
    struct evidence_values end = {both, search.count + of_end};
    double my_place, end_place;
    int r;

    if (!both)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot compare two kernels: no memory");
    memcpy(both, search.values, search.count * sizeof *both);
    if (of_end > 0)
        memcpy(both + search.count, fresh.values, of_end * sizeof *both);
    mine.count = trials_at(pairing, look);
    r = check_difference(planner, mine, end, &ret->p, error);
    if (r == 0)
        r = place_of(planner, mine, &my_place, error);
    if (r == 0)
        r = place_of(planner, end, &end_place, error);
    if (r == 0)
        ret->remainder = pairing->end == 0 ? my_place - end_place : end_place - my_place;
    return r;
}

/* Wants what a look lacks; false where that cannot be had. */
static bool want_look(struct planner *planner, const struct pairing *pairing, unsigned look)
{
    struct evidence_values mine = evidence_verify(planner->evidence, pairing->commit);
    struct evidence_values fresh = evidence_verify(planner->evidence, pairing->end);
    size_t of_mine = missing(&mine, trials_at(pairing, look));
    size_t of_end = missing(&fresh, fresh_of_end(planner, pairing, look));

    if (trials_at(pairing, look) > BISECT_VERIFY_TRIALS_MAXIMUM ||
        of_mine + of_end > planner_trials_left(planner))
        return false;
    evidence_want_trials(planner->evidence, pairing->commit, PURPOSE_VERIFY, of_mine,
                         planner->step);
    evidence_want_trials(planner->evidence, pairing->end, PURPOSE_VERIFY, of_end, planner->step);
    return true;
}

/* Too large to be passed over, and not unlikely to be there. */
static bool in_doubt(const struct planner *planner, const struct sight *sight, double least)
{
    const struct bisect_check *ends = &planner->step->endpoint;
    double whole = fabs(ends->worse_median - ends->base_median);

    return sight->p <= doubtful_level && sight->remainder >= fmax(least, doubtful_part * whole);
}

static int look_into(struct planner *planner, const struct pairing *pairing, enum whole *ret,
                     struct culprit_error *error)
{
    double least = ends_least_effect(planner, &planner->step->endpoint);

    *ret = WHOLE_EXPLAINED;
    if (evidence_class(planner->evidence, pairing->commit) ==
        evidence_class(planner->evidence, pairing->end))
        return 0;
    for (unsigned look = 0; look < LOOKS; look++) {
        struct sight sight;
        int r;

        if (!want_look(planner, pairing, look))
            return 0;
        if (planner->step->want_count > 0) {
            *ret = WHOLE_WAITS;
            return 0;
        }
        r = compare(planner, pairing, look, &sight, error);
        if (r < 0)
            return r;
        if (sight.p <= same_levels[look] && fabs(sight.remainder) >= least) {
            *ret = WHOLE_MORE;
            return 0;
        }
        if (!in_doubt(planner, &sight, least))
            return 0;
    }
    return 0;
}

int whole_explained(struct planner *planner, enum whole *ret, struct culprit_error *error)
{
    const struct bisect_step *step = planner->step;
    struct pairing pairing = {0};
    int r = 0;

    *ret = WHOLE_EXPLAINED;
    for (size_t i = 0; i <= step->check_count && step->check_count > 0; i++) {
        const struct bisect_check *check = &step->checks[i < step->check_count ? i : 0];

        if (i < step->check_count)
            pairing = (struct pairing){check->base, 0, check->base_count};
        else
            pairing = (struct pairing){check->worse, planner->problem->count - 1,
                                       check->worse_count};
        r = look_into(planner, &pairing, ret, error);
        if (r < 0 || *ret != WHOLE_EXPLAINED)
            return r;
    }
    return r;
}
