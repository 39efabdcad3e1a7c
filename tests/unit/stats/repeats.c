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
#include "stats/repeats.h"

#define COUNT(array_) (sizeof(array_) / sizeof *(array_))

/* Mean 100.46; widths from SciPy 1.10.1 (t.ppf) and Python's statistics.stdev. */
static const double throughput[] = {102.1, 99.3, 101.7, 100.4, 98.8};

static void test_widths_against_another_program(void **state)
{
    static const struct {
        size_t count;
        unsigned level;
        double half_width;
    } cases[] = {
        {2, 95, 0.1766503141112703},   {2, 99, 0.8849993806159235},   {3, 95, 0.03723441869721329},
        {3, 99, 0.08588789066757764},  {4, 95, 0.020134010898274164}, {5, 95, 0.017838385708449624},
        {5, 99, 0.029580855029640675},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct repeats_goal goal = {3, 30, cases[i].level, 0.0001};
        struct repeats_state got;

        expect_ok(repeats_next(throughput, cases[i].count, &goal, &got, error));
        assert_true(got.known);
        assert_int_equal(got.step, REPEATS_GO_ON);
        expect_near("half width", got.half_width, cases[i].half_width, 1e-10);
    }
}

static void test_when_it_stops(void **state)
{
    static const double flat[] = {5, 5, 5}, zeros[] = {0, 0, 0}, round_zero[] = {-1, 1, -1, 1};
    const struct {
        const char *what;
        const double *values;
        size_t count;
        struct repeats_goal goal;
        enum repeats_step step;
    } cases[] = {
        {"nothing yet", throughput, 0, {3, 10, 95, 0.025}, REPEATS_GO_ON},
        {"one", throughput, 1, {3, 10, 95, 0.025}, REPEATS_GO_ON},
        {"±3.7 % of 2.5", throughput, 3, {3, 10, 95, 0.025}, REPEATS_GO_ON},
        {"±2.0 % of 2.5", throughput, 4, {3, 10, 95, 0.025}, REPEATS_REACHED},
        {"too early", throughput, 4, {5, 10, 95, 0.025}, REPEATS_GO_ON},
        {"the maximum", throughput, 5, {3, 5, 99, 0.025}, REPEATS_NOT_REACHED},
        {"\"-i5,1\" is three to five", throughput, 2, {1, 5, 95, 0.5}, REPEATS_GO_ON},
        {"\"-i5,1\" is three to five", throughput, 3, {1, 5, 95, 0.5}, REPEATS_REACHED},
        {"a maximum below three", throughput, 3, {1, 1, 95, 0.025}, REPEATS_NOT_REACHED},
        {"a minimum above the maximum", throughput, 5, {9, 5, 95, 0.025}, REPEATS_REACHED},
        {"all equal", flat, 3, {3, 10, 95, 0.025}, REPEATS_REACHED},
        {"all zero", zeros, 3, {3, 10, 95, 0.025}, REPEATS_REACHED},
        {"no share of 0", round_zero, 4, {3, 10, 95, 10}, REPEATS_GO_ON},
        {"no share of 0, at last", round_zero, 4, {3, 4, 95, 10}, REPEATS_NOT_REACHED},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct repeats_state got;

        expect_ok(repeats_next(cases[i].values, cases[i].count, &cases[i].goal, &got, error));
        if (got.step != cases[i].step || !isfinite(got.half_width) || !isfinite(got.mean))
            fail_msg("%s: step %d, want %d; width %g of %g", cases[i].what, (int)got.step,
                     (int)cases[i].step, got.half_width, got.mean);
    }
}

static void test_bad_goals(void **state)
{
    static const double wrong[] = {1, 2, NAN};
    struct repeats_state got;

    (void)state;
    expect_error(repeats_next(throughput, 3, &(struct repeats_goal){3, 10, 90, 0.05}, &got, error),
                 CULPRIT_INVALID, "neither 95 nor 99");
    expect_error(repeats_next(throughput, 3, &(struct repeats_goal){3, 10, 95, 0}, &got, error),
                 CULPRIT_INVALID, "width 0");
    expect_error(repeats_next(wrong, 3, &(struct repeats_goal){3, 10, 95, 0.05}, &got, error),
                 CULPRIT_INVALID, "sample 3 of 3 is not a number");
}

