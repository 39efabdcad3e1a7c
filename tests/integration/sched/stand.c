/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stand.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "shifted_clock.h"
#include "store/events.h"

static struct culprit_error error;

/* --- up and down --------------------------------------------------------------------------- */

static void open_catalogue(struct stand *stand)
{
    const struct catalogue_directories directories = {
        .topologies = CULPRIT_SOURCE_DIR "/images/topologies",
        .fragments = CULPRIT_SOURCE_DIR "/kernels/fragments",
        .images = stand->directory,
    };
    _cleanup_free_ char *image = path_join(stand->directory, "minimal.cpio");

    assert_success(file_make_directories(stand->directory, 0755, &error));
    assert_success(file_write_atomic(image, "", 0, 0644, &error));
    assert_success(catalogue_new(&directories, &stand->catalogue, &error));
    assert_success(catalogue_add_repository(stand->catalogue, "history", "/srv/history", &error));
}

static void open_store(struct stand *stand)
{
    _cleanup_free_ char *blobs = path_join(stand->directory, "blobs");
    const struct store_options options = {
        .directory = stand->directory,
        .clock = &stand->clock,
        .maximum = stand->store_maximum,
    };

    assert_success(store_open(&options, &stand->store, &error));
    assert_success(blobs_open(blobs, &stand->blobs, &error));
}

void stand_up(struct stand *stand)
{
    log_set_level(LOG_CRIT); /* failures are part of the tests */
    stand->clock = shifted_clock(&stand->clock_offset_ns);
    assert_int_equal(sd_event_new(&stand->event), 0);
    open_catalogue(stand);
    open_store(stand);
    assert_success(scripted_work_new(stand->script, &stand->work, &error));
    scripted_mailer_init(&stand->mail);
    const struct service_options options = {
        .event = stand->event,
        .clock = &stand->clock,
        .store = stand->store,
        .blobs = stand->blobs,
        .catalogue = stand->catalogue,
        .work = stand->work,
        .mailer = stand->without_mailer ? NULL : &stand->mail.mailer,
        .state_directory = stand->directory,
        .build_slots = stand->build_slots ? stand->build_slots : 1,
        .guest_slots = stand->guest_slots ? stand->guest_slots : 2,
        .active_jobs = stand->active_jobs ? stand->active_jobs : 2,
        .host = "stand.example.org",
        .mail_from = "culprit <culprit@example.org>",
        .mail_domain = "example.org",
        .mail_retry_ns = 1000000,
        .retry_ns = stand->retry_ns ? stand->retry_ns : 1000000,
        .keep = stand->keep,
    };
    assert_success(service_new(&options, &stand->service, &error));
    assert_success(service_start(stand->service, &error));
}

static void on_stopped(void *context)
{
    struct stand *stand = context;
    stand->stopped = true;
}

/* Runs the loop until `ready` says so, or the test's patience ends. */
static void run_until(struct stand *stand, bool (*ready)(struct stand *stand))
{
    uint64_t patience = stand->patience_usec ? stand->patience_usec : 60000000;
    uint64_t end = clock_monotonic(&clock_system) / 1000 + patience;

    while (!ready(stand)) {
        uint64_t now = clock_monotonic(&clock_system) / 1000;
        if (now >= end)
            fail_msg("the scheduler took longer than %llu s",
                     (unsigned long long)patience / 1000000);
        assert_true(sd_event_run(stand->event, end - now) >= 0);
    }
}

static bool is_stopped(struct stand *stand)
{
    return stand->stopped;
}

void stand_down(struct stand *stand)
{
    stand->stopped = false;
    service_stop(stand->service, on_stopped, stand);
    run_until(stand, is_stopped);
    service_free(stand->service);
    scripted_work_free(stand->work);
    catalogue_free(stand->catalogue);
    blobs_close(stand->blobs);
    store_close(stand->store);
    stand->event = sd_event_unref(stand->event);
}

/* --- jobs ---------------------------------------------------------------------------------- */

int64_t stand_submit(struct stand *stand, const char *document)
{
    int64_t id = 0;
    bool created = false;

    assert_success(
        service_submit(stand->service, document, strlen(document), NULL, &id, &created, &error));
    assert_true(created);
    return id;
}

static int64_t submit(struct stand *stand, const char *kind, const char *source, const char *extra)
{
    _cleanup_free_ char *document = text_format(
        "version: 1\n"
        "name: test-job\n"
        "kind: %s\n"
        "source: {repository: history, %s}\n"
        "guest: {topology: pair}\n"
        "workloads:\n"
        "  - exec: {command: \"true\"}\n"
        "metric: {name: exec.duration, min_effect: 10%%}\n"
        "notify: {mail: [list@example.org, ada@example.org]}\n"
        "%s",
        kind, source, extra ? extra : "");

    assert_non_null(document);
    return stand_submit(stand, document);
}

