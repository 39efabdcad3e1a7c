/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "expect.h"
#include "stats/bootstrap.h"
#include "stats/summary.h"

#define COUNT(array_) (sizeof(array_) / sizeof *(array_))

/* p99 of the load-balancer regression, good and bad boots, µs; and R's permeability data. */
static const double good[] = {7288, 12880, 2516, 8880, 5120};
static const double bad[] = {15984, 16080, 15792, 16144, 15936};
static const double term[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
static const double early[] = {1.15, 0.88, 0.90, 0.74, 1.21};
static const double few[] = {12, 15, 11, 19}, others[] = {10, 9, 14, 13};

/* From a program of its own in Python 3.11.2 with NumPy 1.24.2 (median, mean, quantile) and SciPy
 * 1.10.1 (norm): SplitMix64 and Lemire's method written anew, jackknife with NumPy's delete(). */
static const struct reference {
    const char *what;
    const double *x, *y;
    size_t x_count, y_count;
    struct bootstrap_options options;
    double ratio, lower, upper, corrected_lower, corrected_upper;
} references[] = {
    {"bad over good, medians",
     bad,
     good,
     5,
     5,
     {BOOTSTRAP_MEDIANS, 10000, 1, 0.95},
     2.1931942919868277,
     1.2409937888198759,
     6.352941176470588,
     1.2409937888198759,
     6.352941176470588},
    {"bad over good, means",
     bad,
     good,
     5,
     5,
     {BOOTSTRAP_MEANS, 10000, 1, 0.95},
     2.179042634391015,
     1.5187726861412099,
     3.700798217932058,
     1.4835763498695478,
     3.5411347517730496},
    {"permeability, medians",
     term,
     early,
     10,
     5,
     {BOOTSTRAP_MEDIANS, 10000, 7, 0.95},
     1.5722222222222222,
     0.8130434782608696,
     1.961111111111111,
     1.0,
     2.159090909090909},
    {"permeability, means",
     term,
     early,
     10,
     5,
     {BOOTSTRAP_MEANS, 10000, 7, 0.95},
     1.345286885245902,
     1.0235652025421718,
     1.7177343749999994,
     1.0221855310439725,
     1.7158275884496659},
    {"a large seed, 99 %",
     term,
     early,
     10,
     5,
     {BOOTSTRAP_MEANS, 2000, UINT64_C(1) << 63, 0.99},
     1.345286885245902,
     0.9628885417155579,
     1.8525380067567552,
     0.9544422108830547,
     1.8492212282912135},
    {"even counts, medians",
     few,
     others,
     4,
     4,
     {BOOTSTRAP_MEDIANS, 500, 3, 0.9},
     1.173913043478261,
     0.8518518518518519,
     1.6666666666666667,
     0.8518518518518519,
     1.6666666666666667},
};

static void test_against_another_program(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(references); i++) {
        const struct reference *want = &references[i];
        struct bootstrap_interval got;

        expect_ok(bootstrap_ratio(want->x, want->x_count, want->y, want->y_count, &want->options,
                                  &got, error));
        expect_near(want->what, got.ratio, want->ratio, 1e-14);
        expect_near(want->what, got.lower, want->lower, 1e-13);
        expect_near(want->what, got.upper, want->upper, 1e-13);
        assert_true(got.corrected);
        expect_near(want->what, got.corrected_lower, want->corrected_lower, 1e-11);
        expect_near(want->what, got.corrected_upper, want->corrected_upper, 1e-11);
    }
}

/* To the last bit, and whatever the order of the trials. */
static void test_equal_seeds_give_equal_bits(void **state)
{
    static const double shuffled[] = {5120, 2516, 7288, 8880, 12880};
    struct bootstrap_options options = {BOOTSTRAP_MEANS, 1000, 42, 0.95};
    struct bootstrap_interval once, again, other;

    (void)state;
    expect_ok(bootstrap_ratio(bad, 5, good, 5, &options, &once, error));
    expect_ok(bootstrap_ratio(bad, 5, shuffled, 5, &options, &again, error));
    if (memcmp(&once.lower, &again.lower, sizeof once.lower) != 0 ||
        memcmp(&once.upper, &again.upper, sizeof once.upper) != 0)
        fail_msg("%a %a, then %a %a", once.lower, once.upper, again.lower, again.upper);
    options.seed = 43;
    expect_ok(bootstrap_ratio(bad, 5, good, 5, &options, &other, error));
    assert_true(other.lower < once.lower || other.lower > once.lower);
}

