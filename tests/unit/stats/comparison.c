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
#include "stats/comparison.h"

#define COUNT(array_) (sizeof(array_) / sizeof *(array_))

static const struct comparison_options defaults = COMPARISON_OPTIONS_DEFAULT;

/* p99 of the load-balancer regression over boots, µs. */
static const double good[] = {7288, 12880, 2516, 8880, 5120};
static const double bad[] = {15984, 16080, 15792, 16144, 15936};

static struct comparison compare(const double *base, size_t base_count, const double *other,
                                 size_t other_count, const struct comparison_options *options)
{
    struct comparison comparison;

    expect_ok(comparison_make(base, base_count, other, other_count, options, &comparison, error));
    return comparison;
}

static void test_every_figure_of_a_regression(void **state)
{
    struct comparison_options options = defaults;
    struct comparison it;

    (void)state;
    options.better = COMPARISON_LOWER;
    it = compare(good, 5, bad, 5, &options);
    assert_int_equal(it.base.count, 5);
    expect_near("base", it.base.median, 7288, 0);
    expect_near("other", it.other.median, 15984, 0);
    expect_near("shift", it.shift.shift, 8696, 0); /* the 13th of the 25 differences */
    assert_true(it.shift.bounded && it.relative);
    expect_near("lower", it.shift.lower, 15792 - 12880, 0);
    expect_near("upper", it.shift.upper, 16144 - 2516, 0);
    expect_near("achieved", it.shift.achieved, 1 - 2 / 252.0, 1e-12);
    expect_near("share", it.share, 8696 / 7288.0, 1e-12);
    expect_near("p", it.p, 2 / 252.0, 1e-12);
    assert_true(it.has_ratio);
    expect_near("ratio", it.ratio.ratio, 15984 / 7288.0, 1e-12);
    assert_true(it.ratio.lower > 1 && it.ratio.upper < 7);
    /* (2.5758 + 1.2816) · √((Qn_good² + Qn_bad²) / 5); Qn = 2.2219 · 0.844 · the third smallest
     * distance: 2604 (after 1592 and 2168) and 96 (after 48 and 64). */
    expect_near("detectable", it.detectable,
                (2.5758293035489004 + 1.2815515655446004) * 2.2219 * 0.844 * hypot(2604, 96) /
                    sqrt(5),
                1e-6);
    assert_true(it.significant && it.beyond);
    assert_int_equal(it.verdict, COMPARISON_WORSE);
    assert_int_equal(it.more, 0);
}

static void test_verdicts(void **state)
{
    static const double low[] = {100, 101, 102, 103, 104}, high[] = {200, 201, 202, 203, 204};
    static const double near[] = {104.5, 104.6, 104.7, 104.8, 104.9};
    static const double mixed[] = {99, 101.5, 102.5, 103.5, 105}, zeros[] = {0, 0, 0, 0, 0};
    static const double three[] = {1, 2, 3}, equal[] = {7, 7, 7, 7, 7};
    const struct {
        const char *what;
        const double *base, *other;
        size_t base_count, other_count;
        enum comparison_better better;
        double threshold, noise;
        enum comparison_verdict verdict;
        size_t more;
    } cases[] = {
        {"up, lower is better", low, high, 5, 5, COMPARISON_LOWER, 0.01, 0, COMPARISON_WORSE, 0},
        {"up, higher is better", low, high, 5, 5, COMPARISON_HIGHER, 0.01, 0, COMPARISON_BETTER, 0},
        {"down, lower is better", high, low, 5, 5, COMPARISON_LOWER, 0.01, 0, COMPARISON_BETTER, 0},
        {"down, higher is better", high, low, 5, 5, COMPARISON_HIGHER, 0.01, 0, COMPARISON_WORSE,
         0},
        {"nobody says", low, high, 5, 5, COMPARISON_NEITHER, 0.01, 0, COMPARISON_DIFFERS, 0},
        {"overlap", low, mixed, 5, 5, COMPARISON_LOWER, 0.01, 0, COMPARISON_NO_DIFFERENCE, 0},
        {"2.6 % of 1", low, near, 5, 5, COMPARISON_LOWER, 0.01, 0, COMPARISON_WORSE, 0},
        {"2.6 % of 5", low, near, 5, 5, COMPARISON_LOWER, 0.05, 0, COMPARISON_NO_DIFFERENCE, 0},
        {"inside the noise", low, near, 5, 5, COMPARISON_LOWER, 0.01, 0.1, COMPARISON_NO_DIFFERENCE,
         0},
        {"from zero", zeros, low, 5, 5, COMPARISON_LOWER, 0.01, 0, COMPARISON_WORSE, 0},
        {"zero and zero", zeros, zeros, 5, 5, COMPARISON_LOWER, 0.01, 0, COMPARISON_NO_DIFFERENCE,
         0},
        {"all equal", equal, equal, 5, 5, COMPARISON_LOWER, 0.01, 0, COMPARISON_NO_DIFFERENCE, 0},
        {"three and three", three, high, 3, 3, COMPARISON_LOWER, 0.01, 0, COMPARISON_NEEDS_MORE, 2},
        {"one and one", three, high, 1, 1, COMPARISON_LOWER, 0.01, 0, COMPARISON_NEEDS_MORE, 4},
        {"five and three", low, three, 5, 3, COMPARISON_LOWER, 0.01, 0, COMPARISON_NEEDS_MORE, 1},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct comparison_options options = defaults;
        struct comparison it;

        options.better = cases[i].better;
        options.threshold = cases[i].threshold;
        options.noise = cases[i].noise;
        it = compare(cases[i].base, cases[i].base_count, cases[i].other, cases[i].other_count,
                     &options);
        if (it.verdict != cases[i].verdict || it.more != cases[i].more)
            fail_msg("%s: %s and %zu more, want %s and %zu more; p %g, share %g", cases[i].what,
                     comparison_verdict_name(it.verdict), it.more,
                     comparison_verdict_name(cases[i].verdict), cases[i].more, it.p, it.share);
    }
}

