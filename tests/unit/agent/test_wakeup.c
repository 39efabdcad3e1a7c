/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The threads of the wakeup workload in this process, where the sanitizers watch them. */
#include "agent_test.h"
#include "run/runner.h"
#include "workloads/schemas.h"
#include "workloads/workloads.h"

#include <stdio.h>

/* One run with short times; the option of that place has another value. */
static void run(struct workload_result *result, enum wakeup_option place, uint64_t value)
{
    struct plan_workload plan = {.schema = &wakeup_schema};
    struct workload_context context = {&plan, 7, 2, result};

    plan.options[WAKEUP_MESSAGE_THREADS].number = 2;
    plan.options[WAKEUP_WORKERS].number = 3;
    plan.options[WAKEUP_RUNTIME].number = 200000000;
    plan.options[WAKEUP_WARMUP].number = 20000000;
    plan.options[WAKEUP_THINK].number = 1000000;
    plan.options[WAKEUP_MESSAGE_THINK].number = 100000;
    plan.options[WAKEUP_SLEEP].number = 1000000;
    plan.options[place].number = value;
    memset(result, 0, sizeof(*result));
    wakeup_workload.run(&context);
}

static double sample(const struct workload_result *result, const char *name)
{
    for (size_t i = 0; i < result->sample_count; i++)
        if (strcmp(result->samples[i].name, name) == 0)
            return result->samples[i].value;
    fail_msg("there is no sample %s: %s", name, result->failure);
    return 0;
}

static void check_order(const struct workload_result *result)
{
    static const char *const rising[] = {"min", "p50",   "p75",   "p90", "p95",
                                         "p99", "p99.5", "p99.9", "max"};
    double last = 0;

    for (size_t i = 0; i < COUNT(rising); i++) {
        char name[64];
        snprintf(name, sizeof(name), "wakeup.latency.%s", rising[i]);
        double value = sample(result, name);
        if (value < last)
            fail_msg("%s is %g, and the one before it %g", name, value, last);
        last = value;
    }
}

static int begin(void **state)
{
    *state = runner_result_new();
    return *state ? 0 : -1;
}

static int end(void **state)
{
    runner_result_free(*state);
    return 0;
}

static void every_kind_of_run_gives_all_metrics(void **state)
{
    static const struct {
        enum wakeup_option place;
        uint64_t value;
    } rows[] = {
        {WAKEUP_WORKERS, 1},      {WAKEUP_MESSAGE_THREADS, 1}, {WAKEUP_ZERO_INTERVAL, 50000000},
        {WAKEUP_TRANSFER, 10000}, {WAKEUP_THINK, 0},           {WAKEUP_MESSAGE_THINK, 0},
        {WAKEUP_SLEEP, 0},        {WAKEUP_WARMUP, 0},          {WAKEUP_REQUESTS_PER_SECOND, 500},
    };
    struct workload_result *result = *state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        run(result, rows[i].place, rows[i].value);
        check_order(result);
        assert_true(sample(result, "wakeup.latency.samples") > 0);
        assert_true(sample(result, "wakeup.loops") > 0);
        assert_int_equal((uint64_t)sample(result, "wakeup.latency.samples"),
                         histogram_total(&result->histogram));
    }
}

static void the_warmup_is_at_most_half_of_the_runtime(void **state)
{
    struct workload_result *result = *state;

    run(result, WAKEUP_WARMUP, 3600000000000);
    assert_true(sample(result, "wakeup.latency.samples") > 0);
}

static void requests_that_find_no_room_are_counted(void **state)
{
    struct workload_result *result = *state;
    struct plan_workload plan = {.schema = &wakeup_schema};
    struct workload_context context = {&plan, 7, 2, result};

    memset(result, 0, sizeof(*result));
    plan.options[WAKEUP_MESSAGE_THREADS].number = 1;
    plan.options[WAKEUP_WORKERS].number = 1;
    plan.options[WAKEUP_RUNTIME].number = 400000000;
    plan.options[WAKEUP_THINK].number = 100000000;
    plan.options[WAKEUP_REQUESTS_PER_SECOND].number = 1000000;
    wakeup_workload.run(&context);
    assert_true(sample(result, "wakeup.requests_dropped") > 0);
    assert_true(sample(result, "wakeup.requests") <= 1024 + 8);
}

static void a_run_without_a_wakeup_fails(void **state)
{
    struct workload_result *result = *state;

    run(result, WAKEUP_THINK, 10000000000); /* longer than the runtime: nobody asks in time */
    assert_true(result->failed);
    assert_contains(result->failure, "no wakeup fell into the measured time");
    assert_int_equal(result->sample_count, 0);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(every_kind_of_run_gives_all_metrics),
        TEST(the_warmup_is_at_most_half_of_the_runtime),
        TEST(requests_that_find_no_room_are_counted),
        TEST(a_run_without_a_wakeup_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
