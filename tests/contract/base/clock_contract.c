/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clock_contract.h"

#include <pthread.h>
#include <string.h>

#include "scratch.h"

#define YEAR_2020 UINT64_C(1577836800000000000)
#define YEAR_2200 UINT64_C(7258118400000000000)
#define SECOND    UINT64_C(1000000000)

enum { READINGS = 10000, THREADS = 4 };

static const struct clock *clock_under_test;

static void the_time_of_day_counts_from_1970(void **state)
{
    char text[CLOCK_TEXT_SIZE];

    (void)state;
    uint64_t now = clock_realtime(clock_under_test);
    if (now < YEAR_2020 || now > YEAR_2200)
        fail_msg("the clock says %llu ns, %s", (unsigned long long)now, clock_format(now, text));
}

/* Gives how many readings went backwards. */
static void *read_often(void *context)
{
    uint64_t last = clock_monotonic(clock_under_test);
    uintptr_t backwards = 0;

    (void)context;
    for (unsigned i = 0; i < READINGS; i++) {
        uint64_t now = clock_monotonic(clock_under_test);
        backwards += now < last;
        last = now;
    }
    return (void *)backwards;
}

static void monotonic_time_never_goes_back(void **state)
{
    pthread_t threads[THREADS];

    (void)state;
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_often, NULL), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        void *backwards = NULL;
        pthread_join(threads[i], &backwards);
        assert_int_equal((uintptr_t)backwards, 0);
    }
}

/* Both pass, in the same unit: over a short while they agree to a second. */
static void both_times_pass_alike(void **state)
{
    uint64_t real = clock_realtime(clock_under_test), start = clock_monotonic(clock_under_test);
    uint64_t passed = 0;

    (void)state;
    while (passed < SECOND / 50)
        passed = clock_monotonic(clock_under_test) - start;
    uint64_t real_passed = clock_realtime(clock_under_test) - real;
    if (real_passed < SECOND / 100 || real_passed > passed + SECOND)
        fail_msg("%llu ns passed, and %llu ns by the time of day", (unsigned long long)passed,
                 (unsigned long long)real_passed);
}

int clock_contract(const char *name, const struct clock *clock)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_time_of_day_counts_from_1970),
        cmocka_unit_test(monotonic_time_never_goes_back),
        cmocka_unit_test(both_times_pass_alike),
    };

    clock_under_test = clock;
    return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}
