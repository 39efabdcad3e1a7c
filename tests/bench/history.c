/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "history.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"

static const double level = 100, deviation = 10;

static bool chance(struct random *random, double probability)
{
    return random_unit(random) < probability;
}

void history_clear(struct history *history)
{
    free(history->commits);
    free(history->parents);
    free(history->broken);
    free(history->bad);
    *history = (struct history){0};
}

static void follow(struct history *history, unsigned commit, unsigned parent)
{
    history->parents[commit][0] = parent;
    history->commits[commit] = (struct bisect_commit){history->parents[commit], 1};
}

/* A branch of one to twelve commits that left the trunk up to thirty commits ago, and one more
 * commit on the trunk, so that what follows is a real merge. */
static unsigned draw_branch(struct history *history, struct random *random, unsigned *trunk,
                            unsigned next)
{
    unsigned length = 1 + (unsigned)random_below(random, 12);
    unsigned back = (unsigned)random_below(random, 30);
    unsigned tip = *trunk > back ? *trunk - back : 0;

    for (unsigned i = 0; i < length; i++, next++) {
        follow(history, next, tip);
        tip = next;
    }
    follow(history, next, *trunk);
    follow(history, next + 1, next);
    history->parents[next + 1][1] = tip;
    history->commits[next + 1].parent_count = 2;
    *trunk = next + 1;
    return next + 2;
}

static void draw_graph(struct history *history, struct random *random)
{
    unsigned trunk = 0, next = 1;

    while (next < history->count) {
        if (history->options->dag && next + 15 < history->count && chance(random, 0.15)) {
            next = draw_branch(history, random, &trunk, next);
            continue;
        }
        follow(history, next, trunk);
        trunk = next++;
    }
}

/* Stretches of four broken commits on average. */
static void draw_breakage(struct history *history, struct random *random)
{
    double part = history->options->skips, leave = 0.25;
    bool broken = false;

    for (unsigned c = 1; c + 1 < history->count && part > 0; c++) {
        broken = broken ? !chance(random, leave) : chance(random, leave * part / (1 - part));
        history->broken[c] = broken;
    }
}

/* Merges bring no change of their own. */
static void draw_culprit(struct history *history, struct random *random)
{
    do
        history->culprit = 1 + (unsigned)random_below(random, history->count - 1);
    while (history->commits[history->culprit].parent_count > 1);
    for (unsigned c = history->culprit; c < history->count; c++) {
        history->bad[c] = c == history->culprit;
        for (unsigned p = 0; p < history->commits[c].parent_count; p++)
            history->bad[c] = history->bad[c] || history->bad[history->parents[c][p]];
    }
}

int history_draw(const struct history_options *options, uint64_t seed, struct history *ret,
                 struct culprit_error *error)
{
    struct random random;
    unsigned count = options->commits + 1;

    *ret = (struct history){
        .options = options,
        .seed = seed,
        .count = count,
        .commits = calloc(count, sizeof *ret->commits),
        .parents = calloc(count, sizeof *ret->parents),
        .broken = calloc(count, sizeof *ret->broken),
        .bad = calloc(count, sizeof *ret->bad),
    };
    if (!ret->commits || !ret->parents || !ret->broken || !ret->bad) {
        history_clear(ret);
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for %u commits", count);
    }
    random_seed(&random, seed);
    draw_graph(ret, &random);
    draw_culprit(ret, &random);
    draw_breakage(ret, &random);
    return 0;
}

static void seed_for(struct random *random, const struct history *history, uint64_t commit,
                     uint64_t boot, uint64_t sample)
{
    random_seed(random, history->seed);
    random_seed(random, random_next(random) ^ (commit << 40 | boot << 16 | sample));
    random_next(random);
}

static double mean_of(const struct recorded *recorded, bool bad)
{
    double sum = 0;

    for (unsigned i = 0; i < recorded->counts[bad]; i++)
        sum += recorded->values[bad][i] / recorded->counts[bad];
    return sum;
}

/* Of both sides together, each around its mean. */
static double deviation_of(const struct recorded *recorded)
{
    double sum = 0;

    for (int side = 0; side < 2; side++) {
        double mean = mean_of(recorded, side);

        for (unsigned i = 0; i < recorded->counts[side]; i++)
            sum += pow(recorded->values[side][i] - mean, 2) / (2 * (recorded->counts[side] - 1.0));
    }
    return sqrt(sum);
}

double history_effect(const struct history_options *options)
{
    const struct recorded *recorded = options->recorded;

    return recorded ? (mean_of(recorded, true) - mean_of(recorded, false)) / deviation_of(recorded)
                    : options->effect;
}

double history_middle(const struct history_options *options)
{
    const struct recorded *recorded = options->recorded;

    return recorded ? (mean_of(recorded, true) + mean_of(recorded, false)) / 2
                    : level + deviation * options->effect / 2;
}

/* What sets a commit apart from its neighbours, in deviations of a sample. */
static double image_offset(const struct history *history, unsigned commit)
{
    struct random random;

    seed_for(&random, history, commit, 0xffffff, 0xffff);
    return history->options->image_effect * random_normal(&random);
}

static double drawn_deviations(const struct history *history, unsigned commit, unsigned boot,
                               unsigned sample)
{
    const struct history_options *options = history->options;
    struct random of_boot, of_sample;
    double deviations;

    seed_for(&of_boot, history, commit, boot, 0xffff);
    seed_for(&of_sample, history, commit, boot, sample);
    deviations = chance(&of_sample, options->outliers) ? (chance(&of_sample, 0.5) ? 5 : -5)
                                                       : random_normal(&of_sample);
    deviations += options->boot_effect * random_normal(&of_boot);
    return deviations + (history->bad[commit] ? options->effect : 0);
}

double history_sample(const struct history *history, unsigned commit, unsigned boot,
                      unsigned sample)
{
    const struct recorded *recorded = history->options->recorded;
    double offset = image_offset(history, commit);
    struct random random;

    if (!recorded)
        return level + deviation * (drawn_deviations(history, commit, boot, sample) + offset);
    seed_for(&random, history, commit, boot, sample);
    return recorded_draw(recorded, history->bad[commit], &random) + deviation_of(recorded) * offset;
}
