/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "topology/cpulist.h"

#include <string.h>

#include "scratch.h"

static void test_round_trip(void **state)
{
    (void)state;
    static const struct {
        const char *text, *canonical;
        unsigned count;
    } good[] = {
        {"0", "0", 1},       {"0-3", "0-3", 4},     {"0-3\n", "0-3", 4},
        {"3,1,2", "1-3", 3}, {"0,2,4", "0,2,4", 3}, {"0-1,1-2", "0-2", 3},
        {"5-5", "5", 1},     {"62-65", "62-65", 4}, {"0-4095", "0-4095", 4096},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct culprit_error error = {0};
        struct cpu_set set;
        assert_success(cpu_set_parse(good[i].text, CPU_SET_SIZE, &set, &error));
        _cleanup_free_ char *text = cpu_set_format(&set);
        assert_non_null(text);
        assert_string_equal(text, good[i].canonical);
        assert_int_equal(cpu_set_count(&set), good[i].count);
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "\n",
        "a",
        "-1",
        "1-",
        "3-1",
        "0,",
        ",0",
        "0--1",
        " 0",
        "0 ",
        "0-8",
        "8",
        "99999",
        "0x1",
        "1\n\n",
        "0;1",
        "+1",
        "99999999999999999999",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct culprit_error error = {0};
        struct cpu_set set;
        if (cpu_set_parse(bad[i], 8, &set, &error) == 0)
            fail_msg("\"%s\" was taken for a list of CPUs below 8", bad[i]);
    }
}

static void test_sets(void **state)
{
    (void)state;
    struct cpu_set one = {0}, other = {0};

    assert_int_equal(cpu_set_first(&one), CPU_SET_SIZE);
    cpu_set_add(&one, 64);
    cpu_set_add(&one, CPU_SET_SIZE); /* beyond the set: nothing */
    cpu_set_add(&other, 63);
    assert_false(cpu_set_overlap(&one, &other));
    cpu_set_merge(&other, &one);
    assert_true(cpu_set_overlap(&one, &other));
    assert_int_equal(cpu_set_first(&other), 63);
    cpu_set_remove(&other, 63);
    assert_false(cpu_set_contains(&other, 63));
    assert_int_equal(cpu_set_count(&other), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
