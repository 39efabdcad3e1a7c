/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What goes wrong around a job, and the sentences that come of it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stand.h"

static struct culprit_error error;

static void text_of(struct stand *stand, int64_t job, const char *key, char *ret, size_t size)
{
    json_t *json = stand_job(stand, job);
    const char *text = json_string_value(json_object_get(json, key));

    snprintf(ret, size, "%s", text ? text : "");
    json_decref(json);
}

static void expect_end(struct stand *stand, int64_t job, const char *state, const char *part)
{
    char message[1200];

    stand_expect(stand, job, "state", state);
    text_of(stand, job, "message", message, sizeof message);
    assert_contains(message, part);
}

/* --- runs ---------------------------------------------------------------------------------- */

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
    expect_end(&stand, job, "failed", "kernel/sched/fair.c:812: error");
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
    expect_end(&stand, job, "failed", "does not boot");
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
    expect_end(&stand, job, "failed", "gave no value of exec.duration");
    stand_down(&stand);
    free(stand.mail.last);
}

/* --- the host's faults ---------------------------------------------------------------------- */

static void infra_failures_are_retried(void **state)
{
    static const struct scripted_script shaky = {.commits = 5,
                                                 .culprit = 3,
                                                 .good_level = 100,
                                                 .bad_level = 200,
                                                 .noise = 2,
                                                 .infra_builds = 2,
                                                 .infra_trials = 2};
    struct stand stand = {.directory = *state, .script = &shaky, .guest_slots = 1};

    stand_up(&stand);
    int64_t job = stand_submit_bisect(&stand, "");
    stand_finish(&stand, job);
    stand_expect(&stand, job, "verdict", "culprit");
    stand_down(&stand);
    free(stand.mail.last);
}

static void a_host_that_cannot_build_ends_the_job(void **state)
{
    static const struct scripted_script dead = {.good_level = 50, .infra_builds = 1000};
    struct stand stand = {.directory = *state, .script = &dead};

    stand_up(&stand);
    int64_t job = stand_submit_run(&stand, "");
    stand_finish(&stand, job);
    expect_end(&stand, job, "failed", "the sandbox did not start");
    assert_int_equal(scripted_work_counts(stand.work).builds, 3);
    stand_down(&stand);
    free(stand.mail.last);
}

static void a_host_that_cannot_boot_ends_the_job(void **state)
{
    static const struct scripted_script dead = {.good_level = 50, .infra_trials = 1000};
    struct stand stand = {.directory = *state, .script = &dead, .guest_slots = 1};

    stand_up(&stand);
    int64_t job = stand_submit_run(&stand, "");
    stand_finish(&stand, job);
    expect_end(&stand, job, "failed", "libvirt does not answer");
    assert_in_range(scripted_work_counts(stand.work).trials, 3, 5);
    stand_down(&stand);
    free(stand.mail.last);
}

static void an_unreachable_repository_is_said(void **state)
{
    static const struct scripted_script gone = {
        .resolve_failure = "cannot fetch repository history: connection refused",
        .resolve_code = CULPRIT_UNAVAILABLE};
    struct stand stand = {.directory = *state, .script = &gone};

    stand_up(&stand);
    int64_t job = stand_submit_bisect(&stand, "");
    stand_finish(&stand, job);
    expect_end(&stand, job, "failed", "connection refused");
    stand_down(&stand);
    free(stand.mail.last);
}

static unsigned count_ends(struct stand *stand, int64_t job)
{
    json_t *events = NULL;
    const json_t *event;
    unsigned count = 0;
    bool final = false;
    size_t i;

    assert_success(service_events(stand->service, job, 0, 0, &events, &final, &error));
    json_array_foreach (events, i, event) {
        const char *now = json_string_value(
            json_object_get(json_object_get(event, "data"), "state"));
        const char *type = json_string_value(json_object_get(event, "type"));
        count += strcmp(type, "state") == 0 && now && strcmp(now, "failed") == 0;
    }
    json_decref(events);
    return count;
}

/* Both ends of the range are asked for at once, and both fail. */
static void a_job_fails_once(void **state)
{
    static const struct scripted_script removed = {
        .commits = 5, .identify_failure = "the fragment sched is no longer there"};
    struct stand stand = {.directory = *state, .script = &removed, .build_slots = 2};

    stand_up(&stand);
    int64_t job = stand_submit_bisect(&stand, NULL);
    stand_finish(&stand, job);
    expect_end(&stand, job, "failed", "no longer there");
    stand_down(&stand);
    stand_up(&stand);
    unsigned ends = count_ends(&stand, job);
    if (ends != 1)
        fail_msg("the job failed %u times", ends);
    stand_down(&stand);
    free(stand.mail.last);
}

