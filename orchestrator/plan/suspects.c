/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/suspects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct candidate {
    unsigned commit;
    uint32_t cell;
    double probability;
};

static int compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;

    if (a->probability != b->probability)
        return a->probability < b->probability ? 1 : -1;
    if (a->cell != b->cell)
        return a->cell < b->cell ? -1 : 1;
    return (a->commit > b->commit) - (a->commit < b->commit);
}

static bool alike(const struct candidate *a, const struct candidate *b)
{
    return a->cell == b->cell && a->probability >= b->probability;
}

int suspects_find(struct planner *planner, struct culprit_error *error)
{
    const struct posterior *posterior = &planner->posterior;
    unsigned count = planner->problem->count, possible = 0;
    _cleanup_free_ struct candidate *candidates = calloc(count, sizeof *candidates);
    double target = planner->problem->confidence * fmin(posterior->single, 1);

    if (!candidates)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot order %u commits: no memory", count);
    for (unsigned c = 0; c < count; c++)
        if (posterior->by_commit[c] > 0)
            candidates[possible++] = (struct candidate){c, posterior->cells.of_commit[c],
                                                        posterior->by_commit[c]};
    qsort(candidates, possible, sizeof *candidates, compare_candidates);
    if (posterior->single >= planner->problem->confidence)
        target = planner->problem->confidence;
    memset(planner->suspects, 0, count * sizeof *planner->suspects);
    planner->suspect_count = 0;
    planner->suspect_probability = 0;
    for (unsigned i = 0; i < possible; i++) {
        if (planner->suspect_probability >= target &&
            !(i > 0 && alike(&candidates[i], &candidates[i - 1])))
            break;
        planner->suspects[candidates[i].commit] = true;
        planner->suspect_count++;
        planner->suspect_probability += candidates[i].probability;
    }
    return 0;
}

void suspects_set(struct planner *planner, const unsigned *commits, unsigned count,
                  double probability)
{
    memset(planner->suspects, 0, planner->problem->count * sizeof *planner->suspects);
    for (unsigned i = 0; i < count; i++)
        planner->suspects[commits[i]] = true;
    planner->suspect_count = count;
    planner->suspect_probability = probability;
}

int suspects_list(struct planner *planner, struct culprit_error *error)
{
    struct bisect_step *step = planner->step;

    bisect_step_clear(step);
    step->posterior = fmin(planner->suspect_probability, 1);
    if (planner->suspect_count == 0)
        return 0;
    step->suspects = calloc(planner->suspect_count, sizeof *step->suspects);
    if (!step->suspects)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot list %u suspects: no memory",
                            planner->suspect_count);
    for (unsigned c = 0; c < planner->problem->count; c++)
        if (planner->suspects[c])
            step->suspects[step->suspect_count++] = c;
    return 0;
}

double suspects_entropy(const struct planner *planner)
{
    double bits = 0;

    for (unsigned c = 0; c < planner->problem->count; c++)
        if (planner->posterior.by_commit[c] > 0)
            bits -= planner->posterior.by_commit[c] * log2(planner->posterior.by_commit[c]);
    return bits;
}
