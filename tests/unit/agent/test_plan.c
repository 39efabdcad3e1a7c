/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent_test.h"
#include "core/plan.h"
#include "workloads/schemas.h"

#include <stdio.h>

#define EXEC_OPTIONS                      \
    "option command echo hello  world \n" \
    "option timeout 60000000000\noption parser lines\noption allow_failure true\n"

static struct plan plan;
static char text[2 * PLAN_MAXIMUM];
static char message[512];

static bool read_plan(const char *given)
{
    message[0] = '\0';
    snprintf(text, sizeof(text), "%s", given);
    return plan_read(text, strlen(text), &plan, message, sizeof(message));
}

static void a_whole_plan_is_understood(void **state)
{
    (void)state;
    if (!read_plan("culprit-plan 1\nseed 9223372036854775807\nschedstats off\n"
                   "sysctl kernel.sched_rt_runtime_us -1\nsysctl vm.dirty 1 2 3\n"
                   "feature NO_PLACE_LAG\nworkload exec\n" EXEC_OPTIONS
                   "workload exec\n" EXEC_OPTIONS "end\n"))
        fail_msg("%s", message);
    assert_true(plan.seed == INT64_MAX);
    assert_false(plan.schedstats);
    assert_int_equal(plan.setting_count, 3);
    assert_int_equal(plan.settings[0].kind, PLAN_SYSCTL);
    assert_string_equal(plan.settings[0].key, "kernel.sched_rt_runtime_us");
    assert_string_equal(plan.settings[0].value, "-1");
    assert_string_equal(plan.settings[1].value, "1 2 3");
    assert_int_equal(plan.settings[2].kind, PLAN_FEATURE);
    assert_string_equal(plan.settings[2].key, "NO_PLACE_LAG");
    assert_int_equal(plan.workload_count, 2);
    assert_ptr_equal(plan.workloads[1].schema, &exec_schema);
    const struct plan_option *options = plan.workloads[1].options;
    assert_string_equal(options[EXEC_COMMAND].text, "echo hello  world ");
    assert_true(options[EXEC_TIMEOUT].number == 60000000000);
    assert_true(options[EXEC_ALLOW_FAILURE].number == 1);
}

static void a_plan_may_hold_no_workload(void **state)
{
    (void)state;
    if (!read_plan("culprit-plan 1\nseed 0\nend\n"))
        fail_msg("%s", message);
    assert_true(plan.schedstats);
    assert_int_equal(plan.workload_count, 0);
}

#define HEAD "culprit-plan 1\nseed 1\n"
#define EXEC HEAD "workload exec\n"