static bool guest_is_held(struct stand *stand)
{
    return scripted_work_counts(stand->work).trials > 0;
}

/* --- budgets -------------------------------------------------------------------------------- */

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
    stand_until(&stand, guest_is_held);
    stand.clock_offset_ns = 0;
    stand_finish(&stand, job);
    expect_end(&stand, job, "done", "time budget");
    stand_expect(&stand, job, "verdict", "inconclusive");
    stand_down(&stand);
    free(stand.mail.last);
}

/* --- cancelling ----------------------------------------------------------------------------- */

static bool build_is_held(struct stand *stand)
{
    return scripted_work_counts(stand->work).builds > 0;
}

static void cancelling_stops_what_runs(void **state)
{
    static const struct {
        struct scripted_script script;
        bool (*held)(struct stand *stand);
    } cases[] = {
        {{.commits = 9, .culprit = 4, .good_level = 1, .bad_level = 2, .hold_trials = true},
         guest_is_held},
        {{.commits = 9, .culprit = 4, .good_level = 1, .bad_level = 2, .hold_builds = true},
         build_is_held},
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
    stand_until(&stand, guest_is_held);
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
    stand_until(&stand, guest_is_held);
    assert_success(service_cancel(stand.service, job, &error));
    stand_down(&stand);
    stand_up(&stand);
    stand_finish(&stand, job);
    stand_expect(&stand, job, "state", "cancelled");
    stand_down(&stand);
}

/* --- slots and engines ---------------------------------------------------------------------- */

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
    expect_end(&stand, job, "failed", "gives no verdicts");
    stand_down(&stand);
    free(stand.mail.last);
}

/* --- the store ------------------------------------------------------------------------------ */

/* The store fills up in the middle: the service says so, keeps answering, and goes on when there
 * is room again, with nothing lost. */
static bool is_stalled(struct stand *stand)
{
    json_t *health = NULL;

    assert_success(service_health(stand->service, &health, &error));
    bool stalled = strcmp(json_string_value(json_object_get(health, "status")), "stalled") == 0;
    json_decref(health);
    return stalled;
}

static void a_full_store_stalls_and_goes_on(void **state)
{
    struct stand stand = {
        .directory = *state, .script = &long_history, .store_maximum = 300 * 1024};

    stand_up(&stand);
    int64_t job = stand_submit_bisect(&stand, "");
    assert_false(stand_step(&stand, job, 5));
    stand_fill_store(&stand, job);
    stand_until(&stand, is_stalled);
    json_t *health = NULL;
    assert_success(service_health(stand.service, &health, &error));
    assert_contains(json_string_value(json_object_get(health, "message")), "full");
    json_decref(health);
    int64_t id = 0;
    bool created = false;
    static const char document[] =
        "{version: 1, name: x, kind: run, source: {repository: history, commit: v1},"
        " guest: {topology: pair}, workloads: [{exec: {command: \"true\"}}]}";
    assert_failure(
        service_submit(stand.service, document, strlen(document), NULL, &id, &created, &error),
        CULPRIT_NO_SPACE);
    stand_down(&stand);

    stand.store_maximum = 0;
    stand_up(&stand);
    stand_finish(&stand, job);
    stand_expect(&stand, job, "verdict", "culprit");
    stand_down(&stand);
    free(stand.mail.last);
}

/* --- old artefacts -------------------------------------------------------------------------- */

static int64_t swept_job;

static bool console_is_gone(struct stand *stand)
{
    CULPRIT_CLEANUP(blob_reader_free) struct blob_reader *reader = NULL;
    return service_console(stand->service, swept_job, 1, &reader, &error) == -CULPRIT_NOT_FOUND;
}

/* An hour later, with room for nothing: what a job that is over left behind goes, and is made again
 * when it is wanted; a job that is not over keeps what it has. */
