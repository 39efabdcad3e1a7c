/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "build/slot/instant.h"
#include "scratch.h"

static const int64_t SECOND = 1000000000;

static void a_clock_that_was_set_back_is_noticed(void **state)
{
    static const struct {
        const char *name;
        const char *boot;
        int64_t wall, since_boot; /* ms that passed by each clock */
        bool back;
    } cases[] = {
        {"nothing passed", "a", 0, 0, false},
        {"as it should be", "a", 600000, 600000, false},
        {"slewed by 500 ppm", "a", 599700, 600000, false},
        {"read at some distance", "a", 0, 50, false},
        {"set forward", "a", 4200000, 600000, false},
        {"set back by a second", "a", -1000, 0, true},
        {"set back by more than has passed", "a", -3600000, 600000, true},
        {"set back by less than has passed", "a", 590000, 600000, true},
        {"started again", "b", 600000, -90000, false},
        {"started again with a clock that is behind", "b", -1, -90000, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct instant then = {.boot = "a", .wall_ns = 100 * SECOND, .since_boot_ns = 90 * SECOND};
        struct instant now = then;

        strcpy(now.boot, cases[i].boot);
        now.wall_ns += cases[i].wall * 1000000;
        now.since_boot_ns += cases[i].since_boot * 1000000;
        if (instant_set_back(&then, &now) != cases[i].back)
            fail_msg("%s: %s", cases[i].name, cases[i].back ? "not noticed" : "taken for a step");
        assert_int_equal(instant_same_boot(&then, &now), cases[i].boot[0] == 'a');
    }
}

static void text_is_read_back(void **state)
{
    static const char *const torn[] = {"", "\n", "a 1 2", "a 1\n", "a b c\n"};
    struct culprit_error error = {0};
    struct instant now, read = {0};
    char text[INSTANT_TEXT_MAXIMUM];

    (void)state;
    assert_success(instant_now(&now, &error));
    assert_int_equal(strlen(now.boot), INSTANT_BOOT_SIZE - 1);
    instant_write(&now, text);
    assert_true(instant_read(text, &read));
    assert_true(instant_same_boot(&now, &read));
    assert_true(read.wall_ns == now.wall_ns && read.since_boot_ns == now.since_boot_ns);
    for (size_t i = 0; i < sizeof torn / sizeof *torn; i++) {
        if (instant_read(torn[i], &read))
            fail_msg("'%s' is taken for an instant", torn[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clock_that_was_set_back_is_noticed),
        cmocka_unit_test(text_is_read_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
