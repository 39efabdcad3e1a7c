/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/search.h"

#include <math.h>
#include <stdlib.h>

#include "plan/dag.h"
#include "plan/label.h"

static int new_set(const struct planner *planner, bool **ret, struct culprit_error *error)
{
    *ret = calloc(planner->problem->count, sizeof **ret);
    if (!*ret)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot hold %u commits: no memory",
                            planner->problem->count);
    return 0;
}

int search_suspects(struct planner *planner, struct culprit_error *error)
{
    const struct bisect_problem *problem = planner->problem;
    _cleanup_free_ bool *innocent = NULL, *reach = NULL;
    int r = new_set(planner, &innocent, error);

    if (r == 0)
        r = new_set(planner, &reach, error);
    if (r < 0)
        return r;
    for (unsigned c = 0; c < problem->count; c++)
        planner->suspects[c] = true;
    for (unsigned c = 0; c < problem->count; c++) {
        if (planner->labels[c] == LABEL_GOOD)
            dag_add_ancestors(problem, c, innocent);
        if (planner->labels[c] != LABEL_BAD)
            continue;
        for (unsigned i = 0; i < problem->count; i++)
            reach[i] = false;
        dag_add_ancestors(problem, c, reach);
        for (unsigned i = 0; i < problem->count; i++)
            planner->suspects[i] = planner->suspects[i] && reach[i];
    }
    planner->suspect_count = 0;
    for (unsigned c = 0; c < problem->count; c++) {
        planner->suspects[c] = planner->suspects[c] && !innocent[c] &&
                               !evidence_changes_nothing(planner->evidence, c);
        planner->suspect_count += planner->suspects[c];
    }
    return 0;
}

/* The suspects, weighed: how many of them each commit descends from or is. */
struct weighing {
    unsigned *weights; /* [count] */
    unsigned *broken;  /* weights of the broken commits */
    size_t broken_count;
};

static void weighing_free(struct weighing *weighing)
{
    free(weighing->weights);
    free(weighing->broken);
}

static inline void weighing_free_cleanup(struct weighing *weighing)
{
    weighing_free(weighing);
}

static int weigh(const struct planner *planner, struct weighing *ret, struct culprit_error *error)
{
    unsigned count = planner->problem->count;
    int r;

    ret->weights = calloc(count, sizeof *ret->weights);
    ret->broken = calloc(count, sizeof *ret->broken);
    if (!ret->weights || !ret->broken)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot weigh %u commits: no memory", count);
    r = dag_weigh(planner->problem, planner->suspects, ret->weights, error);
    if (r < 0)
        return r;
    for (unsigned c = 0; c < count; c++)
        if (planner->labels[c] == LABEL_SKIP && ret->weights[c] > 0)
            ret->broken[ret->broken_count++] = ret->weights[c];
    return 0;
}

/* Suspects that are ruled out whichever way the test goes; less where it may well not build: one
 * step from a broken commit two thirds of it, two steps three quarters, and so on. */
static double gain_of(const struct planner *planner, const struct weighing *weighing,
                      unsigned commit)
{
    unsigned total = planner->suspect_count, weight = weighing->weights[commit];
    unsigned least = weight < total - weight ? weight : total - weight;
    double distance = INFINITY;

    for (size_t i = 0; i < weighing->broken_count; i++)
        distance = fmin(distance, fabs((double)weighing->broken[i] - (double)weight));
    return least * (1 - 1 / (distance + 2));
}

/* Whether a test of the commit could rule out anything, and can be made. One of weight 0 has its
 * parents' image: testing them tells as much. */
static bool divides(const struct planner *planner, const struct weighing *weighing,
                    const bool *below_bad, unsigned commit)
{
    const double *prior = planner->problem->prior_weights;

    return planner->labels[commit] == LABEL_UNTESTED && below_bad[commit] &&
           (!prior || prior[commit] > 0) && weighing->weights[commit] > 0 &&
           weighing->weights[commit] < planner->suspect_count;
}

int search_next(const struct planner *planner, bool only_built, bool *ret_found, unsigned *ret,
                struct culprit_error *error)
{
    CULPRIT_CLEANUP(weighing_free) struct weighing weighing = {0};
    _cleanup_free_ bool *below_bad = NULL;
    double best = 0;
    int r = new_set(planner, &below_bad, error);

    *ret_found = false;
    if (r == 0)
        r = weigh(planner, &weighing, error);
    if (r < 0)
        return r;
    for (unsigned c = 0; c < planner->problem->count; c++)
        if (planner->labels[c] == LABEL_BAD)
            dag_add_ancestors(planner->problem, c, below_bad);
    for (unsigned c = 0; c < planner->problem->count; c++) {
        bool built = evidence_built(planner->evidence, c);
        double gain;

        if (!divides(planner, &weighing, below_bad, c) || (only_built && !built))
            continue;
        gain = gain_of(planner, &weighing, c);
        /* Of equal gains, what is built already costs no build. */
        if (gain > best ||
            (*ret_found && gain >= best && built && !evidence_built(planner->evidence, *ret))) {
            best = gain;
            *ret = c;
            *ret_found = true;
        }
    }
    return 0;
}

/* Trials that a commit takes on average before its median of five is decided. */
static const double trials_per_label = 3.3;

void search_estimate(struct planner *planner)
{
    double steps = planner->suspect_count > 1 ? log2(planner->suspect_count) : 0;
    double scale = planner->problem->trials_per_commit / 5.0;

    planner->step->expected_builds += steps;
    planner->step->expected_trials += steps * trials_per_label * scale;
}