static void only_old_jobs_are_cleared_away(void **state)
{
    struct scripted_script changing = {.good_level = 50, .noise = 1};
    struct stand stand = {.directory = *state, .script = &changing};
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(1024 * 1024);
    int64_t again = 0;

    stand_up(&stand);
    swept_job = stand_submit_run(&stand, "");
    stand_finish(&stand, swept_job);
    assert_false(console_is_gone(&stand));
    stand_down(&stand);

    stand.clock_offset_ns = 3600ll * 1000000000;
    stand.keep.maximum = 1;
    stand_up(&stand);
    stand_until(&stand, console_is_gone);
    assert_success(service_report(stand.service, swept_job, REPORT_FORM_TEXT, &text, &error));
    changing.hold_trials = true;
    assert_success(service_rerun(stand.service, swept_job, &again, &error));
    stand_until(&stand, guest_is_held);
    assert_int_equal(scripted_work_counts(stand.work).builds, 1);
    stand_down(&stand);

    changing.hold_trials = false;
    stand.clock_offset_ns *= 2;
    stand_up(&stand);
    stand_finish(&stand, again);
    stand_expect(&stand, again, "verdict", "measured");
    assert_int_equal(scripted_work_counts(stand.work).builds, 0);
    stand_down(&stand);
    free(stand.mail.last);
}

/* --- submitting ----------------------------------------------------------------------------- */

static void a_key_makes_submitting_repeatable(void **state)
{
    static const struct scripted_script one = {.good_level = 50};
    static const char document[] =
        "{version: 1, name: x, kind: run, source: {repository: history, commit: v1},"
        " guest: {topology: pair}, workloads: [{exec: {command: \"true\"}}]}";
    static const char other[] =
        "{version: 1, name: y, kind: run, source: {repository: history, commit: v1},"
        " guest: {topology: pair}, workloads: [{exec: {command: \"true\"}}]}";
    struct stand stand = {.directory = *state, .script = &one};
    int64_t first = 0, second = 0;
    bool created = false;

    stand_up(&stand);
    assert_success(service_submit(stand.service, document, strlen(document), "key-1", &first,
                                  &created, &error));
    assert_true(created);
    assert_success(service_submit(stand.service, document, strlen(document), "key-1", &second,
                                  &created, &error));
    assert_false(created);
    assert_int_equal(first, second);
    assert_failure(
        service_submit(stand.service, other, strlen(other), "key-1", &second, &created, &error),
        CULPRIT_CONFLICT);
    stand_down(&stand);
}

static void faulty_documents_name_their_place(void **state)
{
    static const struct scripted_script one = {.good_level = 50};
    struct stand stand = {.directory = *state, .script = &one};
    static const struct {
        const char *document;
        const char *part;
        unsigned line;
    } cases[] = {
        {"version: 1\nname: x\nkind: bisect\nsource: {repository: linux, good: a, bad: b}\n"
         "guest: {topology: pair}\nworkloads: [{exec: {command: x}}]\n"
         "metric: {name: exec.duration, min_effect: 5%}\n",
         "linux", 4},
        {"version: 1\nname: x\nkind: run\nsource: {repository: history, commit: a}\n"
         "guest: {topology: pear}\nworkloads: [{exec: {command: x}}]\n",
         "pair", 5},
        {"version: 1\nname: x\nkind: bisect\nsource: {repository: history, good: a, bad: a}\n"
         "guest: {topology: pair}\nworkloads: [{exec: {command: x}}]\n"
         "metric: {name: exec.duration, min_effect: 5%}\n",
         "good", 4},
    };
    int64_t id = 0;
    bool created = false;

    stand_up(&stand);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_failure(service_submit(stand.service, cases[i].document, strlen(cases[i].document),
                                      NULL, &id, &created, &error),
                       CULPRIT_INVALID);
        assert_contains(error.message, cases[i].part);
        if (error.line != cases[i].line)
            fail_msg("case %zu is placed in line %u: %s", i, error.line, error.message);
    }
    stand_down(&stand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(a_run_measures),
        scratch_test(a_run_that_does_not_build_fails),
        scratch_test(a_run_that_does_not_boot_fails),
        scratch_test(a_missing_metric_is_no_number),
        scratch_test(infra_failures_are_retried),
        scratch_test(a_host_that_cannot_build_ends_the_job),
        scratch_test(a_host_that_cannot_boot_ends_the_job),
        scratch_test(an_unreachable_repository_is_said),
        scratch_test(a_job_fails_once),
        scratch_test(budgets_end_inconclusive),
        scratch_test(the_time_budget_ends_a_job_that_hangs),
        scratch_test(cancelling_stops_what_runs),
        scratch_test(a_queued_job_is_cancelled_at_once),
        scratch_test(a_cancellation_outlives_the_daemon),
        scratch_test(a_realtime_guest_has_the_host_alone),
        scratch_test(the_engine_may_wait_for_a_kernel),
        scratch_test(the_functional_engine_gives_no_verdicts),
        scratch_test(a_full_store_stalls_and_goes_on),
        scratch_test(only_old_jobs_are_cleared_away),
        scratch_test(a_key_makes_submitting_repeatable),
        scratch_test(faulty_documents_name_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
