/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent lives through what its workloads do, and says so. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "program.h"

#define EXEC(command, timeout, parser, allow)                                                      \
    "workload exec\noption command " command "\noption timeout " timeout "\noption parser " parser \
    "\noption allow_failure " allow "\n"

#define WAKEUP(runtime, requests)                                                          \
    "workload wakeup\noption message_threads 1\noption workers 2\noption runtime " runtime \
    "\noption warmup 50000000\noption zero_interval 100000000\noption think 1000000\n"     \
    "option message_think 100000\noption sleep 1000000\noption transfer 4096\n"            \
    "option requests_per_second " requests "\n"

#define assert_contains(text, part)                                     \
    do {                                                                \
        if (!strstr((text), (part)))                                    \
            fail_msg("\"%s\" does not contain \"%s\"", (text), (part)); \
    } while (0)

static double value_of(const struct program *program, const char *type, const char *name)
{
    json_t *value = json_object_get(program_record(program, type, name), "value");

    assert_true(json_is_number(value));
    return json_number_value(value);
}

static void a_plan_without_workloads_describes_the_machine(void **state)
{
    struct program *program = *state;

    program_run(program, NULL, "");
    assert_int_equal(program->exit_status, 0);
    json_t *hello = program_record(program, "hello", NULL);
    assert_int_equal(json_integer_value(json_object_get(hello, "protocol")), 1);
    assert_int_equal(json_integer_value(json_object_get(hello, "seed")), 7);
    assert_int_equal(json_integer_value(json_object_get(hello, "cpus")),
                     sysconf(_SC_NPROCESSORS_ONLN));
    assert_int_equal(program_count(program, "cpu"), sysconf(_SC_NPROCESSORS_ONLN));
    assert_int_equal(program_count(program, "ready"), 1);
    assert_int_equal(program_count(program, "end"), 1);
}

static void workloads_run_one_after_another(void **state)
{
    struct program *program = *state;

    program_run(program, NULL,
                EXEC("echo out; echo err >&2; echo culprit-metric ops 12.5 1/s higher; exit 3",
                     "10000000000", "lines", "true") WAKEUP("400000000", "0"));
    assert_int_equal(program->exit_status, 0);
    assert_true(value_of(program, "sample", "exec.exit_status") == 3);
    assert_true(value_of(program, "sample", "exec.ops") == 12.5);
    assert_true(value_of(program, "sample", "exec.duration") > 0);
    assert_int_equal(program_count(program, "log") >= 3, 1);
    double samples = value_of(program, "sample", "wakeup.latency.samples");
    assert_true(samples > 0);
    assert_true(value_of(program, "sample", "wakeup.latency.p50") <=
                value_of(program, "sample", "wakeup.latency.p99.9"));
    assert_true(value_of(program, "sample", "wakeup.latency.min") <=
                value_of(program, "sample", "wakeup.latency.max"));
    assert_int_equal(program_count(program, "start"), 2);
    assert_int_equal(program_count(program, "finish"), 2);
    assert_true(value_of(program, "counter", "stat.processes") >= 1);

    /* The histogram is that of the samples. */
    size_t index;
    json_t *bucket;
    double counted = 0;
    json_array_foreach (
        json_object_get(program_record(program, "histogram", "wakeup.latency"), "buckets"), index,
        bucket)
        counted += json_number_value(json_array_get(bucket, 1));
    if (program_count(program, "histogram") == 1)
        assert_true(counted == samples);
}

static void requests_come_at_their_rate(void **state)
{
    struct program *program = *state;

    program_run(program, NULL, WAKEUP("500000000", "200"));
    assert_int_equal(program->exit_status, 0);
    /* 450 ms are measured; a loaded machine sends the late ones at once. */
    assert_in_range((unsigned)value_of(program, "sample", "wakeup.requests"), 80, 100);
    assert_true(value_of(program, "sample", "wakeup.requests_dropped") == 0);
    assert_true(value_of(program, "sample", "wakeup.latency.samples") > 0);
}

static void a_failing_command_fails_its_workload(void **state)
{
    struct program *program = *state;

    program_run(program, NULL, EXEC("echo why; exit 7", "10000000000", "none", "false"));
    assert_contains(program_failure(program), "exit status is 7");
    assert_string_equal(program_last_log(program), "why");
    assert_int_equal(program_count(program, "sample"), 0);
    assert_int_equal(program_count(program, "finish"), 0);
}