int64_t stand_submit_bisect(struct stand *stand, const char *extra)
{
    return submit(stand, "bisect", "good: v1, bad: v2", extra);
}

int64_t stand_submit_run(struct stand *stand, const char *extra)
{
    return submit(stand, "run", "commit: v1", extra);
}

static bool is_over(struct stand *stand, int64_t job)
{
    CULPRIT_CLEANUP(stored_job_clear) struct stored_job record = {0};

    assert_success(store_job_get(stand->store, job, &record, &error));
    return job_state_final(record.state);
}

void stand_until(struct stand *stand, bool (*ready)(struct stand *stand))
{
    run_until(stand, ready);
}

static bool waited_job_over(struct stand *stand)
{
    return is_over(stand, stand->waited_job);
}

void stand_finish(struct stand *stand, int64_t job)
{
    stand->waited_job = job;
    run_until(stand, waited_job_over);
}

static size_t count_facts(struct stand *stand, int64_t job)
{
    json_t *trials = NULL;
    json_t *builds = NULL;

    assert_success(service_trials(stand->service, job, &trials, &error));
    assert_success(service_builds(stand->service, job, &builds, &error));
    size_t count = json_array_size(trials) + json_array_size(builds);
    json_decref(trials);
    json_decref(builds);
    return count;
}

static bool stepped(struct stand *stand)
{
    return is_over(stand, stand->waited_job) ||
           count_facts(stand, stand->waited_job) >= stand->facts_to_go;
}

bool stand_step(struct stand *stand, int64_t job, unsigned facts)
{
    stand->waited_job = job;
    stand->facts_to_go = (unsigned)count_facts(stand, job) + facts;
    run_until(stand, stepped);
    return is_over(stand, job);
}

unsigned stand_finish_restarting(struct stand *stand, int64_t job)
{
    unsigned restarts = 0;

    while (!stand_step(stand, job, 1)) {
        stand_down(stand);
        stand_up(stand);
        assert_true(++restarts < 500);
    }
    return restarts;
}

void stand_fill_store(struct stand *stand, int64_t job)
{
    static char text[8192];

    memset(text, ' ', sizeof text - 1);
    memcpy(text, "{}", 2);
    for (size_t length = sizeof text - 1; length > 16; length /= 2) {
        int status;
        text[length] = '\0';
        while ((status = store_event_add(stand->store, job, "notice", text, &error)) == 0)
            ;
        assert_int_equal(status, -CULPRIT_NO_SPACE);
    }
}

json_t *stand_job(struct stand *stand, int64_t job)
{
    json_t *json = NULL;

    assert_success(service_job(stand->service, job, &json, &error));
    return json;
}

void stand_expect(struct stand *stand, int64_t job, const char *key, const char *text)
{
    json_t *root = stand_job(stand, job);
    const json_t *at = root;
    _cleanup_free_ char *path = strdup(key);
    char *position = NULL;

    for (char *part = strtok_r(path, ".", &position); part; part = strtok_r(NULL, ".", &position))
        at = json_object_get(at, part);
    const char *found = json_string_value(at);
    if (!found || strcmp(found, text) != 0) {
        _cleanup_free_ char *dump = json_dumps(root, JSON_INDENT(1));
        fail_msg("%s is '%s', not '%s', in %s", key, found ? found : "no text", text, dump);
    }
    json_decref(root);
}

void stand_expect_end(struct stand *stand, int64_t job, const char *state, const char *part)
{
    stand_expect(stand, job, "state", state);
    json_t *json = stand_job(stand, job);
    const char *message = json_string_value(json_object_get(json, "message"));
    if (!message || !strstr(message, part))
        fail_msg("\"%s\" is not in the job's message: %s", part, message ? message : "none");
    json_decref(json);
}

/* --- for stand_until() ---------------------------------------------------------------------- */

bool stand_guest_is_held(struct stand *stand)
{
    return scripted_work_counts(stand->work).trials > 0;
}

bool stand_build_is_held(struct stand *stand)
{
    return scripted_work_counts(stand->work).builds > 0;
}

bool stand_is_stalled(struct stand *stand)
{
    json_t *health = NULL;

    assert_success(service_health(stand->service, &health, &error));
    bool stalled = strcmp(json_string_value(json_object_get(health, "status")), "stalled") == 0;
    json_decref(health);
    return stalled;
}
