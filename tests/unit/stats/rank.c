/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "expect.h"
#include "stats/rank.h"
#include "stats/summary.h"

#define COUNT(array_) (sizeof(array_) / sizeof *(array_))

/* Permeability of placental membranes, the example of R's ?wilcox.test (Hollander and Wolfe). */
static const double term[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
static const double early[] = {1.15, 0.88, 0.90, 0.74, 1.21};

static void test_permeability(void **state)
{
    struct mann_whitney test;
    struct hodges_lehmann shift;

    (void)state;
    expect_ok(mann_whitney(term, COUNT(term), early, COUNT(early), &test, error));
    assert_true(test.exact);
    expect_near("U", test.u, 35, 0);
    expect_near("one-sided p", test.p_greater, 0.12720613, 1e-8);
    expect_near("two-sided p", test.p_two_sided, 0.25441225, 1e-8);
    expect_near("other side", test.p_less, 0.89676990, 1e-8);
    expect_ok(hodges_lehmann(term, COUNT(term), early, COUNT(early), 0.95, &shift, error));
    expect_near("shift", shift.shift, 0.305, 1e-12);
    assert_true(shift.bounded);
    expect_near("lower", shift.lower, -0.15, 1e-12);
    expect_near("upper", shift.upper, 0.76, 1e-12);
    expect_near("achieved", shift.achieved, 0.96004, 5e-6);
}

static void test_onset_of_diabetes(void **state)
{
    /* The example of scipy.stats.mannwhitneyu: age at onset. */
    static const double males[] = {19, 22, 16, 29, 24}, females[] = {20, 11, 17, 12};
    struct mann_whitney test;

    (void)state;
    expect_ok(mann_whitney(males, 5, females, 4, &test, error));
    expect_near("U", test.u, 17, 0);
    expect_near("exact p", test.p_two_sided, 0.11111111, 1e-8);
    expect_ok(mann_whitney_approximate(males, 5, females, 4, &test, error));
    assert_false(test.exact);
    expect_near("approximate p", test.p_two_sided, 0.11134689, 1e-8);
}

/* From SciPy 1.10.1: permutation_test over all rearrangements, statistic U, where there are ties;
 * mannwhitneyu(method="exact") where there are none. */
static void test_exact_against_another_program(void **state)
{
    static const double first20[] = {0.35,  0.82, 0.33, -1.3,  0.91,  0.45,  -0.54,
                                     0.58,  0.36, 0.29, 0.03,  0.55,  -0.74, -0.16,
                                     -0.48, 0.6,  0.04, -0.29, -0.78, -0.26};
    static const double second20[] = {0.61,  0.19, 2.54,  2.11,  -3.47, -2.23, 0.34,
                                      -0.03, 0.92, 0.93,  3.78,  -1.07, 0.02,  3.66,
                                      1.57,  1.59, -0.17, -1.87, 0.85,  0.76};
    const struct {
        const char *what;
        const double *x, *y;
        size_t x_count, y_count;
        double u, greater, less;
    } cases[] = {
        {"ties inside and across", (const double[]){1, 2, 2, 3, 5},
         (const double[]){2, 4, 4, 5, 6, 6}, 5, 6, 5.5, 0.9696969696969697, 0.05194805194805195},
        {"many zeros", (const double[]){0, 0, 0, 1, 2}, (const double[]){0, 3, 4, 1, 7}, 5, 5, 5,
         0.9642857142857143, 0.07142857142857142},
        {"a counter", (const double[]){91, 71, 67}, (const double[]){0, 2, 0}, 3, 3, 9, 0.05, 1},
        {"20 a side", first20, second20, 20, 20, 139, 0.9517502237819491, 0.05108047497659142},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mann_whitney test;

        expect_ok(
            mann_whitney(cases[i].x, cases[i].x_count, cases[i].y, cases[i].y_count, &test, error));
        assert_true(test.exact);
        expect_near(cases[i].what, test.u, cases[i].u, 0);
        expect_near(cases[i].what, test.p_greater, cases[i].greater, 1e-12);
        expect_near(cases[i].what, test.p_less, cases[i].less, 1e-12);
    }
}

/* Every way to choose which samples are the first side, counted one by one. */
static void count_choices(const double *samples, size_t total, size_t x_count, double observed,
                          double *ret_greater, double *ret_less)
{
    double all = 0, greater = 0, less = 0;

    for (unsigned chosen = 0; chosen < 1u << total; chosen++) {
        double u = 0;

        if ((size_t)__builtin_popcount(chosen) != x_count)
            continue;
        for (size_t i = 0; i < total; i++)
            for (size_t k = 0; k < total; k++)
                if ((chosen >> i & 1) && !(chosen >> k & 1))
                    u += samples[i] > samples[k] ? 1 : samples[i] < samples[k] ? 0 : 0.5;
        all++;
        greater += u >= observed;
        less += u <= observed;
    }
    *ret_greater = greater / all;
    *ret_less = less / all;
}

static void test_exact_against_enumeration(void **state)
{
    struct random random;

    (void)state;
    random_seed(&random, 12);
    for (int round = 0; round < 150; round++) {
        double samples[10], greater, less;
        size_t m = 1 + random_below(&random, 5), n = 1 + random_below(&random, 5);
        uint64_t values = 1 + random_below(&random, 6); /* few values: many ties */
        double scale = round % 3 == 0 ? 1e-300 : round % 3 == 1 ? 1e300 : 1;
        struct mann_whitney test;

        for (size_t i = 0; i < m + n; i++)
            samples[i] = scale * (double)random_below(&random, values);
        expect_ok(mann_whitney(samples, m, samples + m, n, &test, error));
        count_choices(samples, m + n, m, test.u, &greater, &less);
        expect_near("greater", test.p_greater, greater, 1e-13);
        expect_near("less", test.p_less, less, 1e-13);
    }
}

/* Twenty a side of two values: the p of the hypergeometric distribution. SciPy 1.10.1:
 * hypergeom.sf(13, 40, 20, 20) for 14 ones of 20 against 6 of 20. */
static void test_exact_at_twenty_of_two_values(void **state)
{
    double x[20], y[20];
    struct mann_whitney test;

    (void)state;
    for (int i = 0; i < 20; i++) {
        x[i] = i < 14;
        y[i] = i < 6;
    }
    expect_ok(mann_whitney(x, 20, y, 20, &test, error));
    assert_true(test.exact);
    expect_near("U", test.u, 280, 0);
    expect_near("greater", test.p_greater, 0.012822388471660609, 1e-14);
}

static void test_asymptotic_with_ties(void **state)
{
    /* SciPy 1.10.1: mannwhitneyu(method="asymptotic"), continuity and tie correction. */
    double x[25], y[22];
    struct mann_whitney test;

    (void)state;
    for (int i = 0; i < 25; i++)
        x[i] = i % 7;
    for (int i = 0; i < 22; i++)
        y[i] = i * 3 % 8 + 1;
    expect_ok(mann_whitney(x, 25, y, 22, &test, error));
    assert_false(test.exact);
    expect_near("U", test.u, 163, 0);
    expect_near("two-sided", test.p_two_sided, 0.016624537935793743, 1e-14);
    expect_near("greater", test.p_greater, 0.9921623035381745, 1e-13);
    expect_near("less", test.p_less, 0.008312268967896871, 1e-14);
}

static void test_exact_and_asymptotic_meet(void **state)
{
    /* The exact and the asymptotic branch must meet where one takes over from the other. */
    double x[21], y[21];
    struct mann_whitney at20, at21;
    struct random random;

    (void)state;
    random_seed(&random, 3);
    for (int i = 0; i < 21; i++) {
        x[i] = random_normal(&random);
        y[i] = random_normal(&random) + 0.7;
    }
    expect_ok(mann_whitney(x, 20, y, 20, &at20, error));
    expect_ok(mann_whitney(x, 21, y, 21, &at21, error));
    assert_true(at20.exact && !at21.exact);
    expect_near("log p", log(at21.p_less), log(at20.p_less), 1.0);
}

static void test_smallest_p(void **state)
{
    (void)state;
    expect_near("4 a side, two-sided", 2 * mann_whitney_smallest_p(4, 4), 0.0286, 5e-5);
    expect_near("5 a side, two-sided", 2 * mann_whitney_smallest_p(5, 5), 0.0079, 5e-5);
    expect_near("4 against 5", mann_whitney_smallest_p(4, 5), 1 / 126.0, 1e-15);
    expect_near("0 against 5", mann_whitney_smallest_p(0, 5), 1, 0);
    /* Above twenty it is that of the normal approximation: (25 − 12.5 − ½) / √(25 · 27 / 12). */
    expect_near("1 against 25", mann_whitney_smallest_p(1, 25), 0.054799291699557974, 1e-12);
}

static void test_complete_separation_reaches_the_smallest_p(void **state)
{
    static const double low[] = {1, 2, 3, 4, 5}, high[] = {6, 7, 8, 9, 10};
    struct mann_whitney test;

    (void)state;
    for (size_t n = 1; n <= 5; n++) {
        expect_ok(mann_whitney(high, n, low, n, &test, error));
        expect_near("p", test.p_greater, mann_whitney_smallest_p(n, n), 1e-15);
        expect_near("other p", test.p_less, 1, 1e-15);
    }
}

static void test_all_equal(void **state)
{
    double equal[25] = {0};
    struct mann_whitney test;
    struct hodges_lehmann shift;

    (void)state;
    for (size_t n = 5; n <= 25; n += 20) {
        expect_ok(mann_whitney(equal, n, equal, n, &test, error));
        expect_near("greater", test.p_greater, 1, 0);
        expect_near("less", test.p_less, 1, 0);
        expect_near("two-sided", test.p_two_sided, 1, 0);
        expect_ok(hodges_lehmann(equal, n, equal, n, 0.95, &shift, error));
        expect_near("shift", shift.shift, 0, 0);
        expect_near("lower", shift.lower, 0, 0);
        expect_near("upper", shift.upper, 0, 0);
    }
}

static void test_sides_swapped(void **state)
{
    struct mann_whitney there, back;
    struct hodges_lehmann to, from;

    (void)state;
    expect_ok(mann_whitney(term, 10, early, 5, &there, error));
    expect_ok(mann_whitney(early, 5, term, 10, &back, error));
    expect_near("U", there.u + back.u, 50, 0);
    expect_near("p", there.p_greater, back.p_less, 1e-14);
    expect_ok(hodges_lehmann(term, 10, early, 5, 0.9, &to, error));
    expect_ok(hodges_lehmann(early, 5, term, 10, 0.9, &from, error));
    expect_near("shift", to.shift, -from.shift, 1e-14);
    expect_near("bounds", to.lower, -from.upper, 1e-14);
}

static void test_interval_of_too_few(void **state)
{
    static const double low[] = {1, 2, 3}, high[] = {6, 7, 8};
    struct hodges_lehmann shift;

    (void)state;
    expect_ok(hodges_lehmann(high, 3, low, 3, 0.95, &shift, error));
    assert_false(shift.bounded); /* at most 1 − 2/20 */
    expect_near("shift", shift.shift, 5, 0);
    expect_ok(hodges_lehmann(high, 3, low, 3, 0.90, &shift, error));
    assert_true(shift.bounded);
    expect_near("achieved", shift.achieved, 0.9, 1e-12);
    expect_near("lower", shift.lower, 3, 0);
    expect_near("upper", shift.upper, 7, 0);
}

/* How often the interval holds the true shift, in both branches. */
static void test_interval_covers(void **state)
{
    static const size_t sizes[] = {5, 10, 25};
    struct random random;

    (void)state;
    random_seed(&random, 5);
    for (size_t s = 0; s < COUNT(sizes); s++) {
        double x[25], y[25];
        int held = 0;
        const int rounds = 4000;

        for (int round = 0; round < rounds; round++) {
            struct hodges_lehmann shift;
            for (size_t i = 0; i < sizes[s]; i++) {
                x[i] = random_normal(&random) + 2;
                y[i] = random_normal(&random);
            }
            expect_ok(hodges_lehmann(x, sizes[s], y, sizes[s], 0.95, &shift, error));
            held += shift.lower <= 2 && 2 <= shift.upper;
        }
        if (held < 0.94 * rounds || held > 0.985 * rounds)
            fail_msg("%zu a side: interval holds the shift %d times of %d", sizes[s], held, rounds);
    }
}

static void test_false_positives_stay_at_the_level(void **state)
{
    struct random random;
    int below = 0;
    const int rounds = 20000;

    (void)state;
    random_seed(&random, 6);
    for (int round = 0; round < rounds; round++) {
        double x[5], y[5];
        struct mann_whitney test;
        for (int i = 0; i < 5; i++) {
            x[i] = exp(3 * random_normal(&random));
            y[i] = exp(3 * random_normal(&random));
        }
        expect_ok(mann_whitney(x, 5, y, 5, &test, error));
        below += test.p_greater <= 0.01;
    }
    /* Exact: P(U >= 24) = 2/252 = 0.0079; four standard errors either way. */
    if (below < 108 || below > 209)
        fail_msg("p <= 0.01 came %d times of %d", below, rounds);
}

static void test_bad_samples(void **state)
{
    static const double fine[] = {1, 2, 3}, wrong[] = {1, NAN, 3}, apart[] = {-1.7e308, 1.7e308};
    struct mann_whitney test;
    struct hodges_lehmann shift;
    double probability;

    (void)state;
    expect_error(mann_whitney(fine, 3, wrong, 3, &test, error), CULPRIT_INVALID,
                 "second side: sample 2 of 3 is not a number");
    expect_error(mann_whitney(fine, 0, fine, 3, &test, error), CULPRIT_INVALID,
                 "first side: needs at least 1");
    expect_error(hodges_lehmann(fine, 3, fine, 3, 1, &shift, error), CULPRIT_INVALID,
                 "confidence 1");
    expect_error(hodges_lehmann(apart, 2, apart, 2, 0.5, &shift, error), CULPRIT_INVALID,
                 "too far apart");
    expect_error(probability_greater(wrong, 3, fine, 3, &probability, error), CULPRIT_INVALID,
                 "first side: sample 2");
}

static void test_probability_greater(void **state)
{
    double probability;

    (void)state;
    expect_ok(probability_greater(term, 10, early, 5, &probability, error));
    expect_near("probability", probability, 35 / 50.0, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_permeability),
        cmocka_unit_test(test_onset_of_diabetes),
        cmocka_unit_test(test_exact_against_another_program),
        cmocka_unit_test(test_exact_against_enumeration),
        cmocka_unit_test(test_exact_at_twenty_of_two_values),
        cmocka_unit_test(test_asymptotic_with_ties),
        cmocka_unit_test(test_exact_and_asymptotic_meet),
        cmocka_unit_test(test_smallest_p),
        cmocka_unit_test(test_complete_separation_reaches_the_smallest_p),
        cmocka_unit_test(test_all_equal),
        cmocka_unit_test(test_sides_swapped),
        cmocka_unit_test(test_interval_of_too_few),
        cmocka_unit_test(test_interval_covers),
        cmocka_unit_test(test_false_positives_stay_at_the_level),
        cmocka_unit_test(test_bad_samples),
        cmocka_unit_test(test_probability_greater),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
