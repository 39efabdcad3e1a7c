/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "expect.h"
#include "stats/distribution.h"
#include "stats/inference.h"

#define COUNT(array_) (sizeof(array_) / sizeof *(array_))

/* Reference values: SciPy 1.10.1 (norm.ppf, t.cdf, beta.cdf), unless said otherwise. */
static void test_distributions(void **state)
{
    (void)state;
    expect_near("z(0.995)", normal_quantile(0.995), 2.5758293035489004, 1e-12);
    expect_near("z(0.975)", normal_quantile(0.975), 1.959963984540054, 1e-12);
    expect_near("z(1e-10)", normal_quantile(1e-10), -6.361340902404056, 1e-11);
    expect_near("z(0.5)", normal_quantile(0.5), 0, 1e-15);
    expect_near("cdf(z(0.123))", normal_cdf(normal_quantile(0.123)), 0.123, 1e-14);
    expect_near("t", student_cdf(-1.8608135, 17.776474), 0.03969707, 1e-8);
    expect_near("t", student_cdf(2.5, 3), 0.95614668, 1e-8);
    expect_near("t", student_cdf(-0.3, 1.5), 0.4002361, 1e-7);
    expect_near("beta", beta_incomplete(2.5, 4, 0.3), 0.3521975859067672, 1e-12);
    expect_near("beta", beta_incomplete(0.5, 0.5, 0.9), 0.7951672353008665, 1e-12);
}

/* Closed forms for one degree, tan(π(p − ½)), and for two, (2p − 1) / √(2p(1 − p)); beyond them
 * SciPy 1.10.1's t.ppf, which the closed forms show to be good to ten digits. */
static void test_quantiles_of_student(void **state)
{
    static const struct {
        double p, degrees, t, tolerance;
    } cases[] = {
        {0.975, 1, 12.706204736174696, 1e-12},   {0.975, 2, 4.3026527297494637, 1e-12},
        {0.995, 2, 9.92484320091807, 1e-9},      {0.995, 4, 4.604094871415897, 1e-9},
        {0.975, 29, 2.045229642132703, 1e-9},    {0.995, 29, 2.756385903670335, 1e-9},
        {0.025, 4, -2.7764451051977996, 1e-9},   {0.9, 1.5, 2.1963984175668427, 1e-9},
        {1 - 1e-9, 3, 1033.1096842436405, 1e-6}, {0.5, 7, 0, 1e-15},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        expect_near("t", student_quantile(cases[i].p, cases[i].degrees), cases[i].t,
                    cases[i].tolerance * fmax(1, fabs(cases[i].t)));
    assert_true(isnan(student_quantile(0, 3)) && isnan(student_quantile(0.5, 0)));
}

static void test_distributions_outside_their_domain(void **state)
{
    (void)state;
    assert_true(isnan(normal_quantile(0)) && isnan(normal_quantile(1)));
    assert_true(isnan(student_cdf(1, 0)) && isnan(beta_incomplete(1, 1, 2)));
}

static void test_welch_on_the_sleep_data(void **state)
{
    /* R's data set `sleep` (Cushny and Peebles 1905): extra hours with two drugs. */
    static const double first[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
    static const double second[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
    struct welch welch;

    (void)state;
    expect_ok(welch_test(first, COUNT(first), second, COUNT(second), &welch, error));
    expect_near("t", welch.t, -1.8608135, 1e-7);
    expect_near("degrees", welch.degrees, 17.776474, 1e-6);
    expect_near("p", welch.p_two_sided, 0.07939414, 1e-8);
}

static void test_welch_without_variance(void **state)
{
    static const double flat[] = {3, 3, 3};
    struct welch welch;

    (void)state;
    expect_error(welch_test(flat, 3, flat, 3, &welch, error), CULPRIT_INVALID,
                 "neither side varies");
    expect_error(welch_test(flat, 1, flat, 3, &welch, error), CULPRIT_INVALID, "at least 2");
}

static void test_holm(void **state)
{
    /* R: p.adjust(c(0.01, 0.04, 0.03, 0.005, 0.9), "holm") = 0.04 0.09 0.09 0.025 0.9 */
    double p[] = {0.01, 0.04, 0.03, 0.005, 0.9};
    static const double want[] = {0.04, 0.09, 0.09, 0.025, 0.9};
    double wrong[] = {0.1, NAN};

    (void)state;
    expect_ok(holm_adjust(p, COUNT(p), error));
    for (size_t i = 0; i < COUNT(p); i++)
        expect_near("adjusted", p[i], want[i], 1e-15);
    expect_error(holm_adjust(wrong, 2, error), CULPRIT_INVALID, "p value 2");
    expect_ok(holm_adjust(NULL, 0, error));
}

static void test_trials_needed(void **state)
{
    size_t trials;
    double effect;

    (void)state;
    expect_ok(trials_needed(1, 0.01, 0.9, &trials, error));
    assert_int_equal(trials, 30);
    expect_ok(trials_needed(0.5, 0.01, 0.9, &trials, error));
    assert_int_equal(trials, 119);
    expect_ok(trials_needed(1000, 0.01, 0.9, &trials, error));
    assert_int_equal(trials, 2);
    expect_error(trials_needed(0, 0.01, 0.9, &trials, error), CULPRIT_INVALID, "effect of 0");
    expect_error(trials_needed(1e-9, 0.01, 0.9, &trials, error), CULPRIT_LIMIT, "million");
    expect_ok(minimum_detectable_effect(2, 30, 0.01, 0.9, &effect, error));
    expect_near("effect", effect, 2 * 0.99597, 1e-4);
    expect_error(minimum_detectable_effect(2, 1, 0.01, 0.9, &effect, error), CULPRIT_INVALID,
                 "at least 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distributions),
        cmocka_unit_test(test_quantiles_of_student),
        cmocka_unit_test(test_distributions_outside_their_domain),
        cmocka_unit_test(test_welch_on_the_sleep_data),
        cmocka_unit_test(test_welch_without_variance),
        cmocka_unit_test(test_holm),
        cmocka_unit_test(test_trials_needed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
