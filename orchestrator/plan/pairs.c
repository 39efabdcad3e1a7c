/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/event.h"

void pairs_clear(struct pairs *pairs)
{
    free(pairs->cells);
    free(pairs->logs);
    *pairs = (struct pairs){0};
}

static void sort_images(const struct cells *cells, unsigned first, unsigned second,
                        struct moments levels[LEVEL_COUNT])
{
    const struct cell *a = &cells->items[first], *b = &cells->items[second];

    memset(levels, 0, LEVEL_COUNT * sizeof *levels);
    for (size_t i = 0; i < cells->image_count; i++)
        moments_join(&levels[cell_is_bad(a, i) | cell_is_bad(b, i) << 1],
                     &cells->images[i].moments);
}

static unsigned count_levels(const struct moments levels[LEVEL_COUNT])
{
    unsigned count = 0;

    for (int l = 0; l < LEVEL_COUNT; l++)
        count += levels[l].n > 0;
    return count;
}

/* All levels vary alike, or each like the end that it is nearer to. With a variance of its own a
 * level would win wherever a few trials of a wide distribution happen to agree. */
static double log_likelihood(const struct widths *widths, const struct moments levels[LEVEL_COUNT])
{
    double middle = (levels[LEVEL_GOOD].mean + levels[LEVEL_BAD].mean) / 2;
    struct moments like_good[LEVEL_COUNT] = {0}, like_bad[LEVEL_COUNT] = {0};

    if (widths->events)
        return event_levels(levels, LEVEL_COUNT);
    for (int l = 0; l < LEVEL_COUNT; l++)
        *(levels[l].mean > middle ? &like_bad[l] : &like_good[l]) = levels[l];
    return log_add(likelihood_tied(widths, levels, LEVEL_COUNT),
                   likelihood_tied(widths, like_good, LEVEL_COUNT) +
                       likelihood_tied(widths, like_bad, LEVEL_COUNT)) -
           M_LN2;
}

/* Trials of the images that lie between the levels of good and bad, or on the rival's other side.
 */
static double trials_otherwise(const struct cells *cells, unsigned first, unsigned second,
                               const struct cell *rival)
{
    double trials = 0;

    for (size_t i = 0; i < cells->image_count; i++) {
        bool by_first = cell_is_bad(&cells->items[first], i);
        bool by_second = cell_is_bad(&cells->items[second], i);

        if (by_first != by_second || by_first != cell_is_bad(rival, i))
            trials += cells->images[i].moments.n;
    }
    return trials;
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a < b) - (a > b);
}

static int choose_cells(const struct cells *cells, const double *by_cell, struct pairs *ret,
                        struct culprit_error *error)
{
    _cleanup_free_ double *sorted = calloc(cells->count + 1, sizeof *sorted);
    double least = -HUGE_VAL;

    ret->cells = calloc(cells->count + 1, sizeof *ret->cells);
    if (!sorted || !ret->cells)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot pair changes: no memory");
    if (cells->count > PAIRS_CELLS_MAXIMUM) {
        memcpy(sorted, by_cell, cells->count * sizeof *sorted);
        qsort(sorted, cells->count, sizeof *sorted, compare_doubles);
        least = sorted[PAIRS_CELLS_MAXIMUM - 1];
    }
    for (unsigned k = 0; k < cells->count && ret->count < PAIRS_CELLS_MAXIMUM; k++)
        if (by_cell[k] >= least)
            ret->cells[ret->count++] = k;
    return 0;
}

int pairs_weigh(const struct cells *cells, const struct widths *widths, const double *by_cell,
                double prior, const struct pairs_rival *rival, struct pairs *ret,
                struct culprit_error *error)
{
    int r = choose_cells(cells, by_cell, ret, error);

    if (r < 0)
        return r;
    ret->log_sum = -HUGE_VAL;
    ret->logs = calloc((size_t)ret->count * ret->count + 1, sizeof *ret->logs);
    if (!ret->logs)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot pair changes: no memory");
    for (unsigned i = 0; i < ret->count; i++)
        for (unsigned j = i + 1; j < ret->count; j++) {
            const struct cell *a = &cells->items[ret->cells[i]];
            const struct cell *b = &cells->items[ret->cells[j]];
            double *log_pair = &ret->logs[i * ret->count + j];
            struct moments levels[LEVEL_COUNT];
            double most = rival->log_likelihood +
                          rival->per_trial *
                              trials_otherwise(cells, ret->cells[i], ret->cells[j], rival->cell);

            sort_images(cells, ret->cells[i], ret->cells[j], levels);
            *log_pair = -HUGE_VAL;
            if (count_levels(levels) < 3 || levels[LEVEL_BAD].mean <= levels[LEVEL_GOOD].mean)
                continue;
            *log_pair = log(2 * prior * a->prior * b->prior) +
                        fmin(log_likelihood(widths, levels), most);
            ret->log_sum = log_add(ret->log_sum, *log_pair);
        }
    return 0;
}

void pairs_fit(const struct cells *cells, const struct widths *widths, unsigned first,
               unsigned second, struct pair_fit *ret)
{
    struct moments levels[LEVEL_COUNT];
    double rss = 0, n = 0, degrees = 0;

    sort_images(cells, first, second, levels);
    for (int l = 0; l < LEVEL_COUNT; l++) {
        rss += levels[l].rss;
        n += levels[l].n;
        degrees += levels[l].n - (levels[l].n > 0);
    }
    rss = hypot(rss, n * widths->floor * widths->floor);
    for (int l = 0; l < LEVEL_COUNT; l++) {
        ret->mean[l] = levels[levels[l].n > 0 ? l : LEVEL_GOOD].mean;
        ret->variance[l] = rss / fmax(degrees, 1) * (1 + 1 / fmax(levels[l].weight, 1));
    }
}
