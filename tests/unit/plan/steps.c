/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "steps.h"

void chain(struct world *world, unsigned commits, unsigned culprit)
{
    struct world_options options = {.commits = commits, .noise = NOISE_NONE};

    world_draw(world, &options, 1);
    world->culprit = culprit;
    for (unsigned c = culprit; culprit > 0 && c < commits; c++)
        world->bad[c] = true;
}

void set_parents(struct world *world, unsigned commit, unsigned first, unsigned second)
{
    world->parents[commit][0] = first;
    world->parents[commit][1] = second;
    world->commits[commit].parent_count = first == second ? 1 : 2;
}

void plan(const struct world *world, struct bisect_step *step)
{
    struct culprit_error error = {0};
    int r = bisect_plan(&world->problem, &world->facts, step, &error);

    if (r < 0)
        fail_msg("planning failed with %d: %s", r, error.message);
}

void advance(struct world *world, struct bisect_step *step,
             bool (*stop)(const struct bisect_want *))
{
    for (unsigned round = 0;; round++) {
        plan(world, step);
        if (step->verdict != VERDICT_NONE)
            return;
        if (round > 300 || step->want_count == 0)
            fail_msg("round %u: %zu wants, no verdict", round, step->want_count);
        for (size_t i = 0; i < step->want_count; i++)
            if (stop && stop(&step->wants[i]))
                return;
        for (size_t i = 0; i < step->want_count; i++)
            world_do(world, &step->wants[i]);
        bisect_step_clear(step);
    }
}

bool is_verification(const struct bisect_want *want)
{
    return want->kind == WANT_TRIAL && want->purpose == PURPOSE_VERIFY;
}

bool is_trial_inside(const struct bisect_want *want)
{
    return want->kind == WANT_TRIAL && want->purpose == PURPOSE_SEARCH && want->commit != 0 &&
           want->commit != 8;
}

void expect_verdict(const struct bisect_step *step, enum bisect_verdict_kind verdict,
                    const char *word)
{
    if (step->verdict != verdict)
        fail_msg("verdict %d, want %d: %s", step->verdict, verdict, step->reason);
    if (!strstr(step->reason, word))
        fail_msg("\"%s\" is not in: %s", word, step->reason);
}

void add_trial(struct world *world, unsigned commit, enum trial_purpose purpose, unsigned index,
               enum outcome outcome, double value)
{
    world->trials[world->facts.trial_count++] = (struct bisect_trial){
        .commit = commit,
        .purpose = purpose,
        .index = index,
        .outcome = outcome,
        .value = value,
    };
}

void diamond(struct world *world, unsigned culprit)
{
    chain(world, 6, 0);
    set_parents(world, 1, 0, 0);
    set_parents(world, 2, 0, 0);
    set_parents(world, 3, 1, 1);
    set_parents(world, 4, 3, 2);
    set_parents(world, 5, 4, 4);
    world->culprit = culprit;
    world->bad[5] = true;
    world->bad[4] = culprit <= 4;
    world->bad[3] = culprit == 3 || culprit == 1;
    world->bad[2] = culprit == 2;
    world->bad[1] = culprit == 1;
}