/* Three builds, four boots of each, three iterations in each; S² and T² by NumPy 1.24.2. */
static const double nested[] = {508, 519, 510, 525, 511, 514, 534, 522, 509, 502, 511, 527,
                                475, 475, 490, 464, 471, 485, 506, 501, 508, 447, 493, 469,
                                481, 505, 510, 496, 489, 502, 499, 516, 508, 499, 510, 495};

static void test_nested_variances(void **state)
{
    static const struct nested_design design = {3, {3, 4, 3}, {1, 10, 300}};
    struct nested_plan plan;

    (void)state;
    expect_ok(nested_plan(nested, COUNT(nested), &design, &plan, error));
    expect_near("mean", plan.mean, 499.6111111111111, 1e-11);
    expect_near("S1²", plan.total[0], 129.3611111111111, 1e-10);
    expect_near("S2²", plan.total[1], 99.07407407407395, 1e-10);
    expect_near("S3²", plan.total[2], 290.1203703703704, 1e-10);
    expect_near("T1²", plan.own[0], 129.3611111111111, 1e-10);
    expect_near("T2²", plan.own[1], 55.95370370370359, 1e-10);
    expect_near("T3²", plan.own[2], 265.3518518518519, 1e-10);
    expect_near("standard error", plan.standard_error, 9.83396105968784, 1e-12);
}

static void test_repeats_by_costs(void **state)
{
    static const struct {
        double costs[3];
        size_t iterations, boots;
    } cases[] = {
        {{1, 10, 300}, 5, 3},  /* 4.81, 2.52 */
        {{2, 30, 300}, 6, 2},  /* 5.89, 1.45 */
        {{30, 30, 300}, 2, 2}, /* 1.52, 1.45 */
        {{1, 1, 1}, 1, 1}, /* boots as dear as builds: 0.46; √(129.4/(56.0+265.4)·2) = 0.90 */
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct nested_design design = {.levels = 3, .repeats = {3, 4, 3}};
        struct nested_plan plan;

        memcpy(design.costs, cases[i].costs, sizeof cases[i].costs);
        expect_ok(nested_plan(nested, COUNT(nested), &design, &plan, error));
        if (plan.repeats[0] != cases[i].iterations || plan.repeats[1] != cases[i].boots)
            fail_msg("case %zu: %zu iterations of %zu boots, want %zu of %zu", i, plan.repeats[0],
                     plan.repeats[1], cases[i].iterations, cases[i].boots);
        assert_true(plan.bounded[0] && plan.bounded[1]);
    }
}

/* Four builds of three boots of five iterations in which the boots add nothing: T2² is −0.096, and
 * the best number of iterations is √((10 + 300) / 1 · 30.89 / 11.55) = 28.80. */
static void test_a_level_without_variance(void **state)
{
    static const double values[] = {
        103.4, 101.4, 98.5,  101.6, 103.2, 100.6, 110.0, 108.3, 86.0,  90.9,  99.3,  97.8,
        101.6, 101.6, 113.0, 97.8,  102.2, 116.7, 108.3, 108.4, 100.9, 94.1,  105.0, 104.7,
        96.7,  99.8,  103.4, 98.2,  103.3, 104.4, 101.6, 98.3,  104.9, 106.7, 103.3, 97.5,
        106.8, 99.4,  107.7, 96.0,  105.3, 99.7,  92.4,  98.0,  100.2, 96.1,  88.6,  87.8,
        95.7,  91.7,  95.2,  98.4,  83.9,  95.3,  101.2, 94.2,  91.1,  100.5, 97.5,  101.4};
    static const struct nested_design design = {3, {5, 3, 4}, {1, 10, 300}};
    struct nested_plan plan;

    (void)state;
    expect_ok(nested_plan(values, COUNT(values), &design, &plan, error));
    expect_near("S1²", plan.total[0], 30.892583333333338, 1e-10);
    expect_near("T2²", plan.own[1], -0.09628333333332861, 1e-10);
    expect_near("T3²", plan.own[2], 11.549311111111123, 1e-10);
    assert_int_equal(plan.repeats[1], 1);
    assert_int_equal(plan.repeats[0], 29);
}

/* What one more build's worth of money buys: Σ T²/N times Σ c·N. */
static double waste(const struct nested_plan *plan, const double *costs, size_t iterations,
                    size_t boots)
{
    double n[] = {(double)(iterations * boots), (double)boots, 1}, variance = 0, cost = 0;

    for (int i = 0; i < 3; i++) {
        variance += fmax(0, plan->own[i]) / n[i];
        cost += costs[i] * n[i];
    }
    return variance * cost;
}

