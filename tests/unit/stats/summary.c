/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "expect.h"
#include "stats/summary.h"

#define COUNT(array_) (sizeof(array_) / sizeof *(array_))

static void test_summary_of_known_samples(void **state)
{
    /* p99 of four boots of an unspoilt kernel, µs; quartiles of type 7 worked out by hand. */
    static const double good[] = {2516, 7288, 12880, 8880};
    struct sample_summary summary;

    (void)state;
    expect_ok(samples_summarise(good, COUNT(good), &summary, error));
    assert_int_equal(summary.count, 4);
    expect_near("minimum", summary.minimum, 2516, 0);
    expect_near("maximum", summary.maximum, 12880, 0);
    expect_near("median", summary.median, 8084, 1e-9);
    expect_near("lower quartile", summary.lower_quartile, 6095, 1e-9);
    expect_near("upper quartile", summary.upper_quartile, 9880, 1e-9);
    expect_near("mean", summary.mean, 7891, 1e-9);
    expect_near("deviation", summary.deviation, 4286.508914, 1e-5);
    expect_near("mad", summary.mad, 2796, 1e-9);
    /* Qn: distances 4772 10364 6364 5592 1592 4000; the third smallest is 4772; factor 0.512. */
    expect_near("robust scale", summary.robust_scale, 2.2219 * 0.512 * 4772, 1e-6);
}

static void test_one_sample_and_equal_samples(void **state)
{
    static const double equal[] = {7, 7, 7, 7, 7};
    struct sample_summary summary;

    (void)state;
    for (size_t count = 1; count <= COUNT(equal); count++) {
        expect_ok(samples_summarise(equal, count, &summary, error));
        expect_near("median", summary.median, 7, 0);
        expect_near("mean", summary.mean, 7, 0);
        expect_near("deviation", summary.deviation, 0, 0);
        expect_near("robust scale", summary.robust_scale, 0, 0);
    }
}

static void test_scale_of_mostly_tied_samples_is_not_zero(void **state)
{
    static const double tied[] = {0, 0, 0, 0, 2};
    double scale;

    (void)state;
    expect_ok(samples_robust_scale(tied, COUNT(tied), &scale, error));
    expect_near("scale", scale, 0.4 * sqrt(M_PI / 2), 1e-12);
}

static void test_scale_is_that_of_a_normal_on_average(void **state)
{
    static const size_t sizes[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 40};
    struct random random;

    (void)state;
    random_seed(&random, 1);
    for (size_t s = 0; s < COUNT(sizes); s++) {
        double values[40], scale, sum = 0;

        for (int round = 0; round < 20000; round++) {
            for (size_t i = 0; i < sizes[s]; i++)
                values[i] = 100 + 3 * random_normal(&random);
            expect_ok(samples_robust_scale(values, sizes[s], &scale, error));
            sum += scale / 20000;
        }
        if (fabs(sum - 3) > 0.06)
            fail_msg("mean scale of %zu normal samples: %g, want 3", sizes[s], sum);
    }
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* The order statistic of all distances, for samples of any size, some of them tied. */
static void test_scale_against_all_distances(void **state)
{
    static const size_t sizes[] = {10, 11, 57, 120};
    static double distances[120 * 119 / 2];
    struct random random;

    (void)state;
    random_seed(&random, 2);
    for (int round = 0; round < 100; round++)
        for (size_t s = 0; s < COUNT(sizes); s++) {
            size_t n = sizes[s], half = n / 2 + 1, pairs = 0;
            double values[120], unit = pow(10, round % 7 - 3), scale, want;

            for (size_t i = 0; i < n; i++)
                values[i] = unit * (round % 2 ? random_normal(&random)
                                              : (double)random_below(&random, 40));
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < i; j++)
                    distances[pairs++] = fabs(values[i] - values[j]);
            qsort(distances, pairs, sizeof *distances, compare_doubles);
            want = 2.2219 * distances[half * (half - 1) / 2 - 1] * (double)n /
                   ((double)n + (n % 2 ? 1.4 : 3.8));
            expect_ok(samples_robust_scale(values, n, &scale, error));
            expect_near("scale", scale, want, 1e-14 * want);
        }
}

static void test_scale_survives_outliers(void **state)
{
    static const double clean[] = {9, 10, 11, 10.5, 9.5, 10.2, 9.8};
    static const double spoilt[] = {9, 10, 11, 10.5, 9.5, 1e9, -1e9};
    double before, after;

    (void)state;
    expect_ok(samples_robust_scale(clean, COUNT(clean), &before, error));
    expect_ok(samples_robust_scale(spoilt, COUNT(spoilt), &after, error));
    assert_true(after < 5 * before);
}

static void test_quantiles(void **state)
{
    static const double values[] = {4, 1, 3, 2};
    static const struct {
        double fraction, want;
    } cases[] = {{0, 1}, {0.1, 1.3}, {0.25, 1.75}, {0.5, 2.5}, {0.9, 3.7}, {1, 4}};
    double got;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        expect_ok(samples_quantile(values, COUNT(values), cases[i].fraction, &got, error));
        expect_near("quantile", got, cases[i].want, 1e-12);
    }
    expect_error(samples_quantile(values, COUNT(values), 1.5, &got, error), CULPRIT_INVALID,
                 "between 0 and 1");
    expect_error(samples_quantile(values, COUNT(values), NAN, &got, error), CULPRIT_INVALID,
                 "between 0 and 1");
}

