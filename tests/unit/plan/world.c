/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "world.h"

#include <math.h>
#include <string.h>

static bool chance(struct random *random, double probability)
{
    return random_unit(random) < probability;
}

/* Side branches of one to four commits leave the trunk and are merged again. */
static void draw_graph(struct world *world, struct random *random)
{
    unsigned trunk = 0, count = world->options.commits;

    for (unsigned c = 1; c < count;) {
        unsigned side = 1 + (unsigned)random_below(random, 4);

        if (c + side + 2 < count && chance(random, world->options.merges)) {
            unsigned fork = trunk > 3 ? trunk - (unsigned)random_below(random, 3) : trunk;
            unsigned branch = fork;

            for (unsigned i = 0; i < side; i++, c++) {
                world->parents[c][0] = branch;
                world->commits[c].parent_count = 1;
                branch = c;
            }
            world->parents[c][0] = trunk; /* one more on the trunk, so that it is a real merge */
            world->commits[c].parent_count = 1;
            world->parents[c + 1][0] = c;
            world->parents[c + 1][1] = branch;
            world->commits[c + 1].parent_count = 2;
            trunk = c + 1;
            c += 2;
            continue;
        }
        world->parents[c][0] = trunk;
        world->commits[c].parent_count = 1;
        trunk = c++;
    }
    for (unsigned c = 0; c < count; c++)
        world->commits[c].parents = world->parents[c];
}

static void descend(const struct world *world, unsigned from, bool *set)
{
    set[from] = true;
    for (unsigned c = from + 1; c < world->options.commits; c++)
        for (unsigned p = 0; p < world->commits[c].parent_count; p++)
            set[c] = set[c] || set[world->parents[c][p]];
}

/* A commit without effect has its parent's image; a merge mixes its parents' where they differ. */
static void draw_images(struct world *world, struct random *random)
{
    unsigned last = world->options.commits - 1;

    for (unsigned c = 0; c <= last; c++) {
        bool merge = world->commits[c].parent_count > 1;
        bool changes = c == 0 || c == world->culprit || (world->second > 0 && c == world->second) ||
                       !chance(random, world->options.no_changes);
        unsigned parent = world->parents[c][0];

        world->image[c] = c;
        if (merge)
            changes = world->image[parent] != world->image[world->parents[c][1]];
        if (!changes)
            world->image[c] = world->image[parent];
        world->broken[c] = c > 0 && c < last && c != world->culprit &&
                           chance(random, world->options.broken);
    }
}

static unsigned draw_plain_commit(const struct world *world, struct random *random, unsigned from)
{
    unsigned c;

    do
        c = from + (unsigned)random_below(random, world->options.commits - from);
    while (world->commits[c].parent_count != 1);
    return c;
}

void world_draw(struct world *world, const struct world_options *options, uint64_t seed)
{
    struct random random;

    memset(world, 0, sizeof *world);
    random_seed(&random, seed);
    world->options = *options;
    world->seed = seed;
    draw_graph(world, &random);
    if (options->culprit_always) {
        world->culprit = draw_plain_commit(world, &random, 1);
        descend(world, world->culprit, world->bad);
        if (options->second_change > 0 && world->culprit + 2 < options->commits) {
            world->second = draw_plain_commit(world, &random, world->culprit + 1);
            descend(world, world->second, world->worse_still);
        }
    }
    draw_images(world, &random);
    world->problem = (struct bisect_problem){
        .commits = world->commits,
        .count = options->commits,
        .measure = options->noise == NOISE_EVENT ? MEASURE_EVENT : MEASURE_CONTINUOUS,
        .lower_is_better = !options->higher_is_better,
        .min_effect = options->noise == NOISE_NORMAL || options->noise == NOISE_OUTLIERS ? 0.05
                                                                                         : 0.2,
        .min_effect_relative = true,
        .confidence = options->confidence > 0 ? options->confidence : 0.99,
        .trials_per_commit = 5,
        .max_builds = options->max_builds,
        .max_trials = options->max_trials,
        .build_seconds = options->build_seconds,
        .trial_seconds = options->trial_seconds,
    };
    if (options->noise == NOISE_EVENT)
        world->problem.min_effect = 0;
    else if (options->min_effect > 0)
        world->problem.min_effect = options->min_effect;
    world->facts = (struct bisect_facts){.builds = world->builds, .trials = world->trials};
}