static void the_plan_ends_with_the_first_failure(void **state)
{
    struct program *program = *state;

    program_run(program, NULL,
                EXEC("false", "10000000000", "none", "false")
                    EXEC("true", "10000000000", "none", "false"));
    program_failure(program);
    assert_int_equal(program_count(program, "start"), 1);
}

static void a_malformed_metric_is_quoted(void **state)
{
    struct program *program = *state;

    program_run(program, NULL, EXEC("echo culprit-metric a b", "10000000000", "lines", "false"));
    assert_contains(program_failure(program), "not a metric: \"culprit-metric a b\"");
}

static void a_command_that_takes_too_long_is_killed_with_its_children(void **state)
{
    struct program *program = *state;

    program_run(program, NULL, EXEC("sleep 1000 & echo $!; wait", "300000000", "none", "false"));
    assert_contains(program_failure(program), "did not end within its timeout of 0.300 s");
    const char *sleeper = program_last_log(program);
    assert_true(strlen(sleeper) > 0);
    assert_int_equal(sleeper[strspn(sleeper, "0123456789")], '\0');
    assert_int_equal(kill(atoi(sleeper), 0), -1);
}

static void a_crash_is_told_from_a_result(void **state)
{
    struct program *program = *state;

    program_run(program, NULL, EXEC("kill -SEGV $PPID; sleep 1", "10000000000", "none", "false"));
    assert_contains(program_failure(program), "ended by signal 11");
}

static void a_workload_that_hangs_is_killed_at_its_limit(void **state)
{
    struct program *program = *state;

    /* Long enough for the shell to stop its parent first, however busy the host is. */
    program_run(program, NULL, EXEC("kill -STOP $PPID; sleep 1000", "5000000000", "none", "false"));
    assert_contains(program_failure(program), "not finished after 15 s");
}

static void a_setting_that_cannot_be_made_is_named(void **state)
{
    struct program *program = *state;

    program_run(program,
                "culprit-plan 1\nseed 7\nsysctl kernel.no_such_setting 1\nschedstats off\n",
                EXEC("true", "10000000000", "none", "false"));
    const char *reason = program_failure(program);
    if (!strstr(reason, "statistics")) /* where they are on and may not be switched */
        assert_contains(reason, "cannot set sysctl kernel.no_such_setting to 1: No such file");
    assert_int_equal(program_count(program, "start"), 0);
}

static void a_damaged_plan_is_named_with_its_line(void **state)
{
    struct program *program = *state;

    program_run(program, "culprit-plan 1\nseed 7\nworkload nothing\n", "");
    assert_contains(program_failure(program), "plan, line 3: unknown workload \"nothing\"");
    assert_int_equal(program_count(program, "cpu"), 0);
}

static void a_missing_plan_is_a_failure(void **state)
{
    struct program *program = *state;

    program_start(program, (const char *[]){"--plan", "/nonexistent", "--port", "/dev/null", NULL});
    assert_int_equal(program->exit_status, 1);
}

static void a_port_that_takes_nothing_is_an_error(void **state)
{
    struct program *program = *state;

    program_start(program, (const char *[]){"--plan", "/nonexistent", "--port", "/dev/full", NULL});
    assert_int_equal(program->exit_status, 1);
    program_start(program, (const char *[]){"--port", "/nonexistent/port", NULL});
    assert_int_equal(program->exit_status, 1);
}

static void unknown_arguments_are_refused(void **state)
{
    struct program *program = *state;

    program_start(program, (const char *[]){"--plans", "x", NULL});
    assert_int_equal(program->exit_status, 2);
    program_start(program, (const char *[]){"--plan", NULL});
    assert_int_equal(program->exit_status, 2);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, program_begin, program_end)
    const struct CMUnitTest tests[] = {
        TEST(a_plan_without_workloads_describes_the_machine),
        TEST(workloads_run_one_after_another),
        TEST(requests_come_at_their_rate),
        TEST(a_failing_command_fails_its_workload),
        TEST(the_plan_ends_with_the_first_failure),
        TEST(a_malformed_metric_is_quoted),
        TEST(a_command_that_takes_too_long_is_killed_with_its_children),
        TEST(a_crash_is_told_from_a_result),
        TEST(a_workload_that_hangs_is_killed_at_its_limit),
        TEST(a_setting_that_cannot_be_made_is_named),
        TEST(a_damaged_plan_is_named_with_its_line),
        TEST(a_missing_plan_is_a_failure),
        TEST(a_port_that_takes_nothing_is_an_error),
        TEST(unknown_arguments_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
