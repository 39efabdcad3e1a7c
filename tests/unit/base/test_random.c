/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "scratch.h"

/* The first values of the authors' reference program for seed 1234567. */
static void splitmix_known_answers(void **state)
{
    static const uint64_t expected[] = {
        UINT64_C(6457827717110365317),  UINT64_C(3203168211198807973),
        UINT64_C(9817491932198370423),  UINT64_C(4593380528125082431),
        UINT64_C(16408922859458223821),
    };
    struct random random;

    (void)state;
    random_seed(&random, 1234567);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        uint64_t got = random_next(&random);

        if (got != expected[i])
            fail_msg("value %zu is %" PRIu64 " instead of %" PRIu64, i, got, expected[i]);
    }
}

/* Pearson's chi-squared over ten cells; 27.9 is the 0.1 % point at nine degrees of freedom. The
 * seed is fixed, so this passes always or never. */
static void below_is_uniform(void **state)
{
    enum { CELLS = 10, DRAWS = 100000 };
    unsigned counts[CELLS] = {0};
    double chi = 0;
    struct random random;

    (void)state;
    random_seed(&random, 42);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t value = random_below(&random, CELLS);

        assert_in_range(value, 0, CELLS - 1);
        counts[value]++;
    }
    for (int i = 0; i < CELLS; i++) {
        double difference = counts[i] - (double)DRAWS / CELLS;

        chi += difference * difference / ((double)DRAWS / CELLS);
    }
    if (chi > 27.9)
        fail_msg("chi-squared is %g", chi);
}

static void below_keeps_extreme_bounds(void **state)
{
    static const uint64_t bounds[] = {1, 2, 3, (UINT64_C(1) << 63) + 1, UINT64_MAX};
    struct random random;

    (void)state;
    random_seed(&random, 7);
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        for (int n = 0; n < 1000; n++)
            assert_true(random_below(&random, bounds[i]) < bounds[i]);
    }
}

static void unit_and_normal_have_their_moments(void **state)
{
    enum { DRAWS = 100000 };
    double unit = 0, sum = 0, squares = 0;
    struct random random;

    (void)state;
    random_seed(&random, 3);
    for (int i = 0; i < DRAWS; i++) {
        double u = random_unit(&random);
        double z = random_normal(&random);

        assert_true(u >= 0 && u < 1);
        unit += u / DRAWS;
        sum += z / DRAWS;
        squares += z * z / DRAWS;
    }
    /* Five standard errors: 0.0046 for the uniform mean, 0.016 and 0.022 for the normal ones. */
    if (fabs(unit - 0.5) > 0.0046 || fabs(sum) > 0.016 || fabs(squares - 1) > 0.022)
        fail_msg("uniform mean %g, normal mean %g, normal square %g", unit, sum, squares);
}

static void secrets_differ(void **state)
{
    struct culprit_error error = {0};
    unsigned char a[32] = {0}, b[32] = {0};

    (void)state;
    assert_success(random_secret(a, sizeof a, &error));
    assert_success(random_secret(b, sizeof b, &error));
    assert_memory_not_equal(a, b, sizeof a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splitmix_known_answers),
        cmocka_unit_test(below_is_uniform),
        cmocka_unit_test(below_keeps_extreme_bounds),
        cmocka_unit_test(unit_and_normal_have_their_moments),
        cmocka_unit_test(secrets_differ),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
