/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent_test.h"
#include "core/cpu_mask.h"

static void prints_the_fewest_ranges(void **state)
{
    static const struct {
        const char *given, *printed;
        unsigned count;
    } rows[] = {
        {"", "", 0},
        {"0", "0", 1},
        {"0-3", "0-3", 4},
        {"0,1,2,3", "0-3", 4},
        {"3,1,2", "1-3", 3},
        {"0,2,4-6,95", "0,2,4-6,95", 6},
        {"0-47,48-95", "0-95", 96},
        {"62-65", "62-65", 4},
        {"1023", "1023", 1},
        {"0-1023", "0-1023", 1024},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char list[CPU_MASK_LIST_SIZE];
        struct cpu_mask mask;
        if (!cpu_mask_parse_list(rows[i].given, &mask))
            fail_msg("\"%s\" is refused", rows[i].given);
        cpu_mask_print(&mask, list);
        assert_string_equal(list, rows[i].printed);
        assert_int_equal(cpu_mask_count(&mask), rows[i].count);
    }
}

static void refuses_what_is_no_list(void **state)
{
    static const char *const rows[] = {
        "a",
        "-",
        "-1",
        "1-",
        "3-1",
        "1,",
        ",1",
        "1,,2",
        "1 ",
        " 1",
        "1024",
        "0-1024",
        "99999999999999999999",
        "1-2-3",
        "0x1",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct cpu_mask mask;
        if (cpu_mask_parse_list(rows[i], &mask))
            fail_msg("\"%s\" is taken for a list", rows[i]);
    }
}

static void reads_the_masks_of_schedstat(void **state)
{
    static const struct {
        const char *mask, *list;
    } rows[] = {
        {"1", "0"},
        {"ff", "0-7"},
        {"00000003", "0-1"},
        /* 40 CPUs: the first group has two digits. */
        {"ff,ffffffff", "0-39"},
        {"c0,00000000", "38-39"},
        {"01,00000000", "32"},
        /* 96 CPUs. */
        {"ffffffff,ffffffff,ffffffff", "0-95"},
        {"ffff0000,00000000,00000000", "80-95"},
        {"0000ffff,ffff0000,00000000", "48-79"},
        {"00000001,00000000,00000001", "0,64"},
        {"0", ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char list[CPU_MASK_LIST_SIZE];
        struct cpu_mask mask;
        if (!cpu_mask_parse_hexadecimal(rows[i].mask, &mask))
            fail_msg("\"%s\" is refused", rows[i].mask);
        cpu_mask_print(&mask, list);
        assert_string_equal(list, rows[i].list);
    }
}

static void refuses_what_is_no_mask(void **state)
{
    char wide[300];
    const char *rows[] = {"", "g", "0x1", "FF", "1 ", wide};

    (void)state;
    memset(wide, '0', sizeof(wide));
    wide[0] = '1'; /* CPU 1192: beyond the maximum; the same width of zeros would do */
    wide[sizeof(wide) - 1] = '\0';
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct cpu_mask mask;
        if (cpu_mask_parse_hexadecimal(rows[i], &mask))
            fail_msg("\"%s\" is taken for a mask", rows[i]);
    }
}

static void holds_the_longest_list(void **state)
{
    struct cpu_mask mask = {{0}}, again;
    char list[CPU_MASK_LIST_SIZE];

    (void)state;
    for (unsigned cpu = 0; cpu < CPU_MASK_MAXIMUM; cpu += 2)
        cpu_mask_set(&mask, cpu);
    cpu_mask_print(&mask, list);
    assert_true(cpu_mask_parse_list(list, &again));
    assert_true(cpu_mask_equal(&mask, &again));
    assert_false(cpu_mask_has(&again, 1));
    assert_false(cpu_mask_has(&again, CPU_MASK_MAXIMUM + 64));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_the_fewest_ranges),     cmocka_unit_test(refuses_what_is_no_list),
        cmocka_unit_test(reads_the_masks_of_schedstat), cmocka_unit_test(refuses_what_is_no_mask),
        cmocka_unit_test(holds_the_longest_list),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
