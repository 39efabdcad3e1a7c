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
#include "stats/calibration.h"

#define COUNT(array_) (sizeof(array_) / sizeof *(array_))

enum { TRIALS = 40 };

static const struct calibration_options defaults = CALIBRATION_OPTIONS_DEFAULT;

static double normal(struct random *random)
{
    return 1000 + 100 * random_normal(random);
}

static double lognormal(struct random *random)
{
    return 1000 * exp(0.8 * random_normal(random));
}

/* A tail latency: a tenth of the boots hit the ceiling. */
static double bimodal(struct random *random)
{
    return random_unit(random) < 0.1 ? 15000 + 200 * random_normal(random)
                                     : 5000 + 2000 * random_normal(random);
}

/* Whole ticks, of which there are four. */
static double tied(struct random *random)
{
    return (double)random_below(random, 4);
}

static double equal(struct random *random)
{
    (void)random;
    return 7;
}

static void draw(double (*from)(struct random *), uint64_t seed, double *ret, size_t count)
{
    struct random random;

    random_seed(&random, seed);
    for (size_t i = 0; i < count; i++)
        ret[i] = from(&random);
}

static struct calibration calibrate(const double *values, size_t count, size_t comparisons)
{
    struct calibration_options options = defaults;
    struct calibration calibration;

    options.comparisons = comparisons;
    expect_ok(calibration_make(values, count, &options, &calibration, error));
    return calibration;
}

static void test_false_positives_lie_in_the_band(void **state)
{
    static const struct {
        const char *what;
        double (*from)(struct random *);
    } cases[] = {{"normal", normal}, {"lognormal", lognormal}, {"bimodal", bimodal}};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            struct calibration it;
            double values[TRIALS];

            draw(cases[i].from, seed, values, TRIALS);
            it = calibrate(values, TRIALS, 200);
            assert_int_equal(it.size_count, 4);
            assert_false(it.sizes[0].can_decide); /* 2 / C(6, 3) is a tenth */
            for (size_t s = 1; s < it.size_count; s++) {
                const struct calibration_size *size = &it.sizes[s];

                if (!size->can_decide || calibration_standing(size) != CALIBRATION_WITHIN)
                    fail_msg("%s, seed %d, n = %zu: %zu of 200, band %zu to %zu", cases[i].what,
                             (int)seed, size->trials, size->false_positives, size->band_lower,
                             size->band_upper);
            }
        }
}

/* Ties may make the exact test careful; they never make it rash. */
static void test_ties_raise_no_false_alarms(void **state)
{
    double values[TRIALS];
    struct calibration it;

    (void)state;
    draw(tied, 1, values, TRIALS);
    it = calibrate(values, TRIALS, 1000);
    for (size_t s = 1; s < it.size_count; s++)
        if (calibration_standing(&it.sizes[s]) == CALIBRATION_ABOVE)
            fail_msg("n = %zu: %zu false positives of 1000, at most %zu are to be expected",
                     it.sizes[s].trials, it.sizes[s].false_positives, it.sizes[s].band_upper);
}

/* Figures that are known beforehand: of normal trials with the deviation 100 the interval is
 * z σ √(2/n). The MDE is a little above (z + z) σ √(2/n), which knows neither that the test is
 * exact nor that the interval of each deal has a width of its own. */
static void test_figures_of_normal_trials(void **state)
{
    double values[200];
    struct calibration it;

    (void)state;
    draw(normal, 1, values, COUNT(values));
    it = calibrate(values, COUNT(values), 1000);
    expect_near("spread", it.summary.robust_scale, 100, 12);
    expect_near("interval at 10", calibration_at(&it, 10)->interval, 2.576 * 100 * sqrt(2 / 10.0),
                20);
    for (size_t n = 10; n <= 20; n += 10) {
        double formula = 3.857 * it.summary.robust_scale * sqrt(2 / (double)n);

        if (calibration_at(&it, n)->detectable < formula ||
            calibration_at(&it, n)->detectable > 1.25 * formula)
            fail_msg("MDE at %zu: got %g, and the formula says %g", n,
                     calibration_at(&it, n)->detectable, formula);
    }
    /* The exact test of five a side wants all of one above all of the other: the formula, which
     * does not know that, would say 244. */
    assert_true(calibration_at(&it, 5)->detectable > 260);
    assert_false(calibration_drifts(&it));
}

/* Quantiles 0.005 of B(1000, 2/252) and 0.995 of B(1000, 1/100), summed up in whole fractions by
 * Python 3.11. */
static void test_the_band_is_binomial(void **state)
{
    double values[TRIALS];
    struct calibration it;

    (void)state;
    draw(normal, 1, values, TRIALS);
    it = calibrate(values, TRIALS, 1000);
    assert_int_equal(it.sizes[1].band_lower, 2);
    assert_int_equal(it.sizes[1].band_upper, 19);
}

