/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A kernel history with recorded trials of its images, read from JSON: bisect-resample --help. */
#ifndef CULPRIT_BENCH_RECORDING_H
#define CULPRIT_BENCH_RECORDING_H

#include <jansson.h>

#include "base/error.h"
#include "job/job.h"
#include "store/facts.h"

struct recorded_image {
    double *values; /* of the job's metric, finite */
    size_t count;   /* 0: the commit does not build */
    double seconds; /* of one trial */
};

/* Arrays are by commit number. */
struct recording {
    json_t *root;
    struct job *job;
    char *document; /* the job's, whose verdicts are not confirmed */
    struct stored_commits commits;
    struct stored_pruning pruning;
    struct recorded_image *images;
    const char **digests; /* NULL: it does not build */
    double *build_seconds;
};

/* INVALID names what is wrong. Clear it after a failure too. */
int recording_read(FILE *stream, struct recording *ret, struct culprit_error *error);
void recording_clear(struct recording *recording);

static inline void recording_clear_cleanup(struct recording *recording)
{
    recording_clear(recording);
}

#endif
