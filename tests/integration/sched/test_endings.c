/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that end before their verdict: by their budgets, and because somebody asks. */
#include "stand.h"

static struct culprit_error error;

static const struct scripted_script long_history = {
    .commits = 65, .culprit = 40, .good_level = 100, .bad_level = 200, .noise = 2};

static void budgets_end_inconclusive(void **state)
{
    static const char *const budgets[] = {"budget: {trials: 14}\n", "budget: {builds: 3}\n"};

    for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++) {
        _cleanup_free_ char *directory = text_format("%s/%zu", (char *)*state, i);
        struct stand stand = {.directory = directory, .script = &long_history};
        stand_up(&stand);
        int64_t job = stand_submit_bisect(&stand, budgets[i]);
        stand_finish(&stand, job);
        stand_expect(&stand, job, "verdict", "inconclusive");
        struct scripted_counts counts = scripted_work_counts(stand.work);
        assert_true(counts.trials <= 14 || i == 1);
        assert_true(counts.builds <= 3 || i == 0);
        stand_down(&stand);
        free(stand.mail.last);
    }
}

static void the_time_budget_ends_a_job_that_hangs(void **state)
{
    static const struct scripted_script hanging = {
        .commits = 9, .culprit = 4, .good_level = 100, .bad_level = 200, .hold_trials = true};
    /* The job begins 59.7 of its 60 seconds ago. */
    struct stand stand = {.directory = *state, .script = &hanging, .clock_offset_ns = -59700000000};

    stand_up(&stand);
    int64_t job = stand_submit_bisect(&stand, "budget: {time: 60s}\n");
    stand_until(&stand, stand_guest_is_held);
    stand.clock_offset_ns = 0;
    stand_finish(&stand, job);
    stand_expect_end(&stand, job, "done", "time budget");
    stand_expect(&stand, job, "verdict", "inconclusive");
    stand_down(&stand);
    free(stand.mail.last);
}

static void cancelling_stops_what_runs(void **state)
{
    static const struct {
        struct scripted_script script;
        bool (*held)(struct stand *stand);
    } cases[] = {
        {{.commits = 9, .culprit = 4, .good_level = 1, .bad_level = 2, .hold_trials = true},
         stand_guest_is_held},
        {{.commits = 9, .culprit = 4, .good_level = 1, .bad_level = 2, .hold_builds = true},
         stand_build_is_held},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        _cleanup_free_ char *directory = text_format("%s/%zu", (char *)*state, i);
        struct stand stand = {.directory = directory, .script = &cases[i].script};
        stand_up(&stand);
        int64_t job = stand_submit_bisect(&stand, "");
        stand_until(&stand, cases[i].held);
        assert_success(service_cancel(stand.service, job, &error));
        stand_finish(&stand, job);
        stand_expect(&stand, job, "state", "cancelled");
        assert_true(scripted_work_counts(stand.work).cancelled > 0);
        assert_failure(service_cancel(stand.service, job, &error), CULPRIT_CONFLICT);
        stand_down(&stand);
        assert_int_equal(stand.mail.attempts, 0);
    }
}

static void a_queued_job_is_cancelled_at_once(void **state)
{
    static const struct scripted_script hanging = {.good_level = 1, .hold_trials = true};
    struct stand stand = {.directory = *state, .script = &hanging, .active_jobs = 1};

    stand_up(&stand);
    stand_submit_run(&stand, "");
    int64_t second = stand_submit_run(&stand, "");
    stand_until(&stand, stand_guest_is_held);
    assert_success(service_cancel(stand.service, second, &error));
    stand_expect(&stand, second, "state", "cancelled");
    stand_down(&stand);
}

/* A cancellation that the daemon did not live to carry out. */
static void a_cancellation_outlives_the_daemon(void **state)
{
    static const struct scripted_script hanging = {.good_level = 1, .hold_trials = true};
    struct stand stand = {.directory = *state, .script = &hanging};

    stand_up(&stand);
    int64_t job = stand_submit_run(&stand, "");
    stand_until(&stand, stand_guest_is_held);
    assert_success(service_cancel(stand.service, job, &error));
    stand_down(&stand);
    stand_up(&stand);
    stand_finish(&stand, job);
    stand_expect(&stand, job, "state", "cancelled");
    stand_down(&stand);
}

static bool both_were_identified(struct stand *stand)
{
    struct scripted_counts counts = scripted_work_counts(stand->work);
    return counts.builds == 1 && counts.calls[SCRIPTED_IDENTIFY] == 2;
}

/* Its build is another job's, and goes on. */
static void a_job_that_waits_for_a_build_is_cancelled_at_once(void **state)
{
    static const struct scripted_script building = {.good_level = 1, .hold_builds = true};
    struct stand stand = {.directory = *state, .script = &building, .build_slots = 2};

    stand_up(&stand);
    int64_t first = stand_submit_run(&stand, "");
    int64_t second = stand_submit_run(&stand, "seed: 2\n");
    stand_until(&stand, both_were_identified);
    assert_success(service_cancel(stand.service, second, &error));
    stand_finish(&stand, second);
    stand_expect(&stand, second, "state", "cancelled");
    stand_expect(&stand, first, "state", "running");
    assert_int_equal(scripted_work_counts(stand.work).cancelled, 0);
    stand_down(&stand);
}

/* The retry is an hour away: neither a cancellation nor the daemon's end waits for it. */
static void a_job_that_rests_is_cancelled_at_once(void **state)
{
    static const struct scripted_script full = {.passing = {[SCRIPTED_BUILD] = 1000},
                                                .passing_code = CULPRIT_NO_SPACE,
                                                .passing_failure = "the disk is full"};
    struct stand stand = {.directory = *state, .script = &full, .retry_ns = 3600000000000};

    stand_up(&stand);
    int64_t first = stand_submit_run(&stand, "");
    stand_submit_run(&stand, "seed: 2\n");
    stand_until(&stand, stand_is_stalled);
    assert_success(service_cancel(stand.service, first, &error));
    stand_finish(&stand, first);
    stand_expect(&stand, first, "state", "cancelled");
    stand_down(&stand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(budgets_end_inconclusive),
        scratch_test(the_time_budget_ends_a_job_that_hangs),
        scratch_test(cancelling_stops_what_runs),
        scratch_test(a_queued_job_is_cancelled_at_once),
        scratch_test(a_cancellation_outlives_the_daemon),
        scratch_test(a_job_that_waits_for_a_build_is_cancelled_at_once),
        scratch_test(a_job_that_rests_is_cancelled_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
