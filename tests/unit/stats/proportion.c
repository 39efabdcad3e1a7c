/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Failures of trials, against published examples and against sums written out by other means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "expect.h"
#include "stats/proportion.h"
#include "stats/rank.h"

/* The lady tasting tea and the convictions of twins (Fisher, The Design of Experiments, 1935, and
 * Statistical Methods for Research Workers; R's fisher.test() has both among its examples); the
 * others were summed up in whole numbers with Python 3.11's math.comb(). */
static void test_fisher(void **state)
{
    static const struct {
        struct proportion x, y;
        double greater, less, two_sided;
    } cases[] = {
        {{3, 4}, {1, 4}, 0.242857142857, 0.985714285714, 0.485714285714},
        {{2, 17}, {10, 13}, 0.9999845190187, 0.0004651809433629, 0.0005367241192},
        {{10, 12}, {2, 13}, 0.00102013345384, 0.999969809434, 0.00120262292560},
        {{5, 5}, {0, 5}, 0.00396825396825, 1, 0.00793650793651},
        {{8, 100}, {0, 100}, 0.00337733728762, 1, 0.00675467457525},
        {{300, 400}, {260, 400}, 0.00129169274485, 0.99923385114, 0.0025833854881},
        {{0, 7}, {0, 9}, 1, 1, 1},
        {{7, 7}, {9, 9}, 1, 1, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fisher test;

        expect_ok(fisher_exact(&cases[i].x, &cases[i].y, &test, error));
        expect_near("greater", test.p_greater, cases[i].greater, 1e-9);
        expect_near("less", test.p_less, cases[i].less, 1e-9);
        expect_near("two-sided", test.p_two_sided, cases[i].two_sided, 1e-9);
    }
}

/* On zeros and ones the permutation test of ranks is Fisher's. */
static void test_as_the_rank_test(void **state)
{
    double x[12] = {0}, y[9] = {0};

    (void)state;
    for (size_t a = 0; a <= 12; a++)
        for (size_t b = 0; b <= 9; b++) {
            struct mann_whitney ranks;
            struct fisher test;

            for (size_t i = 0; i < 12; i++)
                x[i] = i < a;
            for (size_t i = 0; i < 9; i++)
                y[i] = i < b;
            expect_ok(mann_whitney(x, 12, y, 9, &ranks, error));
            expect_ok(fisher_exact(&(struct proportion){a, 12}, &(struct proportion){b, 9}, &test,
                                   error));
            expect_near("greater", test.p_greater, ranks.p_greater, 1e-9);
            expect_near("less", test.p_less, ranks.p_less, 1e-9);
        }
}

/* Newcombe's table II, method 10, 95 % two-sided. */
static void test_difference(void **state)
{
    static const struct {
        struct proportion x, y;
        double most;
    } cases[] = {
        {{56, 70}, {48, 80}, 0.3339}, {{9, 10}, {3, 10}, 0.8090}, {{6, 7}, {2, 7}, 0.8062},
        {{0, 10}, {0, 20}, 0.2775},   {{10, 10}, {0, 20}, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double most = 0;

        expect_ok(proportion_difference_most(&cases[i].x, &cases[i].y, 0.025, &most, error));
        expect_near("upper bound", most, cases[i].most, 6e-5);
    }
}

/* The power of n trials a side was summed up in whole numbers with Python 3.11: .9 is first reached
 * at 33 for 0 against 0.3 at level 0.01. */
static void test_trials_needed(void **state)
{
    size_t trials = 0;

    (void)state;
    expect_ok(proportion_trials_needed(0, 0.3, 0.01, 0.9, &trials, error));
    assert_int_equal(trials, 33);
    expect_ok(proportion_trials_needed(0, 1, 0.01, 0.9, &trials, error));
    assert_int_equal(trials, 5);
    expect_error(proportion_trials_needed(0.4, 0.4, 0.01, 0.9, &trials, error), CULPRIT_INVALID,
                 "no number of trials");
    expect_error(proportion_trials_needed(0.5, 0.505, 0.01, 0.9, &trials, error), CULPRIT_LIMIT,
                 "more than 2000");
}

static void test_bad_input(void **state)
{
    struct fisher test;
    double most;

    (void)state;
    expect_error(fisher_exact(&(struct proportion){0, 0}, &(struct proportion){1, 2}, &test, error),
                 CULPRIT_INVALID, "no trials");
    expect_error(fisher_exact(&(struct proportion){3, 2}, &(struct proportion){1, 2}, &test, error),
                 CULPRIT_INVALID, "more failures than trials");
    expect_error(proportion_difference_most(&(struct proportion){1, 2}, &(struct proportion){1, 2},
                                            0.5, &most, error),
                 CULPRIT_INVALID, "level 0.5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fisher),     cmocka_unit_test(test_as_the_rank_test),
        cmocka_unit_test(test_difference), cmocka_unit_test(test_trials_needed),
        cmocka_unit_test(test_bad_input),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
