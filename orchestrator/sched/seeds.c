/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/seeds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/digest.h"
#include "base/random.h"

/* A Feistel network over 2 x 16 bits whose rounds are keyed by job and image: four rounds of a
 * good mixing function make it a permutation that looks random (Luby and Rackoff, 1988). */
enum { ROUNDS = 4 };

static uint32_t permute(uint64_t key, uint32_t place)
{
    uint32_t left = place >> 16, right = place & 0xffff;

    for (unsigned round = 0; round < ROUNDS; round++) {
        struct random random;
        random_seed(&random, key ^ ((uint64_t)(round + 1) << 56) ^ ((uint64_t)right << 16));
        uint32_t mixed = left ^ (uint32_t)(random_next(&random) & 0xffff);
        left = right;
        right = mixed;
    }
    return left << 16 | right;
}

static uint64_t key_of(uint64_t job_seed, const char *image)
{
    struct digest digest;
    char number[24], hex[DIGEST_HEX_SIZE];

    snprintf(number, sizeof number, "%" PRIu64, job_seed);
    digest_init(&digest);
    digest_field(&digest, "seed", number);
    digest_field(&digest, "image", image);
    digest_finish(&digest, hex);
    hex[16] = '\0'; /* 64 bits of it */
    return strtoull(hex, NULL, 16);
}

uint64_t trial_seed(uint64_t job_seed, const char *image, enum trial_purpose purpose,
                    unsigned index)
{
    uint32_t place = ((unsigned)purpose * SEED_INDICES) | (index % SEED_INDICES);
    uint64_t key = key_of(job_seed, image);

    /* Places and seeds are those below 2^31: what leaves that range goes round again, which keeps
     * it a permutation (cycle walking, Black and Rogaway, 2002). */
    do
        place = permute(key, place);
    while (place >= UINT32_C(1) << 31);
    return place;
}
