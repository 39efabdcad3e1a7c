/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the built commits divide the candidates. If candidate h made what descends from it worse, it
 * puts each built commit on the good or on the bad side; candidates that put all of them alike form
 * a cell. No measurement tells the members of a cell apart, so its likelihood is computed once, and
 * there are about as many cells as built commits, be the range 30 or 30,000 commits long.
 *
 * A candidate that puts one kernel image on both sides is in no cell: it cannot be the change. Nor
 * can one whose prior weight is 0.
 */
#ifndef CULPRIT_PLAN_CELLS_H
#define CULPRIT_PLAN_CELLS_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/evidence.h"
#include "plan/likelihood.h"

#define CELL_NONE UINT32_MAX

struct cell {
    unsigned size;    /* candidates in it */
    unsigned first;   /* the lowest of them */
    double weight;    /* the sum of their prior weights */
    double prior;     /* the same as a probability: over all cells it is 1 */
    uint64_t *images; /* bit i: image i is on the bad side; borrowed from `bits` */
};

struct cell_image {
    unsigned class; /* as evidence_class() */
    struct moments moments;
};

struct cells {
    unsigned count;
    struct cell *items;
    uint32_t *of_commit;       /* [problem->count]: cell, or CELL_NONE */
    struct cell_image *images; /* that have values, in the order of their classes */
    double image_ratio;        /* variance of the images' own offsets over that of a value */
    size_t image_count, words; /* words of 64 bits for a cell's images */
    uint64_t *bits;
};

/* Values are cut off at `low` and `high` before they are summed up. with_verification takes in
 * what the verifications measured, too. */
struct cells_values {
    double low, high;
    double floor;  /* no deviation of a value is thought to be less */
    double offset; /* deviation of the images of one side around its level; 0 for events */
    bool with_verification;
};

int cells_divide(const struct bisect_problem *problem, const struct evidence *evidence,
                 const struct cells_values *values, struct cells *ret, struct culprit_error *error);
void cells_clear(struct cells *cells);

double cells_prior_of(const struct bisect_problem *problem, unsigned commit);

static inline bool cell_is_bad(const struct cell *cell, size_t image)
{
    return cell->images[image / 64] >> (image % 64) & 1;
}

#endif