static void test_what_cannot_be_known_is_missing(void **state)
{
    static const double zeros[] = {0, 0, 0, 1, 2}, three[] = {1, 2, 3}, one[] = {1};
    static const double tiny[] = {1e-300, 2e-300, 3e-300}, huge[] = {1e300, 2e300, 3e300};
    struct comparison it = compare(zeros, 5, good, 5, &defaults);

    (void)state;
    assert_false(it.relative || it.has_ratio);
    assert_true(it.beyond); /* no share: whatever is significant counts */
    it = compare(three, 3, three, 3, &defaults);
    assert_false(it.shift.bounded);
    expect_near("no bound", it.share_lower, 0, 0);
    it = compare(one, 1, three, 3, &defaults);
    assert_false(it.has_detectable || it.has_ratio);
    it = compare(tiny, 3, huge, 3, &defaults);
    assert_false(it.relative || it.has_ratio);
    it = compare(huge, 3, tiny, 3, &defaults);
    assert_true(it.relative && isfinite(it.detectable));
    expect_near("share", it.share, -1, 1e-12);
}

static void test_no_ratio_unless_asked(void **state)
{
    struct comparison_options options = defaults;

    (void)state;
    options.resamples = 0;
    assert_false(compare(good, 5, bad, 5, &options).has_ratio);
}

/* Three comparisons of five a side: 3 · 0.0079 is above 0.01, so one more trial a side is needed
 * (2 / C(12, 6) · 3 = 0.0065); and at 0.05 the corrected p decides. */
static void test_family(void **state)
{
    struct comparison_options options = defaults;
    struct comparison items[3];

    (void)state;
    options.better = COMPARISON_LOWER;
    for (int i = 0; i < 3; i++)
        items[i] = compare(good, 5, bad, 5, &options);
    expect_ok(comparison_correct(items, 3, error));
    for (int i = 0; i < 3; i++) {
        expect_near("p", items[i].p, 3 * 2 / 252.0, 1e-12);
        assert_int_equal(items[i].verdict, COMPARISON_NEEDS_MORE);
        assert_int_equal(items[i].more, 1);
    }
    options.alpha = 0.05;
    for (int i = 0; i < 3; i++)
        items[i] = compare(good, 5, i < 2 ? bad : good, 5, &options);
    expect_ok(comparison_correct(items, 3, error));
    assert_int_equal(items[0].verdict, COMPARISON_WORSE);
    assert_int_equal(items[1].verdict, COMPARISON_WORSE);
    assert_int_equal(items[2].verdict, COMPARISON_NO_DIFFERENCE);
    expect_near("p", items[2].p, 1, 0);
    expect_ok(comparison_correct(items, 0, error));
}

/* The number of trials that a plan for the threshold gives: 30 a side at one standard deviation,
 * α 0.01 and power 0.9, and nothing more once they are there. */
