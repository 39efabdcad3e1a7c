/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/random.h"

#include <errno.h>
#include <math.h>
#include <sys/random.h>

void random_seed(struct random *random, uint64_t seed)
{
    random->state = seed;
}

/* SplitMix64 with the constants of Steele, Lea and Flood, "Fast splittable pseudorandom number
 * generators", OOPSLA 2014 (variant 13 of Stafford's mixers). */
uint64_t random_next(struct random *random)
{
    uint64_t mixed;

    random->state += UINT64_C(0x9e3779b97f4a7c15);
    mixed = random->state;
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

/* Lemire, "Fast random integer generation in an interval", ACM TOMACS 29(1), 2019: the high half
 * of a 128-bit product, drawn again while the low half falls into the uneven rest. */
uint64_t random_below(struct random *random, uint64_t bound)
{
    unsigned __int128 product = (unsigned __int128)random_next(random) * bound;
    uint64_t low = (uint64_t)product;

    if (low < bound) {
        uint64_t rest = -bound % bound;

        while (low < rest) {
            product = (unsigned __int128)random_next(random) * bound;
            low = (uint64_t)product;
        }
    }
    return (uint64_t)(product >> 64);
}

double random_unit(struct random *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-53;
}

/* The second value of each pair is thrown away, so that the state is one number. */
double random_normal(struct random *random)
{
    double u, v, square;

    do {
        u = 2.0 * random_unit(random) - 1.0;
        v = 2.0 * random_unit(random) - 1.0;
        square = u * u + v * v;
    } while (square >= 1.0 || square == 0.0);
    return u * sqrt(-2.0 * log(square) / square);
}

int random_secret(void *ret_bytes, size_t length, struct culprit_error *error)
{
    unsigned char *bytes = ret_bytes;

    while (length > 0) {
        ssize_t got = getrandom(bytes, length, 0);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return culprit_fail_errno(error, errno, "cannot get random bytes");
        bytes += got;
        length -= (size_t)got;
    }
    return 0;
}