static void test_bad_samples_are_named(void **state)
{
    static const double with_nan[] = {1, NAN, 3}, with_infinity[] = {1, 2, INFINITY};
    static double many[SAMPLES_MAXIMUM + 1];
    struct sample_summary summary = {.count = 99};
    double value;

    (void)state;
    expect_error(samples_summarise(with_nan, 3, &summary, error), CULPRIT_INVALID,
                 "sample 2 of 3 is not a number");
    expect_error(samples_summarise(with_infinity, 3, &summary, error), CULPRIT_INVALID,
                 "sample 3 of 3 is infinite");
    expect_error(samples_summarise(with_nan, 0, &summary, error), CULPRIT_INVALID,
                 "at least 1 samples, has 0");
    expect_error(samples_median(many, COUNT(many), &value, error), CULPRIT_LIMIT, "2001");
    assert_int_equal(summary.count, 99); /* untouched */
}

static void test_extreme_values_stay_finite(void **state)
{
    static const double huge[] = {DBL_MAX, DBL_MAX, DBL_MAX};
    static const double apart[] = {-DBL_MAX, 0, DBL_MAX};
    struct sample_summary summary;

    (void)state;
    expect_ok(samples_summarise(huge, 3, &summary, error));
    assert_true(isfinite(summary.mean) && isfinite(summary.deviation));
    expect_error(samples_summarise(apart, 3, &summary, error), CULPRIT_INVALID, "too far apart");
}

static void test_winsorising(void **state)
{
    static const double spoilt[] = {9, 10, 11, 10.5, 9.5, 1e9, -1e9}, zeros[] = {0, 0, 0, 0, 2};
    static const double counter[] = {0, 7, 0, 0, 0, 0, 3}, two[] = {1, 100}, equal[] = {4, 4, 4};
    static const double huge[] = {1e300, 1.1e300, 1.2e300, 1.3e300, -1e300};
    const struct {
        const char *what;
        const double *values;
        size_t count, changed;
        bool has_scale;
    } cases[] = {
        {"outliers", spoilt, COUNT(spoilt), 2, true},
        {"mostly zero", zeros, COUNT(zeros), 0, false},
        {"a rare counter", counter, COUNT(counter), 0, false},
        {"two", two, 2, 0, true},
        {"one", two, 1, 0, false},
        {"equal", equal, 3, 0, false},
        {"huge", huge, COUNT(huge), 1, true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct winsorised got;
        double pulled[8];

        expect_ok(samples_winsorise(cases[i].values, cases[i].count, WINSORISE_WIDTH_DEFAULT,
                                    pulled, &got, error));
        if (got.changed != cases[i].changed || (got.scale > 0) != cases[i].has_scale)
            fail_msg("%s: %zu changed by a scale of %g", cases[i].what, got.changed, got.scale);
        for (size_t v = 0; v < cases[i].count; v++) {
            double was = cases[i].values[v];
            double want = !cases[i].has_scale ? was
                          : was < got.lower   ? got.lower
                          : was > got.upper   ? got.upper
                                              : was;
            expect_near(cases[i].what, pulled[v], want, 0);
        }
    }
}

/* Qn of the seven is 2.2219 · 0.857 · the sixth of 21 distances, which is 0.5. */
static void test_winsorising_limits(void **state)
{
    double values[] = {9, 10, 11, 10.5, 9.5, 1e9, -1e9};
    struct winsorised got;

    (void)state;
    expect_ok(samples_winsorise(values, COUNT(values), 2.5, values, &got, error));
    expect_near("median", got.median, 10, 0);
    expect_near("scale", got.scale, 2.2219 * 0.857 * 1, 1e-12);
    expect_near("upper", values[5], 10 + 2.5 * 2.2219 * 0.857, 1e-12);
    expect_near("lower", values[6], 10 - 2.5 * 2.2219 * 0.857, 1e-12);
    expect_error(samples_winsorise(values, COUNT(values), 0, values, &got, error), CULPRIT_INVALID,
                 "width of 0");
    expect_error(samples_winsorise(values, COUNT(values), NAN, values, &got, error),
                 CULPRIT_INVALID, "width of nan");
    expect_error(samples_winsorise(values, 0, 2.5, values, &got, error), CULPRIT_INVALID,
                 "at least 1");
}

static void test_iterations_of_a_trial(void **state)
{
    static double many[SAMPLES_MAXIMUM + 2], two[] = {3, 4}, apart[] = {1.7e308, -1.7e308};
    double got;

    (void)state;
    for (size_t i = 0; i < COUNT(many); i++)
        many[i] = (double)(i % 3); /* 667 or 668 each of 0, 1 and 2 */
    expect_ok(iterations_mean(many, COUNT(many), &got, error));
    expect_near("mean", got, 2001 / 2002.0, 1e-12);
    expect_ok(iterations_median(many, COUNT(many), &got, error));
    expect_near("median", got, 1, 0);
    expect_ok(iterations_median(two, 2, &got, error));
    expect_near("median of two", got, 3.5, 0);
    expect_error(iterations_mean(apart, 2, &got, error), CULPRIT_INVALID, "too far apart");
    expect_error(iterations_mean(apart, 0, &got, error), CULPRIT_INVALID, "at least 1");
    expect_error(iterations_median(two, ITERATIONS_MAXIMUM + 1, &got, error), CULPRIT_LIMIT,
                 "the most is 1000000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_summary_of_known_samples),
        cmocka_unit_test(test_one_sample_and_equal_samples),
        cmocka_unit_test(test_scale_of_mostly_tied_samples_is_not_zero),
        cmocka_unit_test(test_scale_is_that_of_a_normal_on_average),
        cmocka_unit_test(test_scale_against_all_distances),
        cmocka_unit_test(test_scale_survives_outliers),
        cmocka_unit_test(test_quantiles),
        cmocka_unit_test(test_bad_samples_are_named),
        cmocka_unit_test(test_extreme_values_stay_finite),
        cmocka_unit_test(test_winsorising),
        cmocka_unit_test(test_winsorising_limits),
        cmocka_unit_test(test_iterations_of_a_trial),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
