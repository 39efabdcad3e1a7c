/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent_test.h"
#include "core/histogram.h"

static struct histogram histogram;

static int start_empty(void **state)
{
    (void)state;
    histogram_clear(&histogram);
    return 0;
}

static void an_empty_one_has_no_values(void **state)
{
    (void)state;
    assert_int_equal(histogram_total(&histogram), 0);
    assert_int_equal(histogram_quantile(&histogram, 500), 0);
}

static void quantiles_are_nearest_ranks(void **state)
{
    /* Of 1 to 100, the value of rank ceil(p n). */
    static const struct {
        unsigned per_mille;
        uint64_t value;
    } rows[] = {
        {0, 1},    {1, 1},    {10, 1},   {11, 2},    {500, 50},  {501, 51},  {750, 75},
        {900, 90}, {950, 95}, {990, 99}, {991, 100}, {995, 100}, {999, 100}, {1000, 100},
    };

    (void)state;
    for (uint64_t value = 100; value >= 1; value--)
        histogram_add(&histogram, value);
    for (size_t i = 0; i < COUNT(rows); i++)
        if (histogram_quantile(&histogram, rows[i].per_mille) != rows[i].value)
            fail_msg("quantile %u is %llu instead of %llu", rows[i].per_mille,
                     (unsigned long long)histogram_quantile(&histogram, rows[i].per_mille),
                     (unsigned long long)rows[i].value);
}

static void buckets_cover_all_values_without_gap(void **state)
{
    uint64_t previous = histogram_upper_bound(0);

    (void)state;
    assert_int_equal(previous, 0);
    for (unsigned i = 1; i < HISTOGRAM_BUCKETS; i++) {
        uint64_t bound = histogram_upper_bound(i), width = bound - previous;
        assert_true(bound > previous);
        /* Both ends of the bucket are counted in it. */
        histogram_clear(&histogram);
        histogram_add(&histogram, previous + 1);
        histogram_add(&histogram, bound);
        if (histogram.buckets[i] != 2)
            fail_msg("bucket %u (%llu to %llu) does not hold its ends", i,
                     (unsigned long long)previous + 1, (unsigned long long)bound);
        if (width > 1 && width * 512 > bound)
            fail_msg("bucket %u is %llu wide at %llu", i, (unsigned long long)width,
                     (unsigned long long)bound);
        histogram.buckets[i] = 0;
        previous = bound;
        if (i > 4096)
            i += 96; /* clearing is slow under a sanitizer; every octave is still seen */
        previous = histogram_upper_bound(i);
    }
    assert_int_equal(histogram_upper_bound(HISTOGRAM_BUCKETS - 1),
                     (UINT64_C(1) << HISTOGRAM_VALUE_BITS) - 1);
}

static void values_beyond_the_last_bucket_stay_in_it(void **state)
{
    (void)state;
    histogram_add(&histogram, UINT64_C(1) << HISTOGRAM_VALUE_BITS);
    histogram_add(&histogram, UINT64_MAX);
    assert_int_equal(histogram.buckets[HISTOGRAM_BUCKETS - 1], 2);
}

static void merging_adds(void **state)
{
    static struct histogram other;

    (void)state;
    histogram_add(&histogram, 7);
    histogram_add(&other, 7);
    histogram_add(&other, 1000000);
    histogram_merge(&histogram, &other);
    assert_int_equal(histogram_total(&histogram), 3);
    assert_int_equal(histogram_quantile(&histogram, 600), 7);
    assert_in_range(histogram_quantile(&histogram, 1000), 1000000, 1002000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_empty_one_has_no_values, start_empty),
        cmocka_unit_test_setup(quantiles_are_nearest_ranks, start_empty),
        cmocka_unit_test_setup(buckets_cover_all_values_without_gap, start_empty),
        cmocka_unit_test_setup(values_beyond_the_last_bucket_stay_in_it, start_empty),
        cmocka_unit_test_setup(merging_adds, start_empty),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
