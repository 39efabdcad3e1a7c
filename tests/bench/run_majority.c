/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "methods.h"
#include "plan/dag.h"

enum { VOTES = 5 };

struct halving {
    const struct history *history;
    bool *suspects, *tested, *reach; /* [count] */
    struct dag_weight *weights, *sums;
    unsigned left;
};

static void halving_clear(struct halving *halving)
{
    free(halving->suspects);
    free(halving->tested);
    free(halving->reach);
    free(halving->weights);
    free(halving->sums);
}

static inline void halving_clear_cleanup(struct halving *halving)
{
    halving_clear(halving);
}

static int halving_open(struct halving *halving, const struct history *history,
                        struct culprit_error *error)
{
    unsigned count = history->count;

    *halving = (struct halving){
        .history = history,
        .suspects = calloc(count, sizeof *halving->suspects),
        .tested = calloc(count, sizeof *halving->tested),
        .reach = calloc(count, sizeof *halving->reach),
        .weights = calloc(count, sizeof *halving->weights),
        .sums = calloc(count, sizeof *halving->sums),
        .left = count - 1,
    };
    if (!halving->suspects || !halving->tested || !halving->reach || !halving->weights ||
        !halving->sums)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for %u commits", count);
    for (unsigned c = 1; c < count; c++)
        halving->suspects[c] = true;
    return 0;
}

/* The untested commit that leaves fewest suspects either way, as git takes it; 0: none. */
static int choose_middle(struct halving *halving, const struct bisect_problem *problem,
                         unsigned *ret, struct culprit_error *error)
{
    double best = 0.5;
    int r;

    for (unsigned c = 0; c < problem->count; c++)
        halving->weights[c].of[0] = halving->suspects[c];
    r = dag_weigh(problem, halving->weights, halving->sums, error);
    *ret = 0;
    for (unsigned c = 1; r == 0 && c + 1 < problem->count; c++) {
        double least = fmin(halving->sums[c].of[0], halving->left - halving->sums[c].of[0]);

        if (halving->suspects[c] && !halving->tested[c] && least > best) {
            best = least;
            *ret = c;
        }
    }
    return r;
}

static bool looks_bad(const struct history *history, unsigned commit)
{
    double line = history_middle(history->options);
    unsigned above = 0;

    for (unsigned i = 0; i < VOTES; i++)
        above += history_sample(history, commit, 0, i) > line;
    return 2 * above > VOTES;
}

static void keep(struct halving *halving, const struct bisect_problem *problem, unsigned commit,
                 bool bad)
{
    memset(halving->reach, 0, problem->count * sizeof *halving->reach);
    dag_add_ancestors(problem, commit, halving->reach);
    halving->left = 0;
    for (unsigned c = 0; c < problem->count; c++) {
        halving->suspects[c] = halving->suspects[c] && halving->reach[c] == bad;
        halving->left += halving->suspects[c];
    }
}

int run_majority(const struct history *history, struct outcome_of_method *ret,
                 struct culprit_error *error)
{
    CULPRIT_CLEANUP(halving_clear) struct halving halving = {0};
    const struct bisect_problem problem = {.commits = history->commits, .count = history->count};
    int r = halving_open(&halving, history, error);

    *ret = (struct outcome_of_method){0};
    while (r == 0 && halving.left > 1) {
        unsigned middle;

        r = choose_middle(&halving, &problem, &middle, error);
        if (r < 0 || middle == 0)
            break;
        halving.tested[middle] = true;
        ret->builds++;
        ret->seconds += BUILD_SECONDS;
        if (history->broken[middle])
            continue;
        ret->samples += VOTES;
        ret->seconds += BOOT_SECONDS + VOTES * SAMPLE_SECONDS;
        keep(&halving, &problem, middle, looks_bad(history, middle));
    }
    ret->in_set = r == 0 && halving.suspects[history->culprit];
    ret->exact = ret->in_set && halving.left == 1;
    ret->inconclusive = halving.left != 1;
    return r;
}
