/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/label.h"

#include <math.h>

#include "plan/check.h"
#include "stats/summary.h"

struct side {
    double location, scale, degrees;
};

/* Logarithm of Student's t density, without what both sides share. */
static double log_density(const struct side *side, double value)
{
    double z = (value - side->location) / side->scale;

    return -log(side->scale) - (side->degrees + 1) / 2 * log1p(z * z / side->degrees);
}

static int side_of(struct evidence_values values, struct side *ret, struct culprit_error *error)
{
    struct sample_summary summary;
    int r = samples_summarise(values.values, values.count, &summary, error);

    if (r < 0)
        return r;
    *ret = (struct side){
        .location = summary.median,
        /* that of a further value: the centre's own error comes on top */
        .scale = summary.deviation * sqrt(1 + 1 / (double)values.count),
        .degrees = (double)values.count - 1,
    };
    return 0;
}

int label_threshold(struct evidence_values good, struct evidence_values bad, double *ret,
                    struct culprit_error *error)
{
    struct side low, high;
    double below, above, gap;
    int r = side_of(good, &low, error);

    if (r == 0)
        r = side_of(bad, &high, error);
    if (r < 0)
        return r;
    gap = high.location - low.location;
    low.scale = fmax(low.scale, LABEL_SPREAD_FLOOR * gap);
    high.scale = fmax(high.scale, LABEL_SPREAD_FLOOR * gap);
    below = low.location;
    above = high.location;
    if (log_density(&low, below) <= log_density(&high, below) ||
        log_density(&high, above) <= log_density(&low, above)) {
        /* One side's spread covers the other: divide the distance by the spreads. */
        *ret = below + gap * (low.scale / (low.scale + high.scale));
        return 0;
    }
    for (int i = 0; i < 80; i++) {
        double middle = below + (above - below) / 2;
        if (log_density(&low, middle) > log_density(&high, middle))
            below = middle;
        else
            above = middle;
    }
    *ret = below + (above - below) / 2;
    return 0;
}

struct votes {
    size_t good, bad;
};

static void count_votes(const struct planner *planner, struct evidence_values values, size_t most,
                        struct votes *votes)
{
    for (size_t i = 0; i < values.count && i < most; i++) {
        votes->bad += values.values[i] > planner->threshold;
        votes->good += !(values.values[i] > planner->threshold);
    }
}

static enum bisect_label label_of_median(const struct planner *planner,
                                         struct evidence_values values)
{
    double median;

    if (samples_median(values.values, values.count, &median, NULL) < 0)
        return LABEL_UNTESTED;
    return median > planner->threshold ? LABEL_BAD : LABEL_GOOD;
}

enum bisect_label label_by_search(const struct planner *planner, unsigned commit)
{
    struct evidence_values values = evidence_search(planner->evidence, commit);
    size_t wanted = planner->problem->trials_per_commit;
    struct votes votes = {0};

    if (values.count > wanted)
        values.count = wanted;
    count_votes(planner, values, wanted, &votes);
    if (2 * votes.bad > wanted)
        return LABEL_BAD;
    if (2 * votes.good > wanted)
        return LABEL_GOOD;
    return values.count == wanted ? label_of_median(planner, values) : LABEL_UNTESTED;
}

enum bisect_label label_by_all(const struct planner *planner, unsigned commit, size_t *ret_used)
{
    enum bisect_label label = label_by_search(planner, commit);
    struct evidence_values fresh = evidence_verify(planner->evidence, commit);
    size_t full = check_trials(planner->problem);

    *ret_used = 0;
    for (size_t set = 1; set <= 2 && set * full <= fresh.count; set++) {
        struct votes votes = {0};

        count_votes(planner, evidence_search(planner->evidence, commit), SIZE_MAX, &votes);
        count_votes(planner, fresh, set * full, &votes);
        if (votes.good == votes.bad || label == (votes.bad > votes.good ? LABEL_BAD : LABEL_GOOD))
            continue;
        *ret_used = set * full;
        return votes.bad > votes.good ? LABEL_BAD : LABEL_GOOD;
    }
    return label;
}

size_t label_trials_missing(const struct planner *planner, unsigned commit)
{
    struct evidence_values values = evidence_search(planner->evidence, commit);
    size_t wanted = planner->problem->trials_per_commit, majority = wanted / 2 + 1;
    struct votes votes = {0};
    size_t most, missing, left;

    if (label_by_search(planner, commit) != LABEL_UNTESTED)
        return 0;
    count_votes(planner, values, SIZE_MAX, &votes);
    most = votes.good > votes.bad ? votes.good : votes.bad;
    missing = majority - most;
    left = wanted - values.count;
    return missing < left ? missing : left;
}

void label_commits(struct planner *planner)
{
    unsigned last = planner->problem->count - 1;
    unsigned good = evidence_class(planner->evidence, 0);
    unsigned bad = evidence_class(planner->evidence, last);

    for (unsigned c = 0; c < planner->problem->count; c++) {
        unsigned class = evidence_class(planner->evidence, c);
        size_t used;

        if (class == good)
            planner->labels[c] = LABEL_GOOD;
        else if (class == bad)
            planner->labels[c] = LABEL_BAD;
        else if (evidence_broken(planner->evidence, c))
            planner->labels[c] = LABEL_SKIP;
        else if (class == c)
            planner->labels[c] = label_by_all(planner, c, &used);
        else
            planner->labels[c] = planner->labels[class];
    }
}
