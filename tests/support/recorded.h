/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values of real trials of a good and a bad kernel, for simulations to draw from: what a formula
 * for a distribution leaves out is in them. A file has a line "good VALUE" or "bad VALUE" for each
 * trial; what follows a # is for people.
 */
#ifndef CULPRIT_TEST_RECORDED_H
#define CULPRIT_TEST_RECORDED_H

#include <stdbool.h>

#include "base/error.h"
#include "base/random.h"

enum { RECORDED_MAXIMUM = 1000 };

struct recorded {
    double values[2][RECORDED_MAXIMUM]; /* of good, of bad; finite */
    unsigned counts[2];                 /* each at least 2 */
};

int recorded_read(const char *path, struct recorded *ret, struct culprit_error *error);

/* One of a side's values, each as likely as the others. */
double recorded_draw(const struct recorded *recorded, bool bad, struct random *random);

#endif
