/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who may run beside whom, and which engine a job gets. */
#include "stand.h"

static void a_realtime_guest_has_the_host_alone(void **state)
{
    static const struct scripted_script realtime = {.commits = 9,
                                                    .culprit = 4,
                                                    .good_level = 100,
                                                    .bad_level = 200,
                                                    .noise = 1,
                                                    .engine = ENGINE_REALTIME};
    struct stand stand = {
        .directory = *state, .script = &realtime, .guest_slots = 4, .build_slots = 2};

    stand_up(&stand);
    int64_t first = stand_submit_bisect(&stand, "");
    int64_t second = stand_submit_bisect(&stand, "seed: 2\n");
    stand_finish(&stand, first);
    stand_finish(&stand, second);
    stand_expect(&stand, first, "verdict", "culprit");
    stand_expect(&stand, second, "verdict", "culprit");
    stand_expect(&stand, first, "engine", "realtime");
    struct scripted_counts counts = scripted_work_counts(stand.work);
    assert_int_equal(counts.beside_exclusive, 0);
    assert_int_equal(counts.trials_at_once, 1);
    stand_down(&stand);
    free(stand.mail.last);
}

static void the_engine_may_wait_for_a_kernel(void **state)
{
    static const struct scripted_script later = {
        .good_level = 50, .noise = 1, .engine_needs_kernel = true};
    struct stand stand = {.directory = *state, .script = &later};

    stand_up(&stand);
    int64_t job = stand_submit_run(&stand, "");
    stand_finish(&stand, job);
    stand_expect(&stand, job, "verdict", "measured");
    stand_expect(&stand, job, "engine", "deterministic");
    stand_down(&stand);
    free(stand.mail.last);
}

static void the_functional_engine_gives_no_verdicts(void **state)
{
    static const struct scripted_script functional = {
        .commits = 5, .culprit = 2, .engine = ENGINE_FUNCTIONAL};
    struct stand stand = {.directory = *state, .script = &functional};

    stand_up(&stand);
    int64_t job = stand_submit_bisect(&stand, "");
    stand_finish(&stand, job);
    stand_expect_end(&stand, job, "failed", "gives no verdicts");
    stand_down(&stand);
    free(stand.mail.last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(a_realtime_guest_has_the_host_alone),
        scratch_test(the_engine_may_wait_for_a_kernel),
        scratch_test(the_functional_engine_gives_no_verdicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
