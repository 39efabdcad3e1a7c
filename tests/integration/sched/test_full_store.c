/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A store without room, and what is cleared away to make some. */
#include <string.h>

#include "stand.h"

static struct culprit_error error;

static const struct scripted_script long_history = {
    .commits = 65, .culprit = 40, .good_level = 100, .bad_level = 200, .noise = 2};

/* The store fills up in the middle: the service says so, keeps answering, and goes on when there
 * is room again, with nothing lost. */
static void a_full_store_stalls_and_goes_on(void **state)
{
    struct stand stand = {
        .directory = *state, .script = &long_history, .store_maximum = 300 * 1024};

    stand_up(&stand);
    int64_t job = stand_submit_bisect(&stand, "");
    assert_false(stand_step(&stand, job, 5));
    stand_fill_store(&stand, job);
    stand_until(&stand, stand_is_stalled);
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
    stand_until(&stand, stand_guest_is_held);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(a_full_store_stalls_and_goes_on),
        scratch_test(only_old_jobs_are_cleared_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