static double draw_good(const struct world_options *options, struct random *random)
{
    switch (options->noise) {
    case NOISE_RECORDED:
        return recorded_draw(options->recorded, false, random);
    case NOISE_TAIL:
        return chance(random, 0.1) ? 14500 + 1000 * random_unit(random)
                                   : 2500 + 10500 * random_unit(random);
    case NOISE_BIMODAL:
        return chance(random, 0.1) ? 12000 + 300 * random_normal(random)
                                   : 256 + 20 * random_normal(random);
    case NOISE_OUTLIERS:
        if (chance(random, 0.1))
            return 100 + (chance(random, 0.5) ? 50 : -50);
        return 100 + 10 * random_normal(random);
    case NOISE_NORMAL:
        return 100 + 10 * random_normal(random);
    default:
        return 100;
    }
}

static double draw_bad(const struct world_options *options, struct random *random)
{
    switch (options->noise) {
    case NOISE_RECORDED:
        return recorded_draw(options->recorded, true, random);
    case NOISE_TAIL:
        return 15800 + 500 * random_unit(random);
    case NOISE_BIMODAL:
        return 12600 + 250 * random_normal(random);
    case NOISE_NORMAL:
    case NOISE_OUTLIERS:
        return draw_good(options, random) + 10 * options->effect;
    default:
        return 200;
    }
}

double world_value(const struct world *world, unsigned commit, enum trial_purpose purpose,
                   unsigned index)
{
    const struct world_options *options = &world->options;
    struct random random;
    double value;

    /* Commits with one image are bad or good together: see draw_images(). */
    random_seed(&random, world->seed * 1000003 + commit * 1009 + purpose * 499979 + index * 31);
    random_next(&random);
    if (options->noise == NOISE_EVENT)
        return chance(&random, world->bad[commit] ? options->bad_fails : options->good_fails);
    value = world->bad[commit] ? draw_bad(options, &random) : draw_good(options, &random);
    if (world->worse_still[commit])
        value += options->second_change * 10 * options->effect;
    value += 10 * options->boot_effect * random_normal(&random);
    random_seed(&random, world->seed * 7368787 + world->image[commit]);
    random_next(&random);
    value += 10 * options->image_effect * random_normal(&random);
    if (options->higher_is_better)
        value = -value;
    return options->offset + (options->scale > 0 ? options->scale : 1) * value;
}

void world_apply_again(struct world *world, unsigned first, unsigned reverted, unsigned again)
{
    world->culprit = first;
    world->second = again;
    for (unsigned c = 0; c < world->options.commits; c++)
        world->bad[c] = (c >= first && c < reverted) || c >= again;
}

void world_do(struct world *world, const struct bisect_want *want)
{
    world->asked_again = world->asked_again || world->builds[want->commit].state == BUILD_BROKEN;
    if (want->kind == WANT_BUILD) {
        world->builds[want->commit] = (struct bisect_build){
            .state = world->broken[want->commit] ? BUILD_BROKEN : BUILD_OK,
            .image = world->image[want->commit],
        };
        world->build_count++;
        return;
    }
    world->trials[world->facts.trial_count++] = (struct bisect_trial){
        .commit = want->commit,
        .purpose = want->purpose,
        .index = want->index,
        .value = world_value(world, want->commit, want->purpose, want->index) +
                 10 * world->options.drift * (double)world->facts.trial_count,
    };
    world->trial_count[want->purpose]++;
}

int world_bisect(struct world *world, struct bisect_step *ret, struct culprit_error *error)
{
    struct random random;

    random_seed(&random, world->seed + 1);
    for (;;) {
        int r = bisect_plan(&world->problem, &world->facts, ret, error);

        if (r < 0 || ret->verdict != VERDICT_NONE)
            return r;
        if (ret->want_count == 0 || world->facts.trial_count == WORLD_TRIALS ||
            world->build_count > world->options.commits) {
            bisect_step_clear(ret);
            return culprit_fail(error, CULPRIT_INTERNAL, "the planner %s",
                                ret->want_count == 0 ? "wants nothing and says nothing"
                                                     : "does not come to an end");
        }
        world_do(world, &ret->wants[random_below(&random, ret->want_count)]);
        bisect_step_clear(ret);
    }
}

bool world_is_suspect(const struct bisect_step *step, unsigned commit)
{
    for (size_t i = 0; i < step->suspect_count; i++)
        if (step->suspects[i] == commit)
            return true;
    return false;
}
