/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trials of one sample file. The unit of every test is the trial, one boot: values that carry
 * the same trial are iterations inside it and become one sample, their mean or their median.
 */
#ifndef CULPRIT_CLI_SAMPLES_SET_H
#define CULPRIT_CLI_SAMPLES_SET_H

#include <stddef.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "stats/summary.h"

enum {
    SAMPLES_TRIALS_MAXIMUM = SAMPLES_MAXIMUM,
    SAMPLES_VALUES_MAXIMUM = ITERATIONS_MAXIMUM,
    SAMPLES_NAME_MAXIMUM = 128, /* bytes of a trial's name */
};

enum samples_aggregate { SAMPLES_MEAN, SAMPLES_MEDIAN };

struct samples_set {
    double *values; /* one a trial, in the order in which the trials came */
    size_t count;
    size_t read; /* values in the file */
};

void samples_set_free(struct samples_set *set);

/* Fills a set value by value. */
struct samples_builder;

int samples_builder_new(struct samples_builder **ret, struct culprit_error *error);
void samples_builder_free(struct samples_builder *builder);
DEFINE_CLEANUP(struct samples_builder *, samples_builder_free);

/* A value of the trial of that name, or, with NULL, of a trial of its own. The value is finite.
 * LIMIT for one value or trial too many, INVALID for a name that is empty or too long. */
int samples_builder_add(struct samples_builder *builder, const char *trial, double value,
                        struct culprit_error *error);

/* The set, for samples_set_free(). INVALID when there is no value. */
int samples_builder_finish(struct samples_builder *builder, enum samples_aggregate aggregate,
                           struct samples_set *ret, struct culprit_error *error);

static inline void samples_set_free_cleanup(struct samples_set *set)
{
    samples_set_free(set);
}

#endif
