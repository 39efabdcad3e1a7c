/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs of one variant: what they measure, and the sentences when they cannot. */
#include <math.h>

#include "stand.h"

static void a_run_measures(void **state)
{
    static const struct scripted_script one = {.good_level = 50, .noise = 1};
    struct stand stand = {.directory = *state, .script = &one};

    stand_up(&stand);
    int64_t job = stand_submit_run(&stand, "trials: 7\n");
    stand_finish(&stand, job);
    stand_expect(&stand, job, "verdict", "measured");
    json_t *json = stand_job(&stand, job);
    const json_t *metric = json_array_get(
        json_object_get(json_object_get(json, "result"), "metrics"), 0);
    assert_int_equal(json_integer_value(json_object_get(metric, "n")), 7);
    double median = json_number_value(json_object_get(metric, "median"));
    if (fabs(median - 50) > 3)
        fail_msg("the median is %g, not about 50", median);
    json_decref(json);
    stand_down(&stand);
    free(stand.mail.last);
}

static void a_run_that_does_not_build_fails(void **state)
{
    static const struct scripted_script broken = {.good_level = 50, .unbuildable = {[0] = true}};
    struct stand stand = {.directory = *state, .script = &broken};

    stand_up(&stand);
    int64_t job = stand_submit_run(&stand, "");
    stand_finish(&stand, job);
    stand_expect_end(&stand, job, "failed", "kernel/sched/fair.c:812: error");
    stand_down(&stand);
    free(stand.mail.last);
}

static void a_run_that_does_not_boot_fails(void **state)
{
    static const struct scripted_script broken = {.good_level = 50, .unbootable = {[0] = true}};
    struct stand stand = {.directory = *state, .script = &broken, .guest_slots = 1};

    stand_up(&stand);
    int64_t job = stand_submit_run(&stand, "");
    stand_finish(&stand, job);
    stand_expect_end(&stand, job, "failed", "does not boot");
    assert_int_equal(scripted_work_counts(stand.work).trials, 2);
    stand_down(&stand);
    free(stand.mail.last);
}

static void a_missing_metric_is_no_number(void **state)
{
    static const struct scripted_script other = {.good_level = 50, .metric = "exec.other"};
    struct stand stand = {.directory = *state, .script = &other};

    stand_up(&stand);
    int64_t job = stand_submit_run(&stand, "");
    stand_finish(&stand, job);
    stand_expect_end(&stand, job, "failed", "gave no value of exec.duration");
    stand_down(&stand);
    free(stand.mail.last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(a_run_measures),
        scratch_test(a_run_that_does_not_build_fails),
        scratch_test(a_run_that_does_not_boot_fails),
        scratch_test(a_missing_metric_is_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
