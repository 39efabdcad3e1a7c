/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A calibration as it is kept and sent: of what it was measured (setup and metric), by which
 * trials, and what came out (stats/calibration.h). It speaks of every job with the same setup and
 * metric, whatever kernel that tests. Pure.
 *
 * A setup is what of a job decides how identical boots differ: its guest (topology, image, memory,
 * engine, shift, command line, sysctls, scheduler features) and its workloads with all options, in
 * the form that job_json() gives. Equal setups have equal digests.
 */
#ifndef CULPRIT_CALIBRATION_RECORD_H
#define CULPRIT_CALIBRATION_RECORD_H

#include <jansson.h>

#include "base/cleanup.h"
#include "base/digest.h"
#include "job/job.h"
#include "stats/calibration.h"

enum {
    CALIBRATION_DOCUMENT_MAXIMUM = 256 * 1024,
    CALIBRATION_NAME_MAXIMUM = 128, /* bytes of metric, kernel and host */
};

struct calibration_record {
    int64_t id;    /* under which a server keeps it; 0: none */
    json_t *setup; /* {"guest": {…}, "workloads": […]} */
    char setup_digest[DIGEST_HEX_SIZE];
    char *metric, *unit;
    enum metric_direction better; /* LOWER or HIGHER */
    char *kernel;                 /* the release, as the image says; "" */
    char kernel_digest[DIGEST_HEX_SIZE];
    char *host;                 /* where it was measured; "" */
    uint64_t first_seed;        /* of `count` + `failed` in a row */
    unsigned failed;            /* trials that gave no value */
    double *values;             /* in the order of the trials */
    struct calibration figures; /* its summary.count: how many values there are */
};

void calibration_record_free(struct calibration_record *record);
DEFINE_CLEANUP(struct calibration_record *, calibration_record_free);

/* The setup of a job, once it is known which engine and shift it has, and how much memory (which is
 * the topology's where the job says none). A new reference; NULL without memory. */
json_t *calibration_setup(const struct job *job, enum engine engine, unsigned shift,
                          uint64_t memory);
/* Of a setup; false without memory. */
bool calibration_setup_digest(const json_t *setup, char ret[DIGEST_HEX_SIZE]);

/* The record as a document; decoding that again gives an equal one. A new reference; NULL without
 * memory. */
json_t *calibration_json(const struct calibration_record *record);
/* The same without the values, as lists and reports have it. */
json_t *calibration_summary_json(const struct calibration_record *record);

/*
 * Reads a document, and completes its setup with every default. What follows from the values alone
 * (median, spread, drift) is computed and not believed; counts of comparisons are checked against
 * each other. INVALID, with the key, for what is not allowed; LIMIT for more than
 * CALIBRATION_DOCUMENT_MAXIMUM bytes. `environment`: what the server knows; NULL: not checked.
 */
int calibration_decode(const char *text, size_t length, const struct job_environment *environment,
                       struct calibration_record **ret, struct culprit_error *error);

/* "A/A on 6.1.192: 40 trials, spread 4.1 %, …": what a report says of the calibration that it used.
 * `trials`: a side, as the job has them. */
struct buffer;
void calibration_sentence(struct buffer *out, const struct calibration_record *record,
                          size_t trials);

#endif
