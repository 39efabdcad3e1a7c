/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a job makes of a calibration of its setup: its own copy, by which it plans and of which it
 * tells. */
#include <stdio.h>
#include <string.h>

#include "drawn_calibration.h"
#include "stand.h"

static struct culprit_error error;

/* Nothing regressed, and trials differ by twice what the job asks about. */
static const struct scripted_script flat = {
    .commits = 9, .good_level = 100, .bad_level = 100, .noise = 20};

/* The setup of the stand's jobs, with the engine that the scripted work gives them. */
#define JOB                                                                      \
    "version: 1\n"                                                               \
    "name: a\n"                                                                  \
    "kind: run\n"                                                                \
    "source: {repository: history, commit: v1}\n"                                \
    "guest: {topology: pair, engine: deterministic, shift: 1, memory: 512MiB}\n" \
    "workloads: [{exec: {command: \"true\"}}]\n"                                 \
    "metric: {name: exec.duration}\n"

/* The same as the script has it, and much less. */
static const struct drawn_calibration noisy = {
    .job = JOB, .unit = "us", .level = 100, .spread = 20, .seed = 1};
static const struct drawn_calibration quiet = {
    .job = JOB, .unit = "us", .level = 100, .spread = 3, .seed = 1};

#define BUDGET "budget: {trials: 60}\n"

static int64_t add(struct stand *stand, const struct drawn_calibration *drawn)
{
    _cleanup_free_ char *document = drawn_calibration_document(drawn);
    int64_t id = 0;

    assert_success(
        service_calibration_add(stand->service, document, strlen(document), &id, &error));
    return id;
}

static void expect_report(struct stand *stand, int64_t job, enum report_form form, const char *part)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(1024 * 1024);

    assert_success(service_report(stand->service, job, form, &text, &error));
    assert_contains(text.data, part);
}

/* The report's calibration: its number, 0 for null. */
static int64_t reported(struct stand *stand, int64_t job)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(1024 * 1024);
    json_t *report;
    int64_t id;

    assert_success(service_report(stand->service, job, REPORT_FORM_JSON, &text, &error));
    report = json_loads(text.data, 0, NULL);
    assert_non_null(json_object_get(report, "calibration"));
    id = json_integer_value(json_object_get(json_object_get(report, "calibration"), "id"));
    json_decref(report);
    return id;
}

static void without_one_the_report_says_so(void **state)
{
    struct stand stand = {.directory = *state, .script = &flat};

    stand_up(&stand);
    int64_t job = stand_submit_bisect(&stand, BUDGET);
    stand_finish(&stand, job);
    stand_expect(&stand, job, "verdict", "no_regression");
    expect_report(&stand, job, REPORT_FORM_TEXT, "calibration:  none");
    assert_int_equal(reported(&stand, job), 0);
    stand_down(&stand);
    free(stand.mail.last);
}

static void the_gate_goes_by_it(void **state)
{
    struct stand stand = {.directory = *state, .script = &flat};

    stand_up(&stand);
    int64_t calibration = add(&stand, &noisy);
    int64_t job = stand_submit_bisect(&stand, BUDGET);
    stand_finish(&stand, job);
    stand_expect(&stand, job, "verdict", "inconclusive");
    expect_report(&stand, job, REPORT_FORM_TEXT, "is smaller than what");
    expect_report(&stand, job, REPORT_FORM_TEXT, "A/A on 6.1.192: 40 trials, spread");
    expect_report(&stand, job, REPORT_FORM_MAIL, "A/A on 6.1.192: 40 trials, spread");
    assert_int_equal(reported(&stand, job), calibration);
    stand_down(&stand);
    free(stand.mail.last);
}

static void a_run_tells_of_it_too(void **state)
{
    struct stand stand = {.directory = *state, .script = &flat};

    stand_up(&stand);
    int64_t calibration = add(&stand, &noisy);
    int64_t job = stand_submit_run(&stand, "");
    stand_finish(&stand, job);
    stand_expect(&stand, job, "verdict", "measured");
    expect_report(&stand, job, REPORT_FORM_TEXT, "A/A on 6.1.192");
    assert_int_equal(reported(&stand, job), calibration);
    stand_down(&stand);
    free(stand.mail.last);
}

/* What is measured or removed while a job runs changes nothing for it, also not when the daemon
 * starts anew; and a rerun is planned as the job was. */
static void a_job_plans_by_its_own_copy(void **state)
{
    struct stand stand = {.directory = *state, .script = &flat};
    int64_t again = 0, fresh;

    stand_up(&stand);
    int64_t first = add(&stand, &noisy);
    int64_t job = stand_submit_bisect(&stand, BUDGET);
    assert_false(stand_step(&stand, job, 3));
    int64_t second = add(&stand, &quiet);
    stand_down(&stand);
    stand_up(&stand);
    stand_finish(&stand, job);
    stand_expect(&stand, job, "verdict", "inconclusive");
    assert_int_equal(reported(&stand, job), first);

    assert_success(service_rerun(stand.service, job, &again, &error));
    stand_finish(&stand, again);
    stand_expect(&stand, again, "verdict", "inconclusive");
    assert_int_equal(reported(&stand, again), first);

    fresh = stand_submit_bisect(&stand, BUDGET);
    stand_finish(&stand, fresh);
    stand_expect(&stand, fresh, "verdict", "no_regression");
    assert_int_equal(reported(&stand, fresh), second);

    assert_success(service_calibration_remove(stand.service, second, &error));
    assert_int_equal(reported(&stand, fresh), second);
    stand_down(&stand);
    free(stand.mail.last);
}

/* Another guest, another work, another metric: it says nothing of those. */
static void other_setups_have_none(void **state)
{
    static const char *const guests[] = {"{topology: pair, cmdline: [nohz=off]}",
                                         "{topology: pair, memory: 1GiB}", "{topology: smp4}"};
    struct stand stand = {.directory = *state, .script = &flat};

    stand_up(&stand);
    add(&stand, &noisy);
    for (size_t i = 0; i < sizeof guests / sizeof *guests; i++) {
        _cleanup_free_ char *document = text_format("version: 1\n"
                                                    "name: other\n"
                                                    "kind: run\n"
                                                    "source: {repository: history, commit: v1}\n"
                                                    "guest: %s\n"
                                                    "workloads: [{exec: {command: \"true\"}}]\n"
                                                    "metric: {name: exec.duration}\n",
                                                    guests[i]);
        int64_t job = stand_submit(&stand, document);

        stand_finish(&stand, job);
        if (reported(&stand, job) != 0)
            fail_msg("%s has a calibration", guests[i]);
    }
    stand_down(&stand);
    free(stand.mail.last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(without_one_the_report_says_so), scratch_test(the_gate_goes_by_it),
        scratch_test(a_run_tells_of_it_too),          scratch_test(a_job_plans_by_its_own_copy),
        scratch_test(other_setups_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
