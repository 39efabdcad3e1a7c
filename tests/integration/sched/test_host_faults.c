/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the host is to blame for: it never decides, and what may pass is waited for. */
#include <string.h>

#include "stand.h"

static struct culprit_error error;

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
    stand_expect_end(&stand, job, "failed", "the sandbox did not start");
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
    stand_expect_end(&stand, job, "failed", "libvirt does not answer");
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
    stand_expect_end(&stand, job, "failed", "connection refused");
    stand_down(&stand);
    free(stand.mail.last);
}

/* Events of the type (NULL: any) whose data have, under the key, a text that begins with this. */
static unsigned count_events(struct stand *stand, int64_t job, const char *type, const char *key,
                             const char *text)
{
    json_t *events = NULL;
    const json_t *event;
    unsigned count = 0;
    bool final = false;
    size_t i;

    assert_success(service_events(stand->service, job, 0, 0, &events, &final, &error));
    json_array_foreach (events, i, event) {
        const char *found = json_string_value(json_object_get(json_object_get(event, "data"), key));
        const char *its_type = json_string_value(json_object_get(event, "type"));

        count += found && strncmp(found, text, strlen(text)) == 0 &&
                 (!type || strcmp(type, its_type) == 0);
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
    stand_expect_end(&stand, job, "failed", "no longer there");
    stand_down(&stand);
    stand_up(&stand);
    unsigned ends = count_events(&stand, job, "state", "state", "failed");
    if (ends != 1)
        fail_msg("the job failed %u times", ends);
    stand_down(&stand);
    free(stand.mail.last);
}

/* --- what may pass by itself ---------------------------------------------------------------- */

static void expect_health(struct stand *stand, const char *status, const char *part)
{
    json_t *health = NULL;

    assert_success(service_health(stand->service, &health, &error));
    assert_string_equal(json_string_value(json_object_get(health, "status")), status);
    assert_contains(json_string_value(json_object_get(health, "message")), part);
    json_decref(health);
}

static enum scripted_step waited_step;

/* Until the step that failed seven times goes well: the service is stalled all the while, in the
 * retries too. */
static bool it_passes(struct stand *stand)
{
    unsigned calls = scripted_work_counts(stand->work).calls[waited_step];

    if (calls >= 2 && calls <= 7 && !stand_is_stalled(stand))
        fail_msg("step %d: in attempt %u nothing was the matter", waited_step, calls);
    return calls > 7;
}

/* It fails more often than a job has attempts: the service says why it waits, the job is told once,
 * and ends as if nothing had been. */
static void expect_wait(const char *directory, enum scripted_step step, enum culprit_code code,
                        const char *sentence)
{
    struct scripted_script script = {
        .good_level = 50, .noise = 1, .passing_code = code, .passing_failure = sentence};
    struct stand stand = {.directory = directory, .script = &script, .guest_slots = 1};

    script.passing[step] = 7;
    stand_up(&stand);
    int64_t job = stand_submit_run(&stand, "trials: 3\n");
    stand_until(&stand, stand_is_stalled);
    expect_health(&stand, "stalled", sentence);
    waited_step = step;
    stand_until(&stand, it_passes);
    stand_finish(&stand, job);
    stand_expect(&stand, job, "verdict", "measured");
    struct scripted_counts counts = scripted_work_counts(stand.work);
    if (counts.builds != 1 || counts.trials != 3 || counts.calls[step] < 8)
        fail_msg("step %d, %s: %u builds, %u trials", step, sentence, counts.builds, counts.trials);
    assert_int_equal(count_events(&stand, job, NULL, "message", sentence), 1);
    expect_health(&stand, "ok", "");
    stand_down(&stand);
    free(stand.mail.last);
}

static void what_may_pass_is_waited_for(void **state)
{
    static const struct {
        enum scripted_step step;
        enum culprit_code code;
        const char *sentence;
    } cases[] = {
        {SCRIPTED_ENGINE, CULPRIT_UNAVAILABLE, "guests cannot be run: libvirt does not answer"},
        {SCRIPTED_RESOLVE, CULPRIT_NO_SPACE, "the disk of /var/cache/culprit is full"},
        {SCRIPTED_IDENTIFY, CULPRIT_IO, "cannot read the fragment sched: Input/output error"},
        {SCRIPTED_IDENTIFY, CULPRIT_NO_MEMORY, "cannot build: out of memory"},
        {SCRIPTED_BUILD, CULPRIT_NO_SPACE, "the disk of /var/cache/culprit is full"},
        {SCRIPTED_TRIAL, CULPRIT_NO_SPACE, "the disk of /var/lib/culprit is full"},
        {SCRIPTED_TRIAL, CULPRIT_UNAVAILABLE, "guests cannot be run: libvirt does not answer"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        _cleanup_free_ char *directory = text_format("%s/%zu", (char *)*state, i);
        expect_wait(directory, cases[i].step, cases[i].code, cases[i].sentence);
    }
}

static void a_refusal_is_not_waited_for(void **state)
{
    static const struct {
        enum scripted_step step;
        enum culprit_code code;
    } cases[] = {
        {SCRIPTED_ENGINE, CULPRIT_UNSUPPORTED},
        {SCRIPTED_RESOLVE, CULPRIT_NOT_FOUND},
        {SCRIPTED_IDENTIFY, CULPRIT_NOT_FOUND},
        {SCRIPTED_IDENTIFY, CULPRIT_INVALID},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        _cleanup_free_ char *directory = text_format("%s/%zu", (char *)*state, i);
        struct scripted_script script = {.passing_code = cases[i].code,
                                         .passing_failure = "this cannot be had"};
        struct stand stand = {.directory = directory, .script = &script};

        script.passing[cases[i].step] = 1000;
        stand_up(&stand);
        int64_t job = stand_submit_run(&stand, "");
        stand_finish(&stand, job);
        stand_expect_end(&stand, job, "failed", "this cannot be had");
        assert_int_equal(scripted_work_counts(stand.work).calls[cases[i].step], 1);
        stand_down(&stand);
        free(stand.mail.last);
    }
}

static int64_t held_job;

static bool held_job_rests(struct stand *stand)
{
    return count_events(stand, held_job, NULL, "message", "guests cannot be run: no libvirtd") == 1;
}

/* What the daemon knows of its guests is said without any job, and what waited goes on when told:
 * the retry by the clock is an hour away. */
static void a_hold_is_said_and_lifted(void **state)
{
    struct scripted_script away = {.good_level = 50,
                                   .passing = {[SCRIPTED_ENGINE] = 1},
                                   .passing_code = CULPRIT_UNAVAILABLE,
                                   .passing_failure = "guests cannot be run: no libvirtd"};
    struct stand stand = {.directory = *state, .script = &away, .retry_ns = 3600000000000};

    stand_up(&stand);
    service_hold(stand.service, "guests cannot be run: no libvirtd");
    expect_health(&stand, "stalled", "no libvirtd");
    held_job = stand_submit_run(&stand, "");
    stand_until(&stand, held_job_rests);
    service_hold(stand.service, NULL);
    stand_finish(&stand, held_job);
    stand_expect(&stand, held_job, "verdict", "measured");
    expect_health(&stand, "ok", "");
    stand_down(&stand);
    free(stand.mail.last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(infra_failures_are_retried),
        scratch_test(a_host_that_cannot_build_ends_the_job),
        scratch_test(a_host_that_cannot_boot_ends_the_job),
        scratch_test(an_unreachable_repository_is_said),
        scratch_test(a_job_fails_once),
        scratch_test(what_may_pass_is_waited_for),
        scratch_test(a_refusal_is_not_waited_for),
        scratch_test(a_hold_is_said_and_lifted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
