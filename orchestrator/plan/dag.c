/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/dag.h"

#include <stdint.h>
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

/* Ancestor sets of all commits at once would need count² bits. So the columns are taken in blocks:
 * for 512 members of the set at a time, their marks run down the graph and are counted. */
enum { BLOCK_WORDS = 8, BLOCK_BITS = 64 * BLOCK_WORDS };

static void weigh_block(const struct bisect_problem *problem, const unsigned *members,
                        unsigned member_count, uint64_t (*marks)[BLOCK_WORDS],
                        unsigned *ret_weights)
{
    unsigned next = 0;

    for (unsigned c = members[0]; c < problem->count; c++) {
        const struct bisect_commit *commit = &problem->commits[c];

        memset(marks[c], 0, sizeof marks[c]);
        if (next < member_count && members[next] == c) {
            marks[c][next / 64] |= UINT64_C(1) << next % 64;
            next++;
        }
        for (unsigned p = 0; p < commit->parent_count; p++)
            for (unsigned w = 0; commit->parents[p] >= members[0] && w < BLOCK_WORDS; w++)
                marks[c][w] |= marks[commit->parents[p]][w];
        for (unsigned w = 0; w < BLOCK_WORDS; w++)
            ret_weights[c] += (unsigned)__builtin_popcountll(marks[c][w]);
    }
}

int dag_weigh(const struct bisect_problem *problem, const bool *set, unsigned *ret_weights,
              struct culprit_error *error)
{
    _cleanup_free_ uint64_t(*marks)[BLOCK_WORDS] = calloc(problem->count, sizeof *marks);
    unsigned members[BLOCK_BITS], member_count = 0;

    if (!marks)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot weigh %u commits: no memory",
                            problem->count);
    memset(ret_weights, 0, problem->count * sizeof *ret_weights);
    for (unsigned c = 0; c < problem->count; c++) {
        if (set[c])
            members[member_count++] = c;
        if (member_count == BLOCK_BITS || (c + 1 == problem->count && member_count > 0)) {
            weigh_block(problem, members, member_count, marks, ret_weights);
            member_count = 0;
        }
    }
    return 0;
}