static void each_fault_is_named_with_its_line(void **state)
{
    static const struct {
        const char *plan, *expected;
    } rows[] = {
        {"", "line 1: the plan is cut short"},
        {"culprit-plan 1", "line 1: cut short"},
        {"culprit-plan 2\n", "line 1: must be \"culprit-plan 1\", not \"culprit-plan 2\""},
        {"\nculprit-plan 1\n", "line 1: must be"},
        {HEAD, "line 3: the plan is cut short: no end"},
        {HEAD "end", "line 3: cut short"},
        {HEAD "end\nend\n", "line 4: something after the end"},
        {HEAD "\nend\n", "line 3: unknown item \"\""},
        {HEAD " end\n", "line 3: unknown item"},
        {HEAD "nonsense 1\nend\n", "line 3: unknown item \"nonsense\""},
        {HEAD "end \n", "line 3: unknown item"},
        {HEAD "e\tnd\n", "line 3: a control character"},
        {HEAD "e\x7fnd\n", "line 3: a control character"},
        {"culprit-plan 1\nend\n", "line 2: the plan ends without a seed"},
        {HEAD "seed 2\n", "line 3: a second seed"},
        {"culprit-plan 1\nseed 9223372036854775808\n", "line 2: the seed must be"},
        {"culprit-plan 1\nseed -1\n", "line 2: the seed must be"},
        {"culprit-plan 1\nseed 01\n", "line 2: the seed must be"},
        {HEAD "schedstats yes\n", "line 3: schedstats must be on or off, not \"yes\""},
        {HEAD "schedstats on\nschedstats on\n", "line 4: a second schedstats"},
        {HEAD "sysctl kernel.x\n", "line 3: sysctl takes a key and a value"},
        {HEAD "sysctl ../x 1\n", "line 3: \"../x\" is not the name of a setting"},
        {HEAD "sysctl a..b 1\n", "is not the name"},
        {HEAD "sysctl .a 1\n", "is not the name"},
        {HEAD "feature A B\n", "is not the name"},
        {HEAD "workload nothing\n", "line 3: unknown workload \"nothing\""},
        {HEAD "option a b\n", "line 3: an option before the first workload"},
        {EXEC "option command\n", "line 4: option takes a name and a value"},
        {EXEC "option color red\n", "line 4: workload exec has no option \"color\""},
        {EXEC "option timeout 60s\n", "line 4: option timeout cannot be \"60s\""},
        {EXEC "option timeout 1\n", "line 4: option timeout cannot be \"1\""},
        {EXEC "option parser json\n", "line 4: option parser cannot be \"json\""},
        {EXEC "option allow_failure yes\n", "line 4: option allow_failure cannot be \"yes\""},
        {EXEC "option timeout 5000000\noption timeout 5000000\n",
         "line 5: option timeout a second time"},
        {EXEC "option command x\nend\n", "line 5: workload exec lacks its option timeout"},
        {EXEC EXEC_OPTIONS "feature A\n", "line 8: a setting after the first workload"},
        {EXEC EXEC_OPTIONS "workload wakeup\nend\n", "line 9: workload wakeup lacks its option"},
        {EXEC "workload exec\n", "line 4: workload exec lacks its option command"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (read_plan(rows[i].plan))
            fail_msg("taken for a plan: \"%s\"", rows[i].plan);
        assert_contains(message, rows[i].expected);
    }
}

/* A line of `length` bytes without its newline, filled up with x. */
static void append_line(const char *begin, size_t length)
{
    static char filling[2 * PLAN_LINE_MAXIMUM];

    memset(filling, 'x', sizeof(filling) - 1);
    append(text, "%s%.*s\n", begin, (int)(length - strlen(begin)), filling);
}

static void begin_plan(const char *head)
{
    text[0] = '\0';
    append(text, "%s", head);
}

static void limits_hold(void **state)
{
    (void)state;
    begin_plan(EXEC);
    append_line("option command ", strlen("option command ") + 4096);
    append(text,
           "option timeout 60000000000\noption parser none\noption allow_failure false\nend\n");
    assert_true(plan_read(text, strlen(text), &plan, message, sizeof(message)));

    begin_plan(EXEC);
    append_line("option command ", strlen("option command ") + 4097);
    assert_false(plan_read(text, strlen(text), &plan, message, sizeof(message)));
    assert_contains(message, "option command cannot be");

    begin_plan(HEAD);
    append_line("x", PLAN_LINE_MAXIMUM + 1);
    assert_false(plan_read(text, strlen(text), &plan, message, sizeof(message)));
    assert_contains(message, "line 3: longer than 8192 bytes");

    begin_plan(HEAD);
    while (strlen(text) <= PLAN_MAXIMUM)
        append_line("x", 1000);
    assert_false(plan_read(text, strlen(text), &plan, message, sizeof(message)));
    assert_contains(message, "longer than 65536 bytes");

    begin_plan(HEAD);
    for (int i = 0; i <= PLAN_SETTINGS_MAXIMUM; i++)
        append(text, "feature A\n");
    assert_false(plan_read(text, strlen(text), &plan, message, sizeof(message)));
    assert_contains(message, "more than 128 settings");
}

static void a_nul_inside_is_refused(void **state)
{
    char given[] = HEAD "e\0nd\nend\n";

    (void)state;
    assert_false(plan_read(given, sizeof(given) - 1, &plan, message, sizeof(message)));
    assert_contains(message, "line 3: a control character");
}

static void shares_follow_the_cpus(void **state)
{
    static const struct {
        struct plan_option option;
        unsigned cpus;
        uint64_t count;
    } rows[] = {
        {{"9", 9, false}, 96, 9},    {{"10%", 10, true}, 96, 9},   {{"10%", 10, true}, 4, 1},
        {{"100%", 100, true}, 8, 8}, {{"150%", 150, true}, 8, 12}, {{"1%", 1, true}, 1, 1},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(plan_option_count(&rows[i].option, rows[i].cpus), rows[i].count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_plan_is_understood),
        cmocka_unit_test(a_plan_may_hold_no_workload),
        cmocka_unit_test(each_fault_is_named_with_its_line),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(a_nul_inside_is_refused),
        cmocka_unit_test(shares_follow_the_cpus),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
