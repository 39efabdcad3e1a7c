/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole bisections by a criterion through the scheduler: flaky ones, with kernels that crash. */
#include <string.h>

#include "stand.h"

static struct culprit_error error;

static const struct scripted_script history = {
    .commits = 17,
    .culprit = 11,
    .good_fails = 0.02,
    .bad_fails = 0.5,
    .console_line = "BUG: unable to handle page fault for address: ffff888000000008",
    .unbuildable = {[5] = true},
    .unbootable = {[8] = true},
    .same_image = {[3] = true, [13] = true},
};

static int64_t submit(struct stand *stand, const char *criterion)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(4096);

    buffer_printf(&text,
                  "version: 1\nname: flaky\nkind: bisect\n"
                  "source: {repository: history, good: v1, bad: v2}\n"
                  "guest: {topology: pair}\n"
                  "workloads: [{exec: {command: \"true\"}}]\n"
                  "criterion: %s\nbudget: {trials: 1000}\n"
                  "notify: {mail: [sched@example.org]}\n",
                  criterion);
    return stand_submit(stand, text.data);
}

static void expect_report(struct stand *stand, int64_t job, enum report_form form, const char *part)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(1024 * 1024);

    assert_success(service_report(stand->service, job, form, &text, &error));
    assert_contains(text.data, part);
}

static void expect_culprit(struct stand *stand, int64_t job)
{
    char id[COMMIT_ID_SIZE];

    scripted_commit_id(stand->script->culprit, id);
    stand_expect(stand, job, "state", "done");
    stand_expect(stand, job, "verdict", "culprit");
    stand_expect(stand, job, "result.culprit.id", id);
    assert_int_equal(scripted_work_counts(stand->work).repeated_seeds, 0);
}

/* A test that fails in every second boot, and in one of fifty on good. */
static void finds_what_fails_a_workload(void **state)
{
    struct stand stand = {.directory = *state, .script = &history};

    stand_up(&stand);
    int64_t job = submit(&stand, "{exit: workload}");
    stand_finish(&stand, job);
    expect_culprit(&stand, job);
    expect_report(&stand, job, REPORT_FORM_TEXT, "workload failures in ");
    expect_report(&stand, job, REPORT_FORM_TEXT, "one-sided exact Fisher p");
    expect_report(&stand, job, REPORT_FORM_TEXT, "workload exec failed: exit status 3");
    expect_report(&stand, job, REPORT_FORM_JSON, "\"worse_failed\": ");
    expect_report(&stand, job, REPORT_FORM_BISECT_LOG, "git bisect start");
    expect_report(&stand, job, REPORT_FORM_MAIL, "workload failures in ");
    stand_down(&stand);
    free(stand.mail.last);
}

/* A crash that shows the line is an observation; one that does not is none. */
static void finds_what_the_console_shows(void **state)
{
    struct stand stand = {.directory = *state, .script = &history};

    stand_up(&stand);
    int64_t job = submit(&stand, "{console: \"^BUG: unable to handle\"}");
    stand_finish(&stand, job);
    expect_culprit(&stand, job);
    expect_report(&stand, job, REPORT_FORM_TEXT, "lines like \"^BUG: unable to handle\"");
    expect_report(&stand, job, REPORT_FORM_TEXT, "unable to handle page fault for address");
    expect_report(&stand, job, REPORT_FORM_JSON, "\"outcome\": \"kernel_crashed\"");
    expect_report(&stand, job, REPORT_FORM_JSON, "\"evidence\": \"BUG: unable to handle");
    stand_down(&stand);
    free(stand.mail.last);
}

/* What a trial said is in the store, and not in a memory. */
static void restarts_at_every_step(void **state)
{
    struct stand stand = {.directory = *state, .script = &history};

    stand_up(&stand);
    int64_t job = submit(&stand, "{console: BUG}");
    assert_true(stand_finish_restarting(&stand, job) > 20);
    stand_expect(&stand, job, "verdict", "culprit");
    stand_down(&stand);
    free(stand.mail.last);
}

/* Broken is neither good nor bad: a good end that does not boot tells of no failure. */
static void a_good_that_does_not_boot_ends_it(void **state)
{
    static const struct scripted_script dead = {
        .commits = 9, .culprit = 4, .bad_fails = 1, .unbootable = {[0] = true}};
    struct stand stand = {.directory = *state, .script = &dead};

    stand_up(&stand);
    int64_t job = submit(&stand, "{exit: workload}");
    stand_finish(&stand, job);
    stand_expect(&stand, job, "verdict", "inconclusive");
    stand_expect_end(&stand, job, "done", "does not run the workload to its end");
    stand_down(&stand);
    free(stand.mail.last);
}

static void says_that_nothing_fails(void **state)
{
    static const struct scripted_script still = {.commits = 9};
    struct stand stand = {.directory = *state, .script = &still};

    stand_up(&stand);
    int64_t job = submit(&stand, "{exit: workload}");
    stand_finish(&stand, job);
    stand_expect(&stand, job, "verdict", "no_regression");
    expect_report(&stand, job, REPORT_FORM_TEXT, "no regression of workload failures");
    expect_report(&stand, job, REPORT_FORM_TEXT, "is ruled out");
    stand_down(&stand);
    free(stand.mail.last);
}

/* Each trial tells what it said; the job's progress counts them. */
static void tells_trial_by_trial(void **state)
{
    struct stand stand = {.directory = *state, .script = &history};
    json_t *trials = NULL;
    size_t bad = 0, good = 0, silent = 0;

    stand_up(&stand);
    int64_t job = submit(&stand, "{console: BUG}");
    stand_finish(&stand, job);
    assert_success(service_trials(stand.service, job, &trials, &error));
    for (size_t i = 0; i < json_array_size(trials); i++) {
        const json_t *trial = json_array_get(trials, i);
        const json_t *failed = json_object_get(trial, "failed");
        const char *evidence = json_string_value(json_object_get(trial, "evidence"));

        bad += json_is_true(failed);
        good += json_is_false(failed);
        silent += json_is_null(failed);
        assert_true(json_is_null(json_object_get(trial, "value")));
        if (json_is_true(failed))
            assert_string_equal(evidence, history.console_line);
        else
            assert_string_equal(evidence, "");
    }
    json_decref(trials);
    json_t *record = stand_job(&stand, job);
    const json_t *counts = json_object_get(json_object_get(record, "progress"), "trials");
    assert_int_equal(json_integer_value(json_object_get(counts, "bad")), bad);
    assert_int_equal(json_integer_value(json_object_get(counts, "done")), bad + good);
    assert_int_equal(json_integer_value(json_object_get(counts, "failed")), silent);
    json_decref(record);
    assert_true(bad > 10 && good > 10);
    stand_down(&stand);
    free(stand.mail.last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(finds_what_fails_a_workload), scratch_test(finds_what_the_console_shows),
        scratch_test(restarts_at_every_step),      scratch_test(a_good_that_does_not_boot_ends_it),
        scratch_test(says_that_nothing_fails),     scratch_test(tells_trial_by_trial),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
