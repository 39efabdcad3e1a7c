/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Seeded pseudo-random numbers (SplitMix64, Steele, Lea and Flood 2014): equal seeds give equal
 * sequences on every host. Not for secrets: random_secret() is. */
#ifndef CULPRIT_BASE_RANDOM_H
#define CULPRIT_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct random {
    uint64_t state;
};

void random_seed(struct random *random, uint64_t seed);
uint64_t random_next(struct random *random);
/* Uniform in [0, bound), without modulo bias; bound > 0. */
uint64_t random_below(struct random *random, uint64_t bound);
/* Uniform in [0, 1). */
double random_unit(struct random *random);
/* Standard normal (Marsaglia's polar method). */
double random_normal(struct random *random);

int random_secret(void *ret_bytes, size_t length, struct culprit_error *error);

#endif