static void test_trials_wanted(void **state)
{
    struct comparison_options options = defaults;
    double x[40], y[40];
    struct random random;
    struct comparison it;
    double scale;

    (void)state;
    random_seed(&random, 8);
    for (int i = 0; i < 40; i++) {
        x[i] = 1000 + 10 * random_normal(&random);
        y[i] = 1000 + 10 * random_normal(&random);
    }
    it = compare(x, 10, y, 10, &options);
    scale = hypot(it.base.robust_scale, it.other.robust_scale) / sqrt(2);
    expect_near("wanted", (double)it.wanted, 2 * pow(3.857381 * scale / (0.01 * it.base.median), 2),
                0.5);
    options.threshold = 0.05;
    it = compare(x, 40, y, 40, &options);
    assert_int_equal(it.wanted, 0);
    options.threshold = 1e-9;
    it = compare(x, 40, y, 40, &options);
    assert_int_equal(it.wanted, COMPARISON_TRIALS_MAXIMUM);
}

static void test_bad_input(void **state)
{
    static const double wrong[] = {1, 2, NAN}, endless[] = {1, -INFINITY};
    static const double apart[] = {1.7e308}, below[] = {-1.7e308};
    struct comparison_options options = defaults;
    struct comparison it = {.p = 99};

    (void)state;
    expect_error(comparison_make(good, 5, wrong, 3, &options, &it, error), CULPRIT_INVALID,
                 "other side: sample 3 of 3 is not a number");
    expect_error(comparison_make(endless, 2, good, 5, &options, &it, error), CULPRIT_INVALID,
                 "base: sample 2 of 2 is infinite");
    expect_error(comparison_make(good, 0, good, 5, &options, &it, error), CULPRIT_INVALID,
                 "base: needs at least 1");
    expect_error(comparison_make(apart, 1, below, 1, &options, &it, error), CULPRIT_INVALID,
                 "too far apart");
    options.alpha = 0;
    expect_error(comparison_make(good, 5, good, 5, &options, &it, error), CULPRIT_INVALID,
                 "level 0");
    options = defaults;
    options.threshold = NAN;
    expect_error(comparison_make(good, 5, good, 5, &options, &it, error), CULPRIT_INVALID,
                 "threshold nan");
    options = defaults;
    options.noise = -1;
    expect_error(comparison_make(good, 5, good, 5, &options, &it, error), CULPRIT_INVALID,
                 "noise -1");
    expect_near("untouched", it.p, 99, 0);
}

static void expect_finite(const struct comparison *it, const char *what)
{
    const double all[] = {
        it->base.median,
        it->base.robust_scale,
        it->other.median,
        it->other.deviation,
        it->shift.shift,
        it->shift.lower,
        it->shift.upper,
        it->shift.achieved,
        it->share,
        it->share_lower,
        it->share_upper,
        it->test.p_greater,
        it->test.p_less,
        it->p,
        it->ratio.ratio,
        it->ratio.lower,
        it->ratio.upper,
        it->detectable,
        it->ratio.corrected_lower,
        it->ratio.corrected_upper,
    };

    for (size_t i = 0; i < COUNT(all); i++)
        if (!isfinite(all[i]))
            fail_msg("%s: figure %zu is %g", what, i, all[i]);
}

/* A side drawn from one of several shapes, some with many ties, on a scale of its own. */
static size_t draw_side(struct random *random, double scale, double values[30])
{
    size_t count = 1 + random_below(random, 30);
    uint64_t shape = random_below(random, 4);

    for (size_t i = 0; i < count; i++)
        values[i] = scale * (shape == 0   ? random_normal(random)
                             : shape == 1 ? (double)random_below(random, 3)
                             : shape == 2 ? exp(2 * random_normal(random))
                                          : 5);
    return count;
}

/* Swapping the sides turns every figure round and the verdict over. */
static void test_antisymmetry(void **state)
{
    struct comparison_options options = defaults;
    struct random random;

    (void)state;
    random_seed(&random, 21);
    options.resamples = 200;
    options.better = COMPARISON_LOWER;
    options.threshold = 0;
    for (int round = 0; round < 500; round++) {
        double x[30], y[30];
        size_t m = draw_side(&random, 1, x), n = draw_side(&random, 1, y);
        struct comparison there = compare(x, m, y, n, &options);
        struct comparison back = compare(y, n, x, m, &options);

        expect_finite(&there, "there");
        expect_near("shift", there.shift.shift, -back.shift.shift, 1e-12);
        expect_near("p", there.p, back.p, 1e-12);
        expect_near("bounds", there.shift.lower, -back.shift.upper, 1e-12);
        expect_near("detectable", there.detectable, back.detectable, 1e-12);
        assert_int_equal(comparison_direction(&there), -comparison_direction(&back));
        assert_int_equal(there.more, back.more);
        if (there.verdict == COMPARISON_WORSE && back.beyond)
            assert_int_equal(back.verdict, COMPARISON_BETTER);
    }
}

