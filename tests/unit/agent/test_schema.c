/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What holds for every workload's schema, so that a new one cannot break a habit. */
#include "agent_test.h"
#include "core/plan.h"
#include "workload.h"

static void assert_name(const char *name, const char *allowed)
{
    if (!*name || strlen(name) >= WORKLOAD_NAME_SIZE || name[strspn(name, allowed)] != '\0')
        fail_msg("\"%s\" is not a name", name);
}

static void workloads_are_ordered_and_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < workload_schema_count; i++) {
        const struct workload_schema *schema = workload_schemas[i];
        if (i > 0)
            assert_true(strcmp(workload_schemas[i - 1]->name, schema->name) < 0);
        assert_ptr_equal(workload_schema_find(schema->name), schema);
        assert_non_null(workload_find(schema));
        assert_name(schema->name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    }
    assert_null(workload_schema_find("none"));
}

static void options_are_named_once_and_explained(void **state)
{
    (void)state;
    for (size_t i = 0; i < workload_schema_count; i++) {
        const struct workload_schema *schema = workload_schemas[i];
        assert_in_range(schema->option_count, 1, PLAN_OPTIONS_MAXIMUM);
        for (size_t o = 0; o < schema->option_count; o++) {
            const struct option_schema *option = &schema->options[o];
            assert_name(option->name, "abcdefghijklmnopqrstuvwxyz0123456789_");
            assert_ptr_equal(workload_option_find(schema, option->name), option);
            assert_true(strlen(option->summary) > 10);
            assert_true(option->minimum <= option->maximum);
        }
    }
    assert_null(workload_option_find(workload_schemas[0], "none"));
}

static void metrics_carry_their_workloads_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < workload_schema_count; i++) {
        const struct workload_schema *schema = workload_schemas[i];
        for (size_t m = 0; m < schema->metric_count; m++) {
            const struct metric_schema *metric = &schema->metrics[m];
            size_t length = strlen(schema->name);
            assert_name(metric->name, "abcdefghijklmnopqrstuvwxyz0123456789_.");
            assert_memory_equal(metric->name, schema->name, length);
            assert_int_equal(metric->name[length], '.');
            assert_ptr_equal(workload_metric_find(schema, metric->name), metric);
            assert_true(strlen(metric->unit) < WORKLOAD_UNIT_SIZE);
            assert_true(metric->visibility != 0);
        }
    }
    assert_null(workload_metric_find(workload_schemas[0], "none"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workloads_are_ordered_and_found),
        cmocka_unit_test(options_are_named_once_and_explained),
        cmocka_unit_test(metrics_carry_their_workloads_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
