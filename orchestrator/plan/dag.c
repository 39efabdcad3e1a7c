/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/dag.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

int dag_check(const struct bisect_problem *problem, struct culprit_error *error)
{
    if (problem->count < 2)
        return culprit_fail(error, CULPRIT_INVALID,
                            "cannot bisect %u commits: good and bad are needed", problem->count);
    if (problem->count > DAG_COUNT_MAXIMUM)
        return culprit_fail(error, CULPRIT_LIMIT, "cannot bisect %u commits: the most is %d",
                            problem->count, DAG_COUNT_MAXIMUM);
    for (unsigned c = 1; c < problem->count; c++) {
        const struct bisect_commit *commit = &problem->commits[c];

        if (commit->parent_count == 0)
            return culprit_fail(error, CULPRIT_INVALID, "commit %u has no parent", c);
        for (unsigned p = 0; p < commit->parent_count; p++)
            if (commit->parents[p] >= c)
                return culprit_fail(error, CULPRIT_INVALID,
                                    "commit %u has the later commit %u as parent", c,
                                    commit->parents[p]);
    }
    return 0;
}

void dag_add_ancestors(const struct bisect_problem *problem, unsigned commit, bool *set)
{
    set[commit] = true;
    for (unsigned c = commit; c > 0; c--)
        for (unsigned p = 0; set[c] && p < problem->commits[c].parent_count; p++)
            set[problem->commits[c].parents[p]] = true;
}

void dag_add_descendants(const struct bisect_problem *problem, unsigned commit, bool *set)
{
    set[commit] = true;
    for (unsigned c = commit + 1; c < problem->count; c++)
        for (unsigned p = 0; !set[c] && p < problem->commits[c].parent_count; p++)
            set[c] = set[problem->commits[c].parents[p]];
}

static void add_weight(struct dag_weight *into, const struct dag_weight *weight)
{
    for (unsigned w = 0; w < DAG_WEIGHTS; w++)
        into->of[w] += weight->of[w];
}

/* Whose ancestor a commit is, while a merge is walked. */
enum { OF_FIRST = 1, OF_OTHER = 2 };

struct walk {
    const struct bisect_problem *problem;
    const struct dag_weight *weights;
    unsigned char *marks; /* [count]; all zero between walks */
    unsigned lowest;      /* that was marked */
    unsigned open;        /* marked as the other parent's alone, and not yet passed */
};

static void mark(struct walk *walk, unsigned commit, unsigned char as)
{
    unsigned char before = walk->marks[commit];

    walk->marks[commit] |= as;
    walk->open += before == 0 && as == OF_OTHER;
    walk->open -= before == OF_OTHER && walk->marks[commit] != OF_OTHER;
    if (commit < walk->lowest)
        walk->lowest = commit;
}

/* Adds what is an ancestor of parent number `other` and of none before it. The walk goes down the
 * numbers only as far as there is such a commit: for a merge of a topic, to where it forked. */
static void walk_other_side(struct walk *walk, const struct bisect_commit *merge, unsigned other,
                            struct dag_weight *sum)
{
    unsigned top = merge->parents[other];

    walk->lowest = merge->parents[other];
    for (unsigned p = 0; p < other; p++) {
        mark(walk, merge->parents[p], OF_FIRST);
        top = merge->parents[p] > top ? merge->parents[p] : top;
    }
    mark(walk, merge->parents[other], OF_OTHER);
    for (unsigned c = top; walk->open > 0; c--) {
        const struct bisect_commit *commit = &walk->problem->commits[c];

        if (walk->marks[c] == 0)
            continue;
        if (walk->marks[c] == OF_OTHER) {
            walk->open--;
            add_weight(sum, &walk->weights[c]);
        }
        for (unsigned p = 0; c > 0 && p < commit->parent_count; p++)
            mark(walk, commit->parents[p],
                 walk->marks[c] == OF_OTHER ? OF_OTHER : (unsigned char)OF_FIRST);
    }
    memset(walk->marks + walk->lowest, 0, top - walk->lowest + 1);
}

int dag_weigh(const struct bisect_problem *problem, const struct dag_weight *weights,
              struct dag_weight *ret_sums, struct culprit_error *error)
{
    _cleanup_free_ unsigned char *marks = calloc(problem->count, sizeof *marks);
    struct walk walk = {.problem = problem, .weights = weights, .marks = marks};

    if (!marks)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot weigh %u commits: no memory",
                            problem->count);
    ret_sums[0] = weights[0];
    for (unsigned c = 1; c < problem->count; c++) {
        const struct bisect_commit *commit = &problem->commits[c];

        ret_sums[c] = ret_sums[commit->parents[0]];
        for (unsigned p = 1; p < commit->parent_count; p++)
            walk_other_side(&walk, commit, p, &ret_sums[c]);
        add_weight(&ret_sums[c], &weights[c]);
    }
    return 0;
}
