/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sched/seeds.h"

/* Every place of a job of 2000 commits, 2 purposes and 64 indices: 256,000 seeds, none twice. */
static void all_seeds_of_a_job_differ(void **state)
{
    static const uint64_t jobs[] = {0, 1, 2, 42, UINT64_MAX};
    static unsigned char seen[(1u << 31) / 8];

    (void)state;
    for (size_t job = 0; job < sizeof jobs / sizeof jobs[0]; job++) {
        for (int pass = 0; pass < 2; pass++) { /* the second clears what the first set */
            for (unsigned place = 0; place < 2000 * 2 * 64; place++) {
                uint64_t seed = trial_seed(jobs[job], place / 128,
                                           (enum trial_purpose)(place / 64 % 2), place % 64);
                assert_true(seed < UINT64_C(1) << 31);
                unsigned char bit = (unsigned char)(1u << seed % 8);
                if (pass == 0 && seen[seed / 8] & bit)
                    fail_msg("seed %llu comes twice in job seed %llu", (unsigned long long)seed,
                             (unsigned long long)jobs[job]);
                seen[seed / 8] ^= bit;
            }
        }
    }
}

/* Figures that were mailed must stay true: these are part of the format. */
static void seeds_never_change(void **state)
{
    (void)state;
    assert_int_equal(trial_seed(1, 0, PURPOSE_SEARCH, 0), 896194512);
    assert_int_equal(trial_seed(7, 99999, PURPOSE_VERIFY, 8191), 1653982769);
}

static void jobs_have_seeds_of_their_own(void **state)
{
    unsigned equal = 0;

    (void)state;
    for (unsigned i = 0; i < 1000; i++)
        equal += trial_seed(1, i, PURPOSE_SEARCH, 0) == trial_seed(2, i, PURPOSE_SEARCH, 0);
    assert_int_equal(equal, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_seeds_of_a_job_differ),
        cmocka_unit_test(seeds_never_change),
        cmocka_unit_test(jobs_have_seeds_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