/* What the MDE promises: shifts of that size are found nine times in ten, on other trials. */
static void test_what_is_detectable_is_detected(void **state)
{
    enum { SIDES = 10, REPEATS = 300 };
    double values[1000], sides[2][SIDES];
    struct random random;
    struct calibration it;
    size_t found = 0;

    (void)state;
    draw(lognormal, 3, values, COUNT(values));
    it = calibrate(values, COUNT(values), 400);
    random_seed(&random, 77);
    for (int i = 0; i < REPEATS; i++) {
        struct comparison_options options = COMPARISON_OPTIONS_DEFAULT;
        struct comparison comparison;

        for (int n = 0; n < SIDES; n++) {
            sides[0][n] = lognormal(&random);
            sides[1][n] = lognormal(&random) + calibration_at(&it, SIDES)->detectable;
        }
        options.resamples = 0;
        expect_ok(comparison_make(sides[0], SIDES, sides[1], SIDES, &options, &comparison, error));
        found += comparison.verdict == COMPARISON_DIFFERS;
    }
    if (found < 0.82 * REPEATS || found == REPEATS)
        fail_msg("%zu of %d were found", found, REPEATS);
}

static void test_sizes_that_the_trials_carry(void **state)
{
    static const struct {
        size_t trials, sizes;
    } cases[] = {{6, 1}, {9, 1}, {10, 2}, {19, 2}, {20, 3}, {39, 3}, {40, 4}};
    double values[TRIALS];

    (void)state;
    draw(normal, 1, values, TRIALS);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct calibration it = calibrate(values, cases[i].trials, 100);

        if (it.size_count != cases[i].sizes)
            fail_msg("%zu trials carry %zu sizes, not %zu", cases[i].trials, it.size_count,
                     cases[i].sizes);
    }
}

static void test_equal_trials(void **state)
{
    double values[TRIALS];
    struct calibration it;

    (void)state;
    draw(equal, 1, values, TRIALS);
    it = calibrate(values, TRIALS, 100);
    expect_near("spread", it.summary.robust_scale, 0, 0);
    expect_near("drift", it.drift_p, 1, 0);
    for (size_t s = 0; s < it.size_count; s++) {
        expect_near("interval", it.sizes[s].interval, 0, 0);
        assert_int_equal(it.sizes[s].false_positives, 0);
    }
    /* What is left is the threshold: a hundredth of 7. */
    expect_near("MDE", calibration_at(&it, 20)->detectable, 0.07, 1e-12);
}

static void test_drift_is_seen(void **state)
{
    double values[TRIALS];
    struct calibration it;

    (void)state;
    draw(normal, 1, values, TRIALS);
    for (size_t i = TRIALS / 2; i < TRIALS; i++)
        values[i] += 300;
    it = calibrate(values, TRIALS, 100);
    if (!calibration_drifts(&it))
        fail_msg("the halves differ by three deviations, and p is %g", it.drift_p);
}

static void test_intervals_between_the_sizes(void **state)
{
    double values[TRIALS];
    struct calibration it;

    (void)state;
    draw(normal, 1, values, TRIALS);
    it = calibrate(values, TRIALS, 100);
    expect_near("5", calibration_interval(&it, 5, 5), it.sizes[1].interval, 1e-9);
    expect_near("40", calibration_interval(&it, 40, 40), it.sizes[3].interval / sqrt(2), 1e-9);
    expect_near("1", calibration_interval(&it, 1, 1), it.sizes[0].interval * sqrt(3), 1e-9);
    /* 15 and 7.5 tell as much as 10 and 10. */
    expect_near("30 and 6", calibration_interval(&it, 30, 6), it.sizes[2].interval, 1e-9);
    assert_int_equal(calibration_at(&it, 1)->trials, 3);
    assert_int_equal(calibration_at(&it, 19)->trials, 10);
}

static void test_what_is_refused(void **state)
{
    double values[TRIALS];
    struct calibration_options options = defaults;
    struct calibration it;

    (void)state;
    draw(normal, 1, values, TRIALS);
    expect_error(calibration_make(values, 5, &options, &it, error), CULPRIT_INVALID, "6");
    expect_error(calibration_make(values, 0, &options, &it, error), CULPRIT_INVALID, "6");
    options.comparisons = 99;
    expect_error(calibration_make(values, 6, &options, &it, error), CULPRIT_INVALID, "99");
    options.comparisons = 100;
    options.alpha = (double)NAN;
    expect_error(calibration_make(values, 6, &options, &it, error), CULPRIT_INVALID, "level");
    options.alpha = 0.01;
    values[3] = (double)NAN;
    expect_error(calibration_make(values, 6, &options, &it, error), CULPRIT_INVALID, "4");
    values[3] = HUGE_VAL;
    expect_error(calibration_make(values, 6, &options, &it, error), CULPRIT_INVALID, "4");
    values[3] = -1.7e308;
    values[4] = 1.7e308;
    expect_error(calibration_make(values, 6, &options, &it, error), CULPRIT_INVALID, "too far");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_false_positives_lie_in_the_band),
        cmocka_unit_test(test_ties_raise_no_false_alarms),
        cmocka_unit_test(test_figures_of_normal_trials),
        cmocka_unit_test(test_the_band_is_binomial),
        cmocka_unit_test(test_what_is_detectable_is_detected),
        cmocka_unit_test(test_sizes_that_the_trials_carry),
        cmocka_unit_test(test_equal_trials),
        cmocka_unit_test(test_drift_is_seen),
        cmocka_unit_test(test_intervals_between_the_sizes),
        cmocka_unit_test(test_what_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
