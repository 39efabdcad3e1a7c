/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent_test.h"
#include "workloads/exec_output.h"
#include "workloads/schemas.h"

#include <stdio.h>

static struct workload_result result;
static const struct plan_workload plan = {.schema = &exec_schema};
static struct workload_context context = {.plan = &plan, .result = &result};
static struct exec_output output;

static int begin(void **state)
{
    (void)state;
    memset(&result, 0, sizeof(result));
    exec_output_init(&output, &context, true);
    return 0;
}

static void print(const char *text)
{
    exec_output_add(&output, text, strlen(text));
}

static void metrics_are_read_from_lines(void **state)
{
    static const struct {
        const char *line;
        struct workload_sample sample;
    } rows[] = {
        {"culprit-metric a 1", {"exec.a", "count", BETTER_NEITHER, 1}},
        {"culprit-metric ops.per_sec 12.5e3 1/s higher",
         {"exec.ops.per_sec", "1/s", BETTER_HIGHER, 12500}},
        {"culprit-metric  wait  -0.5  us  lower ", {"exec.wait", "us", BETTER_LOWER, -0.5}},
        {"culprit-metric x 3 s neither", {"exec.x", "s", BETTER_NEITHER, 3}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        print(rows[i].line);
        print("\n");
        if (result.failed)
            fail_msg("%s", result.failure);
        assert_int_equal(result.sample_count, i + 1);
        assert_string_equal(result.samples[i].name, rows[i].sample.name);
        assert_string_equal(result.samples[i].unit, rows[i].sample.unit);
        assert_int_equal(result.samples[i].better, rows[i].sample.better);
        assert_true(result.samples[i].value == rows[i].sample.value);
    }
}

static void a_malformed_line_is_quoted_in_the_failure(void **state)
{
    static const char *const rows[] = {
        "culprit-metric",
        "culprit-metric a",
        "culprit-metric a b",
        "culprit-metric a 1x",
        "culprit-metric a nan",
        "culprit-metric a inf",
        "culprit-metric a 0x10",
        "culprit-metric a 1e999",
        "culprit-metric A 1",
        "culprit-metric a/b 1",
        "culprit-metric a 1 us faster",
        "culprit-metric a 1 us lower more",
        "culprit-metric a 1 a_unit_that_is_too_long",
        "culprit-metric duration 1",
        "culprit-metric exit_status 1",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        begin(NULL);
        print(rows[i]);
        print("\n");
        if (!result.failed || result.sample_count > 0)
            fail_msg("\"%s\" is taken for a metric", rows[i]);
        assert_contains(result.failure, rows[i]);
    }
}

static void other_lines_are_only_kept(void **state)
{
    (void)state;
    print("some output\nculprit-metrics a b\n culprit-metric a b\n");
    assert_false(result.failed);
    assert_int_equal(result.sample_count, 0);
    assert_int_equal(result.log_count, 3);
    assert_string_equal(result.log[0], "some output");
}

static void without_the_parser_no_line_is_a_metric(void **state)
{
    (void)state;
    exec_output_init(&output, &context, false);
    print("culprit-metric a b\n");
    assert_false(result.failed);
    assert_int_equal(result.log_count, 1);
}

static void a_name_comes_once(void **state)
{
    (void)state;
    print("culprit-metric a 1\nculprit-metric a 2\n");
    assert_true(result.failed);
    assert_contains(result.failure, "a second metric exec.a");
}

static void pieces_and_a_missing_newline_make_lines(void **state)
{
    (void)state;
    print("culprit-");
    print("metric a 1\nculprit-metric b");
    assert_int_equal(result.sample_count, 1);
    print(" 2");
    exec_output_finish(&output);
    exec_output_finish(&output);
    assert_false(result.failed);
    assert_int_equal(result.sample_count, 2);
    assert_int_equal(result.log_count, 2);
}

static void endless_lines_and_output_stay_bounded(void **state)
{
    (void)state;
    for (int i = 0; i < 5000; i++)
        print("x");
    print("\n");
    assert_int_equal(result.log_count, 1);
    assert_int_equal(strlen(result.log[0]), RECORD_TEXT_MAXIMUM - 1);
    for (int i = 0; i < 1000; i++)
        print("line\n");
    print("last\n");
    assert_int_equal(result.log_count, 1002);
    assert_string_equal(result.log[1001 % WORKLOAD_LOG_LINES], "last");
    assert_false(result.failed);
}

static void too_many_metrics_fail(void **state)
{
    char line[64];

    (void)state;
    for (int i = 0; i <= WORKLOAD_SAMPLES; i++) {
        snprintf(line, sizeof(line), "culprit-metric m%d 1\n", i);
        print(line);
    }
    assert_int_equal(result.sample_count, WORKLOAD_SAMPLES);
    assert_true(result.failed);
    assert_contains(result.failure, "more than 512 metrics");
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup(function, begin)
    const struct CMUnitTest tests[] = {
        TEST(metrics_are_read_from_lines),
        TEST(a_malformed_line_is_quoted_in_the_failure),
        TEST(other_lines_are_only_kept),
        TEST(without_the_parser_no_line_is_a_metric),
        TEST(a_name_comes_once),
        TEST(pieces_and_a_missing_newline_make_lines),
        TEST(endless_lines_and_output_stay_bounded),
        TEST(too_many_metrics_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
