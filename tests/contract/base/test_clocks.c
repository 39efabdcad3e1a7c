/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clock_contract.h"
#include "scratch.h"
#include "shifted_clock.h"

#define HOUR INT64_C(3600000000000)

/* What the tests of the scheduler use it for. */
static void its_time_of_day_can_be_set(void **state)
{
    int64_t offset_ns = 0;
    struct clock clock = shifted_clock(&offset_ns);
    uint64_t real = clock_realtime(&clock), monotonic = clock_monotonic(&clock);

    (void)state;
    offset_ns = 2 * HOUR;
    assert_in_range(clock_realtime(&clock) - real, 2 * HOUR, 3 * HOUR);
    assert_in_range(clock_monotonic(&clock) - monotonic, 0, HOUR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(its_time_of_day_can_be_set)};
    int64_t offset_ns = HOUR;
    struct clock shifted = shifted_clock(&offset_ns);
    int failed = clock_contract("clock contract: system", &clock_system);

    failed += clock_contract("clock contract: shifted", &shifted);
    return failed + cmocka_run_group_tests_name("shifted clock", tests, NULL, NULL);
}
