/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "expect.h"
#include "stats/distribution.h"
#include "stats/spending.h"

#define COUNT(array_) (sizeof(array_) / sizeof *(array_))

static const double fifths[] = {0.2, 0.4, 0.6, 0.8, 1};

/* The bounds of five looks at a two-sided 0.05, whose upper half is a one-sided 0.025, as they are
 * published with Lan and DeMets's method (Reboussin, DeMets, Kim and Lan, "Computations for group
 * sequential boundaries using the Lan-DeMets spending function method", Controlled Clinical Trials
 * 21, 2000): to the third decimal. */
static void test_published_bounds(void **state)
{
    static const struct {
        enum spending kind;
        double bounds[5];
    } tables[] = {
        {SPENDING_OBRIEN_FLEMING, {4.877, 3.357, 2.680, 2.290, 2.031}},
        {SPENDING_POCOCK, {2.438, 2.427, 2.410, 2.397, 2.386}},
    };
    double levels[5];

    (void)state;
    for (size_t t = 0; t < COUNT(tables); t++) {
        expect_ok(spending_levels(tables[t].kind, 0.025, fifths, 5, levels, error));
        for (int k = 0; k < 5; k++)
            expect_near("bound", -normal_quantile(levels[k]), tables[t].bounds[k], 6e-4);
    }
}

/* The same recursion by Gauss and Legendre's rule and Brent's method in NumPy 1.24.2 and SciPy
 * 1.10.1, checked with its multivariate_normal.cdf(). */
static void test_against_another_program(void **state)
{
    static const struct {
        enum spending kind;
        double alpha;
        size_t looks;
        double fractions[5], levels[5];
    } cases[] = {
        {SPENDING_OBRIEN_FLEMING,
         0.025,
         5,
         {0.2, 0.4, 0.6, 0.8, 1},
         {5.38871263e-07, 0.000393948577, 0.00367802931, 0.0110159704, 0.0211258721}},
        {SPENDING_OBRIEN_FLEMING, 0.01, 2, {0.5, 1}, {0.000269716957, 0.00990756747}},
        {SPENDING_OBRIEN_FLEMING,
         0.05,
         3,
         {0.1, 0.35, 0.9},
         {5.72031977e-10, 0.000923195056, 0.0385224581}},
        {SPENDING_OBRIEN_FLEMING,
         0.005,
         3,
         {1 / 3.0, 2 / 3.0, 1},
         {1.16249609e-06, 0.000585809042, 0.00480822175}},
        {SPENDING_POCOCK,
         0.025,
         5,
         {0.2, 0.4, 0.6, 0.8, 1},
         {0.00738486323, 0.00761603438, 0.00797201684, 0.00827287644, 0.00851638364}},
        {SPENDING_POCOCK, 0.01, 2, {0.5, 1}, {0.00620114507, 0.00515817784}},
        {SPENDING_POCOCK, 0.05, 3, {0.1, 0.35, 0.9}, {0.00792825394, 0.017413394, 0.0295158594}},
        {SPENDING_POCOCK,
         0.005,
         3,
         {1 / 3.0, 2 / 3.0, 1},
         {0.00226416213, 0.00196127502, 0.00184535231}},
    };
    double levels[5];

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        expect_ok(spending_levels(cases[i].kind, cases[i].alpha, cases[i].fractions, cases[i].looks,
                                  levels, error));
        for (size_t k = 0; k < cases[i].looks; k++)
            expect_near("level relative to the other program's", levels[k] / cases[i].levels[k], 1,
                        1e-6);
    }
}

static void test_one_look_is_a_plain_test(void **state)
{
    const double whole = 1;
    double level;

    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        expect_ok(spending_levels(kind ? SPENDING_POCOCK : SPENDING_OBRIEN_FLEMING, 0.01, &whole, 1,
                                  &level, error));
        expect_near("level", level, 0.01, 1e-14);
    }
}

/* Five looks at a sum of normal trials without any effect. */
static double wrong_alarms(const double *levels)
{
    enum { ROUNDS = 100000 };
    struct random random;
    int alarms = 0;

    random_seed(&random, 11);
    for (int round = 0; round < ROUNDS; round++) {
        double sum = 0;
        bool alarm = false;

        for (int k = 0; k < 5; k++) {
            sum += random_normal(&random);
            alarm = alarm || normal_upper_tail(sum / sqrt(k + 1)) <= levels[k];
        }
        alarms += alarm;
    }
    return alarms / (double)ROUNDS;
}

static void test_all_looks_together_err_as_asked(void **state)
{
    static const double plain[] = {0.05, 0.05, 0.05, 0.05, 0.05};
    double levels[5];

    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        expect_ok(spending_levels(kind ? SPENDING_POCOCK : SPENDING_OBRIEN_FLEMING, 0.05, fifths, 5,
                                  levels, error));
        expect_near("alarms", wrong_alarms(levels), 0.05, 0.0028); /* four standard errors */
    }
    assert_true(wrong_alarms(plain) > 0.12);
}

/* A look at which next to nothing may be spent cannot end anything. */
static void test_a_hopeless_look(void **state)
{
    static const double fractions[] = {0.001, 1};
    double levels[2];

    (void)state;
    expect_ok(spending_levels(SPENDING_OBRIEN_FLEMING, 0.01, fractions, 2, levels, error));
    expect_near("first", levels[0], 0, 0);
    expect_near("last", levels[1], 0.01, 1e-8);
}

static void test_bad_input(void **state)
{
    static const double falling[] = {0.5, 0.4}, over[] = {0.5, 1.1}, near[] = {0.5, 0.501};
    static const double wrong[] = {NAN, 1};
    double levels[6] = {0};

    (void)state;
    expect_error(spending_levels(SPENDING_POCOCK, 0.05, falling, 2, levels, error), CULPRIT_INVALID,
                 "look 2 at 0.4");
    expect_error(spending_levels(SPENDING_POCOCK, 0.05, over, 2, levels, error), CULPRIT_INVALID,
                 "look 2 at 1.1");
    expect_error(spending_levels(SPENDING_POCOCK, 0.05, near, 2, levels, error), CULPRIT_INVALID,
                 "look 2");
    expect_error(spending_levels(SPENDING_POCOCK, 0.05, wrong, 2, levels, error), CULPRIT_INVALID,
                 "look 1");
    expect_error(spending_levels(SPENDING_POCOCK, 0.05, fifths, 0, levels, error), CULPRIT_INVALID,
                 "0 looks");
    expect_error(spending_levels(SPENDING_POCOCK, 0.05, fifths, 6, levels, error), CULPRIT_INVALID,
                 "6 looks");
    expect_error(spending_levels(SPENDING_POCOCK, 0, fifths, 5, levels, error), CULPRIT_INVALID,
                 "level 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_bounds),
        cmocka_unit_test(test_against_another_program),
        cmocka_unit_test(test_one_look_is_a_plain_test),
        cmocka_unit_test(test_all_looks_together_err_as_asked),
        cmocka_unit_test(test_a_hopeless_look),
        cmocka_unit_test(test_bad_input),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
