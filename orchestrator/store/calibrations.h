/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calibrations: what identical builds differ by, one for each setup and metric; and the copies that
 * jobs took when they began, so that a job plans by its own facts whatever is measured later. */
#ifndef CULPRIT_STORE_CALIBRATIONS_H
#define CULPRIT_STORE_CALIBRATIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/digest.h"
#include "store/store.h"

enum { STORE_CALIBRATIONS_MAXIMUM = 1000 };

struct stored_calibration {
    int64_t id; /* from 1 upwards, never used again */
    char setup[DIGEST_HEX_SIZE];
    char *metric;
    char *document; /* JSON object: see calibration/record.h */
    uint64_t created_ns;
};

struct stored_calibrations {
    struct stored_calibration *items; /* newest first */
    size_t count;
};

/* Takes setup, metric and document; the place of an older one of the same setup and metric.
 * CONFLICT when there are STORE_CALIBRATIONS_MAXIMUM others. */
int store_calibration_put(struct store *store, const struct stored_calibration *draft,
                          int64_t *ret_id, struct culprit_error *error);
/* NOT_FOUND */
int store_calibration_get(struct store *store, int64_t id, struct stored_calibration *ret,
                          struct culprit_error *error);
int store_calibration_find(struct store *store, const char *setup, const char *metric,
                           struct stored_calibration *ret, struct culprit_error *error);
int store_calibration_remove(struct store *store, int64_t id, struct culprit_error *error);
int store_calibrations_list(struct store *store, struct stored_calibrations *ret,
                            struct culprit_error *error);

void stored_calibration_clear(struct stored_calibration *calibration);
DEFINE_CLEAR(struct stored_calibration, stored_calibration_clear);
void stored_calibrations_clear(struct stored_calibrations *calibrations);
DEFINE_CLEAR(struct stored_calibrations, stored_calibrations_clear);

/* The copy of a job. Once; what is set already stays. document NULL: there is none for it. */
int store_job_calibration_set(struct store *store, int64_t job, const char *document,
                              struct culprit_error *error);
/* *ret_known: somebody has looked; *ret_document is the caller's, NULL when there is none. */
int store_job_calibration_get(struct store *store, int64_t job, bool *ret_known,
                              char **ret_document, struct culprit_error *error);

#endif
