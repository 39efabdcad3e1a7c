/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two changes instead of one. Each pair of cells sorts the images by which of the two a commit
 * descends from: three levels on a line, four where the two came in on branches of their own. Only
 * pairs that give each of at least three levels a measured image are weighed; the others look like
 * one change, and count as one.
 */
#ifndef CULPRIT_PLAN_PAIRS_H
#define CULPRIT_PLAN_PAIRS_H

#include "plan/cells.h"

/* Of more cells than this, those that explain the most by themselves are paired. */
enum { PAIRS_CELLS_MAXIMUM = 128 };

/* Bit 0: descends from the first change, bit 1: from the second. */
enum { LEVEL_GOOD, LEVEL_FIRST, LEVEL_SECOND, LEVEL_BAD, LEVEL_COUNT };

struct pair_fit {
    double mean[LEVEL_COUNT]; /* that of good where nothing was measured at a level */
    double variance[LEVEL_COUNT];
};

struct pairs {
    unsigned count;  /* of the cells that are paired */
    unsigned *cells; /* ascending */
    double *logs;    /* [count × count], above the diagonal: prior and likelihood; then their
                        probability */
    double log_sum;
};

/* The likeliest single change, and by how much each trial that a pair places otherwise may speak
 * for the pair against it. */
struct pairs_rival {
    const struct cell *cell;
    double log_likelihood, per_trial;
};

/* by_cell: how well each cell explains the values alone, as a logarithm. */
int pairs_weigh(const struct cells *cells, const struct widths *widths, const double *by_cell,
                double prior, const struct pairs_rival *rival, struct pairs *ret,
                struct culprit_error *error);
void pairs_clear(struct pairs *pairs);

/* Means and variances for two cells. */
void pairs_fit(const struct cells *cells, const struct widths *widths, unsigned first,
               unsigned second, struct pair_fit *ret);

#endif