/* x → a·x + b moves the figures along and leaves p and what the trials can say alone; a < 0 with
 * the direction turned round too. */
static void test_affine_invariance(void **state)
{
    static const struct {
        double scale, offset;
    } maps[] = {{2, 0}, {0x1p-30, 0}, {1, 1000}, {1e300, 0}, {1e-300, 0}, {-1, 0}, {-1000, 77}};
    struct comparison_options options = defaults;
    struct random random;

    (void)state;
    random_seed(&random, 22);
    options.resamples = 0;
    for (int round = 0; round < 200; round++) {
        double x[30], y[30], u[30], v[30];
        /* Whole numbers stay exact under all maps, so that ties stay ties. */
        size_t m = 1 + random_below(&random, 30), n = 1 + random_below(&random, 30);
        struct comparison plain;

        for (size_t i = 0; i < m; i++)
            x[i] = (double)random_below(&random, 40);
        for (size_t i = 0; i < n; i++)
            y[i] = (double)random_below(&random, 40) + 5;
        options.better = COMPARISON_LOWER;
        options.threshold = 0;
        plain = compare(x, m, y, n, &options);
        for (size_t k = 0; k < COUNT(maps); k++) {
            double a = maps[k].scale;
            struct comparison mapped;

            for (size_t i = 0; i < m; i++)
                u[i] = a * x[i] + maps[k].offset;
            for (size_t i = 0; i < n; i++)
                v[i] = a * y[i] + maps[k].offset;
            options.better = a < 0 ? COMPARISON_HIGHER : COMPARISON_LOWER;
            mapped = compare(u, m, v, n, &options);
            expect_finite(&mapped, "mapped");
            expect_near("shift", mapped.shift.shift / a, plain.shift.shift, 1e-9);
            expect_near("p", mapped.p, plain.p, 1e-12);
            expect_near("spread", mapped.base.robust_scale / fabs(a), plain.base.robust_scale,
                        1e-9);
            expect_near("detectable", mapped.detectable / fabs(a), plain.detectable, 1e-9);
            assert_int_equal(mapped.significant, plain.significant);
            assert_int_equal(mapped.more, plain.more);
        }
    }
}

/* Whatever the samples are, the answer is figures or a sentence. */
static void test_nothing_but_numbers(void **state)
{
    static const double scales[] = {1e-308, 1e-300, 1e-3, 1, 1e5, 1e300, 1e307};
    struct comparison_options options = defaults;
    struct random random;
    int refused = 0;

    (void)state;
    random_seed(&random, 23);
    options.resamples = 400;
    options.alpha = 0.05;
    for (int round = 0; round < 2000; round++) {
        double x[30], y[30];
        size_t m = draw_side(&random, scales[random_below(&random, COUNT(scales))], x);
        size_t n = draw_side(&random, scales[random_below(&random, COUNT(scales))], y);
        struct comparison it;
        struct culprit_error error = {0};
        int r = comparison_make(x, m, y, n, &options, &it, &error);

        if (r < 0) {
            refused++;
            assert_int_equal(r, -CULPRIT_INVALID);
            if (!strstr(error.message, "too far apart") && !strstr(error.message, "is infinite"))
                fail_msg("says \"%s\"", error.message);
            continue;
        }
        expect_finite(&it, "random");
    }
    assert_true(refused < 500);
}

/* What counts as a difference by chance: at most alpha of A/A comparisons. */
static void test_false_alarms(void **state)
{
    enum { ROUNDS = 20000 };
    struct comparison_options options = defaults;
    struct random random;
    int alarms = 0;

    (void)state;
    random_seed(&random, 24);
    options.resamples = 0;
    options.alpha = 0.05;
    options.threshold = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double x[8], y[8];

        for (int i = 0; i < 8; i++) {
            x[i] = exp(random_normal(&random));
            y[i] = exp(random_normal(&random));
        }
        alarms += compare(x, 8, y, 8, &options).verdict == COMPARISON_DIFFERS;
    }
    /* Exact at eight a side: P(|U − 32| ≥ 19) = 0.0499; four standard errors. */
    if (alarms < 0.0437 * ROUNDS || alarms > 0.0561 * ROUNDS)
        fail_msg("%d false alarms of %d", alarms, ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_figure_of_a_regression),
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_what_cannot_be_known_is_missing),
        cmocka_unit_test(test_no_ratio_unless_asked),
        cmocka_unit_test(test_family),
        cmocka_unit_test(test_trials_wanted),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_antisymmetry),
        cmocka_unit_test(test_affine_invariance),
        cmocka_unit_test(test_nothing_but_numbers),
        cmocka_unit_test(test_false_alarms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
