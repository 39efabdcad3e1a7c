/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/label.h"

#include <math.h>

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

enum bisect_label label_of(const struct planner *planner, unsigned commit)
{
    if (evidence_broken(planner->evidence, commit))
        return LABEL_SKIP;
    if (!evidence_built(planner->evidence, commit) ||
        evidence_search(planner->evidence, commit).count == 0)
        return LABEL_UNTESTED;
    if (evidence_class(planner->evidence, commit) == evidence_class(planner->evidence, 0))
        return LABEL_GOOD;
    return planner->posterior.sums[commit].of[BAD_WEIGHT] > 0.5 ? LABEL_BAD : LABEL_GOOD;
}