/* No split of whole numbers is much better than the one that the formula gives. */
static void test_the_split_is_near_the_best(void **state)
{
    static const double costs[][3] = {{1, 10, 300}, {2, 30, 300}, {1, 1, 1},
                                      {30, 60, 61}, {1, 1000, 1}, {1, 1, 10000}};

    (void)state;
    for (size_t c = 0; c < COUNT(costs); c++) {
        struct nested_design design = {.levels = 3, .repeats = {3, 4, 3}};
        struct nested_plan plan;
        double best = HUGE_VAL, got;

        memcpy(design.costs, costs[c], sizeof costs[c]);
        expect_ok(nested_plan(nested, COUNT(nested), &design, &plan, error));
        got = waste(&plan, costs[c], plan.repeats[0], plan.repeats[1]);
        for (size_t i = 1; i <= 200; i++)
            for (size_t b = 1; b <= 200; b++)
                best = fmin(best, waste(&plan, costs[c], i, b));
        if (got > 1.1 * best)
            fail_msg("case %zu: %zu iterations of %zu boots waste %g, the best %g", c,
                     plan.repeats[0], plan.repeats[1], got, best);
    }
}

static void test_builds_without_variance(void **state)
{
    static const double values[] = {1, 2, 3, 4, 4, 3, 2, 1}; /* both builds have the mean 2.5 */
    static const double flat[8] = {6, 6, 6, 6, 6, 6, 6, 6};
    static const struct nested_design design = {2, {4, 2}, {1, 10}};
    struct nested_plan plan;

    (void)state;
    expect_ok(nested_plan(values, 8, &design, &plan, error));
    assert_false(plan.bounded[0]);
    assert_int_equal(plan.repeats[0], NESTED_REPEATS_MAXIMUM);
    expect_ok(nested_plan(flat, 8, &design, &plan, error));
    assert_true(plan.bounded[0]);
    assert_int_equal(plan.repeats[0], 1);
    expect_near("standard error", plan.standard_error, 0, 0);
}

static void test_bad_designs(void **state)
{
    static const double values[] = {1, 2, 3, 4, 4, 3, 2, NAN}, huge[] = {1e200, -1e200, 1, 2};
    static const double tiny[] = {1e-200, 2e-200, 3e-200, 1e-200};
    const struct {
        const char *word;
        enum culprit_code code;
        const double *values;
        size_t count;
        struct nested_design design;
    } cases[] = {
        {"sample 8 of 8", CULPRIT_INVALID, values, 8, {2, {4, 2}, {1, 10}}},
        {"has 8 samples, not 7", CULPRIT_INVALID, values, 7, {2, {4, 2}, {1, 10}}},
        {"1 levels", CULPRIT_INVALID, values, 4, {1, {4}, {1}}},
        {"level 2 was repeated 1 times", CULPRIT_INVALID, values, 4, {2, {4, 1}, {1, 10}}},
        {"level 1 costs 0", CULPRIT_INVALID, values, 8, {2, {4, 2}, {0, 10}}},
        {"level 2 costs nan", CULPRIT_INVALID, values, 8, {2, {4, 2}, {1, NAN}}},
        {"more than 1000000", CULPRIT_LIMIT, values, 8, {2, {SIZE_MAX, 3}, {1, 10}}},
        {"to be squared", CULPRIT_INVALID, huge, 4, {2, {2, 2}, {1, 10}}},
        {"to be squared", CULPRIT_INVALID, tiny, 4, {2, {2, 2}, {1, 10}}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct nested_plan plan;

        expect_error(nested_plan(cases[i].values, cases[i].count, &cases[i].design, &plan, error),
                     cases[i].code, cases[i].word);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_widths_against_another_program),
        cmocka_unit_test(test_when_it_stops),
        cmocka_unit_test(test_bad_goals),
        cmocka_unit_test(test_nested_variances),
        cmocka_unit_test(test_repeats_by_costs),
        cmocka_unit_test(test_a_level_without_variance),
        cmocka_unit_test(test_the_split_is_near_the_best),
        cmocka_unit_test(test_builds_without_variance),
        cmocka_unit_test(test_bad_designs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
