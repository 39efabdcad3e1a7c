/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/seeds.h"

#include "base/random.h"

/* A Feistel network over 2 x 16 bits whose rounds are keyed by the job's seed: four rounds of a
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

uint64_t trial_seed(uint64_t job_seed, unsigned commit, enum trial_purpose purpose, unsigned index)
{
    struct random random;
    uint32_t place = ((commit % SEED_COMMITS) << 14) | ((unsigned)purpose << 13) |
                     (index % SEED_INDICES);

    random_seed(&random, job_seed);
    uint64_t key = random_next(&random);
    /* Places and seeds are those below 2^31: what leaves that range goes round again, which keeps
     * it a permutation (cycle walking, Black and Rogaway, 2002). */
    do
        place = permute(key, place);
    while (place >= UINT32_C(1) << 31);
    return place;
}