/* A ratio of ratios of one unit: scaling a side scales it, and nothing overflows on the way. */
static void test_scales(void **state)
{
    static const double scales[] = {1e-300, 0x1p-40, 1, 0x1p40, 1e300};
    struct bootstrap_options options = {BOOTSTRAP_MEANS, 500, 9, 0.95};
    struct bootstrap_interval plain, scaled;

    (void)state;
    for (int location = 0; location < 2; location++) {
        options.location = location ? BOOTSTRAP_MEANS : BOOTSTRAP_MEDIANS;
        expect_ok(bootstrap_ratio(few, 4, others, 4, &options, &plain, error));
        for (size_t s = 0; s < COUNT(scales); s++) {
            double x[4], y[4];

            for (int i = 0; i < 4; i++) {
                x[i] = few[i] * scales[s];
                y[i] = others[i] * scales[s];
            }
            expect_ok(bootstrap_ratio(x, 4, y, 4, &options, &scaled, error));
            expect_near("lower", scaled.lower, plain.lower, 1e-13);
            expect_near("upper", scaled.upper, plain.upper, 1e-13);
            expect_ok(bootstrap_ratio(x, 4, others, 4, &options, &scaled, error));
            expect_near("lower, scaled", scaled.lower / scales[s] / plain.lower, 1, 1e-13);
        }
    }
}

static void test_equal_samples(void **state)
{
    static const double sevens[] = {7, 7, 7}, twos[] = {2, 2};
    const struct bootstrap_options options = {BOOTSTRAP_MEDIANS, 100, 1, 0.9};
    struct bootstrap_interval got;

    (void)state;
    expect_ok(bootstrap_ratio(sevens, 3, twos, 2, &options, &got, error));
    expect_near("ratio", got.ratio, 3.5, 0);
    expect_near("lower", got.lower, 3.5, 0);
    expect_near("upper", got.upper, 3.5, 0);
    expect_near("corrected", got.corrected_upper, 3.5, 0);
}

static void test_negative_and_zero_numerators_are_fine(void **state)
{
    static const double mixed[] = {-3, 0, 5, 1}, negative[] = {-10, -9, -14, -13};
    const struct bootstrap_options options = {BOOTSTRAP_MEANS, 200, 1, 0.9};
    struct bootstrap_interval got;

    (void)state;
    expect_ok(bootstrap_ratio(mixed, 4, negative, 4, &options, &got, error));
    expect_near("ratio", got.ratio, 0.75 / -11.5, 1e-15);
    assert_true(got.lower <= got.ratio && got.ratio <= got.upper);
}

static void test_bad_input(void **state)
{
    static const double zeros[] = {0, 0, 3, 5}, mixed[] = {-1, 1, 2, 3};
    static const double wrong[] = {1, INFINITY, 3, 4}, tiny[] = {1e-300, 2e-300};
    static const double huge[] = {1e300, 2e300}, wide[] = {1e-300, 1e300};
    static double many[SAMPLES_MAXIMUM];
    const struct {
        const char *word;
        enum culprit_code code;
        const double *x, *y;
        size_t x_count, y_count;
        struct bootstrap_options options;
    } cases[] = {
        {"zeros or both signs", CULPRIT_INVALID, few, zeros, 4, 4, {0, 100, 1, 0.9}},
        {"zeros or both signs", CULPRIT_INVALID, few, mixed, 4, 4, {0, 100, 1, 0.9}},
        {"second side: sample 2 of 4 is infinite",
         CULPRIT_INVALID,
         few,
         wrong,
         4,
         4,
         {0, 100, 1, 0.9}},
        {"first side: needs at least 2", CULPRIT_INVALID, few, others, 1, 4, {0, 100, 1, 0.9}},
        {"too large for a number", CULPRIT_INVALID, huge, tiny, 2, 2, {0, 100, 1, 0.9}},
        {"too near 0", CULPRIT_INVALID, huge, wide, 2, 2, {0, 100, 1, 0.9}},
        {"confidence 1", CULPRIT_INVALID, few, others, 4, 4, {0, 100, 1, 1}},
        {"not one lies in a tail", CULPRIT_INVALID, few, others, 4, 4, {0, 100, 1, 0.99}},
        {"99 resamples", CULPRIT_LIMIT, few, others, 4, 4, {0, 99, 1, 0.9}},
        {"1000001 resamples", CULPRIT_LIMIT, few, others, 4, 4, {0, 1000001, 1, 0.9}},
        {"draws", CULPRIT_LIMIT, many, many, SAMPLES_MAXIMUM, SAMPLES_MAXIMUM, {0, 100000, 1, 0.9}},
    };

    (void)state;
    for (size_t i = 0; i < SAMPLES_MAXIMUM; i++)
        many[i] = 1;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bootstrap_interval got = {.ratio = 99};

        expect_error(bootstrap_ratio(cases[i].x, cases[i].x_count, cases[i].y, cases[i].y_count,
                                     &cases[i].options, &got, error),
                     cases[i].code, cases[i].word);
        expect_near("untouched", got.ratio, 99, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_another_program),
        cmocka_unit_test(test_equal_seeds_give_equal_bits),
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_equal_samples),
        cmocka_unit_test(test_negative_and_zero_numerators_are_fine),
        cmocka_unit_test(test_bad_input),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
