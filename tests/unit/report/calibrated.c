/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report of a job that had a calibration: what it says of it, and what then counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "drawn_calibration.h"
#include "fixture.h"

enum { TEXT_MAXIMUM = 1024 * 1024 };

#define JOB(metric_)                                                                   \
    "version: 1\n"                                                                     \
    "name: a\n"                                                                        \
    "kind: run\n"                                                                      \
    "source: {repository: linux, commit: v6.1}\n"                                      \
    "guest: {topology: vm-40cpu-smt, engine: deterministic, shift: 1, memory: 2GiB}\n" \
    "workloads: [{wakeup: {runtime: 1s}}]\n"                                           \
    "metric: {name: " metric_ "}\n"

/* Identical builds of which differ by far less, and by more, than parent and culprit do. */
static const struct drawn_calibration quiet = {
    .job = JOB("wakeup.latency.p99"), .unit = "us", .level = 8000, .spread = 500, .seed = 1};
static const struct drawn_calibration noisy = {
    .job = JOB("wakeup.latency.p99"), .unit = "us", .level = 8000, .spread = 8000, .seed = 1};
static const struct drawn_calibration other = {
    .job = JOB("wakeup.latency.p50"), .unit = "us", .level = 8000, .spread = 8000, .seed = 1};

struct told {
    struct fixture fixture;
    struct calibration_record *record;
    json_t *json;
    char *text;
};

static void tell(const struct drawn_calibration *drawn, struct told *ret)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(TEXT_MAXIMUM);
    struct culprit_error error = {0};

    fixture_make(&ret->fixture);
    ret->record = drawn ? drawn_calibration_record(drawn) : NULL;
    ret->fixture.report.calibration = ret->record;
    ret->json = report_json(&ret->fixture.report);
    assert_non_null(ret->json);
    if (report_text(&ret->fixture.report, &text, &error) < 0)
        fail_msg("%s", error.message);
    ret->text = buffer_take(&text);
}

static void told_clear(struct told *told)
{
    free(told->text);
    json_decref(told->json);
    calibration_record_free(told->record);
    fixture_clear(&told->fixture);
}

static const json_t *comparison(const struct told *told, size_t row)
{
    return json_object_get(json_array_get(json_object_get(told->json, "rows"), row), "comparison");
}

static const char *verdict(const struct told *told, size_t row)
{
    return json_string_value(json_object_get(comparison(told, row), "verdict"));
}

static void test_without(void **state)
{
    struct told told;

    (void)state;
    tell(NULL, &told);
    assert_non_null(strstr(told.text, "calibration:  none: by how much identical builds differ"));
    assert_true(json_is_null(json_object_get(told.json, "calibration")));
    assert_true(json_is_null(json_object_get(comparison(&told, 0), "noise_percent")));
    assert_string_equal(verdict(&told, 0), "worse");
    told_clear(&told);
}

static void test_beyond_the_noise(void **state)
{
    const json_t *calibration;
    struct told told;

    (void)state;
    tell(&quiet, &told);
    if (!strstr(told.text, "calibration:  A/A on 6.1.192: 40 trials, spread 4.9%; at n = 5"))
        fail_msg("it says: %s", told.text);
    calibration = json_object_get(told.json, "calibration");
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(calibration, "figures"), "n")), 40);
    assert_null(json_object_get(calibration, "values"));
    assert_true(json_number_value(json_object_get(comparison(&told, 0), "noise_percent")) > 5);
    assert_string_equal(verdict(&told, 0), "worse");
    told_clear(&told);
}

/* More than a hundred per cent are shown, and identical builds differ by more. */
static void test_within_the_noise(void **state)
{
    struct told told;

    (void)state;
    tell(&noisy, &told);
    assert_string_equal(verdict(&told, 0), "no_difference");
    told_clear(&told);
}

/* It speaks of its own metric and of no other. */
static void test_of_another_metric(void **state)
{
    struct told told;

    (void)state;
    tell(&other, &told);
    assert_string_equal(verdict(&told, 0), "worse");
    assert_true(json_is_null(json_object_get(comparison(&told, 0), "noise_percent")));
    assert_true(json_is_number(json_object_get(comparison(&told, 1), "noise_percent")));
    told_clear(&told);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without),
        cmocka_unit_test(test_beyond_the_noise),
        cmocka_unit_test(test_within_the_noise),
        cmocka_unit_test(test_of_another_metric),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
