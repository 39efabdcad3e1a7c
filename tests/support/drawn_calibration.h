/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A calibration without guests: its trials are drawn from a normal distribution. */
#ifndef CULPRIT_TESTS_DRAWN_CALIBRATION_H
#define CULPRIT_TESTS_DRAWN_CALIBRATION_H

#include "calibration/record.h"

struct drawn_calibration {
    const char *job; /* YAML: whose setup and metric it is of; engine and shift stand in it */
    const char *unit;
    double level, spread;
    size_t trials; /* 0: 40 */
    uint64_t seed;
};

/* Fails the test when it cannot. */
struct calibration_record *drawn_calibration_record(const struct drawn_calibration *drawn);

/* The same as the document that is sent; the caller's. */
char *drawn_calibration_document(const struct drawn_calibration *drawn);

#endif
