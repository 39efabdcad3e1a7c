/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trials of one kernel: what they come to, with failures, gaps and metrics that are always equal.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/commands/calibrations.h"
#include "cli/series.h"

static struct culprit_error error;

/* A trial that gives a latency, always the same count, and, where `rare`, one thing more. */
static void add(struct series *series, enum outcome outcome, double latency, bool rare)
{
    struct metric_value metrics[] = {
        {.name = "w.latency", .unit = "us", .better = BETTER_LOWER, .value = latency},
        {.name = "stat.ctxt", .unit = "count", .value = 5, .counter = true},
        {.name = "w.count", .unit = "count", .better = BETTER_HIGHER, .value = 7},
        {.name = "w.rare", .unit = "us", .better = BETTER_LOWER, .value = latency},
    };
    const struct trial_result result = {
        .outcome = outcome,
        .message = "it hung",
        .metrics = metrics,
        .metric_count = outcome == OUTCOME_OK ? (rare ? 4 : 3) : 0,
        .kernel_digest = "beef",
        .wall_ns = 2000000000,
    };

    if (series_add(series, &result, &error) < 0)
        fail_msg("%s", error.message);
}

static void fill(struct series *series)
{
    if (series_new(14, series, &error) < 0)
        fail_msg("%s", error.message);
    for (int i = 0; i < 10; i++)
        add(series, OUTCOME_OK, 100 + i, i < 4);
    add(series, OUTCOME_BOOT_FAILED, 0, false);
}

static void test_metrics_are_gathered(void **state)
{
    CULPRIT_CLEANUP(series_clear) struct series series = {0};
    const struct trial_result late = {.outcome = OUTCOME_OK};

    (void)state;
    fill(&series);
    assert_int_equal(series.ok, 10);
    assert_int_equal(series.failed, 1);
    assert_string_equal(series.message, "it hung");
    assert_int_equal(series.metric_count, 3);
    assert_null(series_find(&series, "stat.ctxt"));
    assert_int_equal(series_find(&series, "w.latency")->count, 10);
    assert_true(series_find(&series, "w.latency")->values[9] > 108.5);
    assert_int_equal(series_find(&series, "w.rare")->count, 4);
    assert_int_equal(series_time_left(&series), UINT64_C(6000000000));
    for (int i = 0; i < 3; i++)
        add(&series, OUTCOME_OK, 1, false);
    assert_int_equal(series_time_left(&series), 0);
    assert_int_equal(series_add(&series, &late, &error), -CULPRIT_LIMIT);
}

static void test_nothing_is_known_before_the_first(void **state)
{
    CULPRIT_CLEANUP(series_clear) struct series series = {0};

    (void)state;
    assert_int_equal(series_new(5, &series, &error), 0);
    assert_int_equal(series_time_left(&series), 0);
}

/* What is needed of a command line, without its guest. */
static void prepare(struct calibrating *calibrating, struct topology *topology)
{
    static char name[] = "pair", kernel[] = "/nonexistent";

    *topology = (struct topology){.name = name};
    *calibrating = (struct calibrating){.options = CALIBRATION_OPTIONS_DEFAULT, .trials = 14};
    calibrating->options.comparisons = 100;
    calibrating->attempt = (struct attempt){.topology = topology,
                                            .kernel = kernel,
                                            .engine = ENGINE_DETERMINISTIC,
                                            .seed = 1,
                                            .shift = 1,
                                            .memory = 512 << 20};
    if (workload_request_init("wakeup", &calibrating->attempt.workload, &error) < 0)
        fail_msg("%s", error.message);
}

static char *page(const struct calibrating *calibrating, const struct series *series,
                  const char *metric)
{
    CULPRIT_CLEANUP(calibration_record_free) struct calibration_record *record = NULL;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    if (calibrating_record(calibrating, series, series_find(series, metric), &record, &error) < 0)
        fail_msg("%s", error.message);
    calibration_print(out, record, series->ok + series->failed);
    fclose(out);
    return text;
}

static void expect_in(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in: %s", part, text);
}

static void test_pages(void **state)
{
    CULPRIT_CLEANUP(series_clear) struct series series = {0};
    CULPRIT_CLEANUP(calibration_record_free) struct calibration_record *record = NULL;
    _cleanup_free_ char *latency = NULL, *equal = NULL;
    struct calibrating calibrating;
    struct topology topology;

    (void)state;
    fill(&series);
    prepare(&calibrating, &topology);
    latency = page(&calibrating, &series, "w.latency");
    expect_in(latency, "w.latency: 10 trials (1 gave none), median 104.5 us, spread ");
    expect_in(latency, "   3  cannot be significant at 0.01, whatever they measure; A/A within ");
    expect_in(latency, "of 100 (");
    expect_in(latency, "left out: n = 10 20, for which 10 trials are too few");
    /* Rising from trial to trial, it drifts: 5 of 5 below 5 of 5. */
    expect_in(latency, "p = 0.0079: they DIFFER");
    equal = page(&calibrating, &series, "w.count");
    expect_in(equal, "all of them equal: whatever differs is a difference");
    expect_in(equal, "p = 1\n");
    assert_null(strstr(equal, "nan"));
    /* Four values are none. */
    assert_int_equal(
        calibrating_record(&calibrating, &series, series_find(&series, "w.rare"), &record, &error),
        -CULPRIT_INVALID);
    expect_in(error.message, "w.rare: ");
    expect_in(error.message, "6");
    workload_request_clear(&calibrating.attempt.workload);
}

/* No job may ask about what its engine cannot see, and so no calibration is kept of it. */
static void test_what_an_engine_sees(void **state)
{
    struct calibrating calibrating;
    struct topology topology;

    (void)state;
    prepare(&calibrating, &topology);
    assert_true(calibrating_sees(&calibrating, "wakeup.latency.p99"));
    assert_false(calibrating_sees(&calibrating, "wakeup.loops"));
    calibrating.attempt.engine = ENGINE_REALTIME;
    assert_true(calibrating_sees(&calibrating, "wakeup.loops"));
    workload_request_clear(&calibrating.attempt.workload);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_metrics_are_gathered),
        cmocka_unit_test(test_nothing_is_known_before_the_first),
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_what_an_engine_sees),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
