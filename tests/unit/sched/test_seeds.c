/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sched/seeds.h"

static const char *const images[] = {"", "1f2e", "3d4c5b6a"};

/* Every place of an image: all purposes and 8192 indices, none twice. */
static void all_seeds_of_an_image_differ(void **state)
{
    static const uint64_t jobs[] = {0, 1, 2, 42, UINT64_MAX};
    static unsigned char seen[(1u << 31) / 8];

    (void)state;
    for (size_t run = 0; run < 2 * 3 * sizeof jobs / sizeof jobs[0]; run++) {
        uint64_t job = jobs[run / 6]; /* each image twice: the second clears what the first set */
        for (unsigned place = 0; place < PURPOSE_COUNT * SEED_INDICES; place++) {
            uint64_t seed = trial_seed(job, images[run / 2 % 3],
                                       (enum trial_purpose)(place / SEED_INDICES),
                                       place % SEED_INDICES);
            assert_true(seed < UINT64_C(1) << 31);
            unsigned char bit = (unsigned char)(1u << seed % 8);
            if (run % 2 == 0 && seen[seed / 8] & bit)
                fail_msg("seed %llu comes twice in job seed %llu", (unsigned long long)seed,
                         (unsigned long long)job);
            seen[seed / 8] ^= bit;
        }
    }
}

static void jobs_and_images_have_seeds_of_their_own(void **state)
{
    unsigned equal = 0;

    (void)state;
    for (unsigned i = 0; i < 1000; i++) {
        uint64_t seed = trial_seed(1, images[1], PURPOSE_SEARCH, i);
        equal += seed == trial_seed(2, images[1], PURPOSE_SEARCH, i);
        equal += seed == trial_seed(1, images[2], PURPOSE_SEARCH, i);
    }
    assert_int_equal(equal, 0);
}

/* Figures that were mailed must stay true: these are part of the format. */
static void seeds_never_change(void **state)
{
    (void)state;
    assert_int_equal(trial_seed(1, "1f2e", PURPOSE_SEARCH, 0), 1680678619);
    assert_int_equal(trial_seed(7, "3d4c5b6a", PURPOSE_VERIFY, 8191), 19651860);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_seeds_of_an_image_differ),
        cmocka_unit_test(seeds_never_change),
        cmocka_unit_test(jobs_and_images_have_seeds_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
