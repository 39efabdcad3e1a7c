/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is put into the store comes out of it, also after it was closed. */
#include <limits.h>
#include <string.h>

#include "scratch.h"
#include "store/events.h"
#include "store/facts.h"
#include "store/jobs.h"
#include "store/outbox.h"
#include "store/tokens.h"

static struct culprit_error error;

static struct store *open_store(const char *directory)
{
    const struct store_options options = {.directory = directory, .clock = &clock_system};
    struct store *store = NULL;

    assert_success(store_open(&options, &store, &error));
    return store;
}

static int64_t add_job(struct store *store, const char *key)
{
    char name[] = "job", kind[] = "bisect", document[] = "kind: bisect\n", normalised[] = "{}";
    _cleanup_free_ char *own_key = key ? strdup(key) : NULL;
    const struct stored_job draft = {
        .name = name, .kind = kind, .document = document, .normalised = normalised, .key = own_key};
    int64_t id = 0;

    assert_success(store_job_add(store, &draft, &id, &error));
    return id;
}

static void jobs_change_state(void **state)
{
    CULPRIT_CLEANUP(store_close) struct store *store = open_store(*state);
    CULPRIT_CLEANUP(stored_job_clear) struct stored_job job = {0};
    int64_t id = add_job(store, "key");

    assert_success(store_job_set_state(store, id, JOB_PREPARING, "", &error));
    assert_success(store_job_set_engine(store, id, ENGINE_DETERMINISTIC, 3, 4, &error));
    assert_success(store_job_set_progress(store, id, "{\"phase\":\"x\"}", &error));
    assert_success(store_job_set_result(store, id, "culprit", "{\"a\":1}", &error));
    assert_success(store_job_set_state(store, id, JOB_DONE, "found", &error));
    store_close(store);
    store = open_store(*state);
    assert_success(store_job_by_key(store, "key", &job, &error));
    assert_int_equal(job.id, id);
    assert_int_equal(job.state, JOB_DONE);
    assert_int_equal(job.engine, ENGINE_DETERMINISTIC);
    assert_int_equal(job.shift, 3);
    assert_string_equal(job.message, "found");
    assert_string_equal(job.verdict, "culprit");
    assert_string_equal(job.progress, "{\"phase\":\"x\"}");
    assert_string_equal(job.result, "{\"a\":1}");
    assert_true(job.created_ns && job.started_ns >= job.created_ns);
    assert_true(job.finished_ns >= job.started_ns);
}

static void job_keys_are_taken_once(void **state)
{
    CULPRIT_CLEANUP(store_close) struct store *store = open_store(*state);
    char text[] = "x";
    const struct stored_job draft = {
        .name = text, .kind = text, .document = text, .normalised = text, .key = text};
    int64_t id = 0;

    assert_success(store_job_add(store, &draft, &id, &error));
    assert_failure(store_job_add(store, &draft, &id, &error), CULPRIT_CONFLICT);
    assert_contains(error.message, "'x'");
}

static void jobs_are_listed_newest_first(void **state)
{
    CULPRIT_CLEANUP(store_close) struct store *store = open_store(*state);
    int64_t ids[5];

    for (int i = 0; i < 5; i++)
        ids[i] = add_job(store, NULL);
    assert_success(store_job_set_state(store, ids[1], JOB_FAILED, "", &error));
    const struct {
        struct job_filter filter;
        size_t count;
        int64_t first;
    } cases[] = {
        {{.state = -1, .limit = 10}, 5, ids[4]},
        {{.state = -1, .limit = 2}, 2, ids[4]},
        {{.state = -1, .limit = 10, .before = ids[2]}, 2, ids[1]},
        {{.state = JOB_FAILED, .limit = 10}, 1, ids[1]},
        {{.state = -1, .limit = 10, .kind = "run"}, 0, 0},
        {{.state = -1, .limit = 10, .active = true}, 4, ids[0]},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CULPRIT_CLEANUP(stored_jobs_clear) struct stored_jobs jobs = {0};
        assert_success(store_job_list(store, &cases[i].filter, &jobs, &error));
        if (jobs.count != cases[i].count)
            fail_msg("case %zu lists %zu jobs, not %zu", i, jobs.count, cases[i].count);
        if (jobs.count && jobs.items[0].id != cases[i].first)
            fail_msg("case %zu begins with job %lld", i, (long long)jobs.items[0].id);
    }
}

static void what_is_not_there_is_said(void **state)
{
    CULPRIT_CLEANUP(store_close) struct store *store = open_store(*state);
    struct stored_job job;
    struct stored_trial trial;
    struct stored_build build;
    struct stored_mail mail;
    unsigned scopes;

    assert_failure(store_job_get(store, 7, &job, &error), CULPRIT_NOT_FOUND);
    assert_contains(error.message, "no job 7");
    assert_failure(store_job_set_state(store, 7, JOB_DONE, "", &error), CULPRIT_NOT_FOUND);
    assert_failure(store_trial_get(store, 7, 1, &trial, &error), CULPRIT_NOT_FOUND);
    assert_failure(store_build_find(store, "00", &build, &error), CULPRIT_NOT_FOUND);
    assert_failure(store_mail_next(store, &mail, &error), CULPRIT_NOT_FOUND);
    assert_failure(store_token_check(store, "cpt_x", &scopes, &error), CULPRIT_DENIED);
}

static void commits_keep_their_graph(void **state)
{
    CULPRIT_CLEANUP(store_close) struct store *store = open_store(*state);
    CULPRIT_CLEANUP(stored_commits_clear) struct stored_commits read = {0};
    char subject[] = "sched: it's \"quoted\"", author[] = "A <a@b>";
    unsigned first[] = {0}, merge[] = {1, 0};
    struct stored_commit items[] = {
        {.number = 0, .id = "aa", .subject = subject, .author = author, .author_time = 5},
        {.number = 1,
         .id = "bb",
         .subject = subject,
         .author = author,
         .parents = first,
         .parent_count = 1},
        {.number = 2,
         .id = "cc",
         .subject = subject,
         .author = author,
         .parents = merge,
         .parent_count = 2},
    };
    const struct stored_commits put = {
        .items = items, .count = 3, .good_is_merge_base = true, .good_asked = "dd"};
    int64_t job = add_job(store, NULL);

    assert_success(store_commits_get(store, job, &read, &error));
    assert_int_equal(read.count, 0);
    assert_success(store_commits_put(store, job, &put, &error));
    assert_success(store_commits_get(store, job, &read, &error));
    assert_int_equal(read.count, 3);
    assert_true(read.good_is_merge_base);
    assert_string_equal(read.good_asked, "dd");
    assert_string_equal(read.items[0].subject, subject);
    assert_int_equal(read.items[0].author_time, 5);
    assert_int_equal(read.items[0].parent_count, 0);
    assert_int_equal(read.items[2].parent_count, 2);
    assert_int_equal(read.items[2].parents[0], 1);
    assert_int_equal(read.items[2].parents[1], 0);
}

static int64_t add_build(struct store *store, enum outcome outcome, const char *image)
{
    char message[] = "why";
    struct stored_build build = {.recipe = "cafe", .outcome = outcome, .message = message};
    int64_t id = 0;

    strcpy(build.image, image);
    strcpy(build.inputs, image);
    assert_success(store_build_add(store, &build, &id, &error));
    return id;
}

/* Only what would come out again the same is found for another job. */
static void builds_are_found_by_recipe(void **state)
{
    CULPRIT_CLEANUP(store_close) struct store *store = open_store(*state);
    CULPRIT_CLEANUP(stored_build_clear) struct stored_build found = {0};
    CULPRIT_CLEANUP(stored_builds_clear) struct stored_builds builds = {0};
    int64_t job = add_job(store, NULL);

    int64_t infra = add_build(store, OUTCOME_INFRA_FAILED, "");
    assert_failure(store_build_find(store, "cafe", &found, &error), CULPRIT_NOT_FOUND);
    int64_t good = add_build(store, OUTCOME_OK, "beef");
    add_build(store, OUTCOME_TIMED_OUT, "");
    assert_success(store_build_find(store, "cafe", &found, &error));
    assert_int_equal(found.id, good);
    assert_string_equal(found.image, "beef");
    assert_string_equal(found.inputs, "beef");

    assert_success(store_build_use(store, job, 4, "", 0, infra, true, &error));
    assert_success(store_build_use(store, job, 4, "", 1, good, false, &error));
    assert_success(store_build_use(store, job, 4, "aligned", 1, good, false, &error));
    assert_failure(store_build_use(store, job, 4, "aligned", 1, good, false, &error),
                   CULPRIT_CONFLICT);
    assert_success(store_builds_get(store, job, &builds, &error));
    assert_int_equal(builds.count, 3);
    assert_string_equal(builds.items[1].variant, "");
    assert_string_equal(builds.items[2].variant, "aligned");
    assert_int_equal(builds.items[0].outcome, OUTCOME_INFRA_FAILED);
    assert_string_equal(builds.items[0].message, "why");
    assert_true(builds.items[0].fresh);
    assert_int_equal(builds.items[1].commit, 4);
    assert_int_equal(builds.items[1].attempt, 1);
    assert_false(builds.items[1].fresh);
}

static void what_need_not_be_built_is_kept_once(void **state)
{
    CULPRIT_CLEANUP(store_close) struct store *store = open_store(*state);
    CULPRIT_CLEANUP(stored_pruning_clear) struct stored_pruning read = {0}, none = {0};
    struct stored_pruned items[] = {{2, "documentation"}, {3, "not_compiled"}, {7, "empty"}};
    char note[] = "no list of inputs";
    struct stored_pruning put = {.items = items, .count = 3};
    int64_t job = add_job(store, NULL), other = add_job(store, NULL);

    assert_success(store_pruning_get(store, job, &read, &error));
    assert_false(read.known);
    assert_success(store_pruning_put(store, job, &put, &error));
    assert_failure(store_pruning_put(store, job, &put, &error), CULPRIT_CONFLICT);
    assert_success(store_pruning_get(store, job, &read, &error));
    assert_true(read.known);
    assert_string_equal(read.note, "");
    assert_int_equal(read.count, 3);
    assert_int_equal(read.items[1].commit, 3);
    assert_string_equal(read.items[1].reason, "not_compiled");

    assert_success(store_pruning_get(store, other, &none, &error));
    assert_false(none.known);
    put = (struct stored_pruning){.note = note};
    assert_success(store_pruning_put(store, other, &put, &error));
    assert_success(store_pruning_get(store, other, &none, &error));
    assert_true(none.known);
    assert_string_equal(none.note, note);
    assert_int_equal(none.count, 0);
    assert_failure(store_pruning_put(store, 99, &put, &error), CULPRIT_CONFLICT);
}

static void trials_carry_their_samples(void **state)
{
    CULPRIT_CLEANUP(store_close) struct store *store = open_store(*state);
    CULPRIT_CLEANUP(stored_trials_clear) struct stored_trials trials = {0};
    CULPRIT_CLEANUP(stored_samples_clear) struct stored_samples samples = {0};
    char purpose[] = "verify", message[] = "", name[] = "wakeup.latency.p99", unit[] = "us",
         better[] = "lower", evidence[] = "BUG: x";
    struct stored_sample sample = {
        .name = name, .unit = unit, .better = better, .index = 1, .value = 1.0 / 3};
    int64_t job = add_job(store, NULL);
    unsigned number = 0;

    for (unsigned i = 0; i < 3; i++) {
        struct stored_trial trial = {.commit = 2,
                                     .purpose = purpose,
                                     .index = i,
                                     .seed = INT32_MAX,
                                     .build = add_build(store, OUTCOME_OK, "beef"),
                                     .outcome = OUTCOME_OK,
                                     .message = message,
                                     .observed = i > 0,
                                     .failed = i > 1,
                                     .evidence = i > 1 ? evidence : NULL,
                                     .digest = "d1",
                                     .wall_ns = 5000000000};
        assert_success(store_trial_add(store, job, &trial, &sample, 1, &number, &error));
        assert_int_equal(number, i + 1);
        assert_failure(store_trial_add(store, job, &trial, &sample, 1, &number, &error),
                       CULPRIT_CONFLICT);
    }
    assert_success(store_trials_get(store, job, &trials, &error));
    assert_int_equal(trials.count, 3);
    assert_string_equal(trials.items[2].purpose, "verify");
    assert_int_equal(trials.items[2].seed, INT32_MAX);
    assert_string_equal(trials.items[2].identity, "{}");
    assert_false(trials.items[0].observed);
    assert_true(trials.items[1].observed && !trials.items[1].failed);
    assert_string_equal(trials.items[1].evidence, "");
    assert_true(trials.items[2].observed && trials.items[2].failed);
    assert_string_equal(trials.items[2].evidence, "BUG: x");
    assert_success(store_samples_get(store, job, 0, &samples, &error));
    assert_int_equal(samples.count, 3);
    assert_int_equal(samples.items[1].trial, 2);
    assert_true(samples.items[1].value == 1.0 / 3);
    stored_samples_clear(&samples);
    assert_success(store_samples_get(store, job, 2, &samples, &error));
    assert_int_equal(samples.count, 1);
}

static void leases_end_once(void **state)
{
    CULPRIT_CLEANUP(store_close) struct store *store = open_store(*state);
    struct lease lease = {.job = add_job(store, NULL), .kind = WORK_TRIAL, .commit = 3};
    unsigned count = 0;

    assert_success(store_lease_take(store, &lease, &error));
    int64_t first = lease.fence;
    assert_failure(store_lease_take(store, &lease, &error), CULPRIT_CONFLICT);
    assert_success(store_leases_void(store, &count, &error));
    assert_int_equal(count, 1);
    assert_failure(store_lease_end(store, first, &error), CULPRIT_CONFLICT);
    assert_success(store_lease_take(store, &lease, &error));
    assert_int_not_equal(lease.fence, first);
    assert_success(store_lease_end(store, lease.fence, &error));
    assert_failure(store_lease_end(store, lease.fence, &error), CULPRIT_CONFLICT);
}

static void events_are_numbered_by_job(void **state)
{
    CULPRIT_CLEANUP(store_close) struct store *store = open_store(*state);
    CULPRIT_CLEANUP(stored_events_clear) struct stored_events events = {0};
    int64_t one = add_job(store, NULL), two = add_job(store, NULL);

    for (int i = 0; i < 4; i++) {
        assert_success(store_event_add(store, one, "trial", "{}", &error));
        assert_success(store_event_add(store, two, "build", "{}", &error));
    }
    assert_success(store_events_get(store, two, 1, 2, &events, &error));
    assert_int_equal(events.count, 2);
    assert_int_equal(events.items[0].sequence, 2);
    assert_int_equal(events.items[1].sequence, 3);
    assert_string_equal(events.items[0].type, "build");
    stored_events_clear(&events);
    assert_success(store_events_get(store, two, UINT64_MAX, 2, &events, &error));
    assert_int_equal(events.count, 0);
}

static void the_outbox_gives_the_next(void **state)
{
    CULPRIT_CLEANUP(store_close) struct store *store = open_store(*state);
    CULPRIT_CLEANUP(stored_mail_clear) struct stored_mail mail = {0};
    _cleanup_strv_ struct strv to = {0};
    int64_t job = add_job(store, NULL);
    uint64_t waiting = 0;

    strv_append(&to, "a@example.org");
    strv_append(&to, "b@example.org");
    assert_success(store_mail_add(store, job, &to, "first", &error));
    assert_success(store_mail_add(store, job, &to, "second", &error));
    assert_success(store_mail_next(store, &mail, &error));
    assert_string_equal(mail.message, "first");
    assert_int_equal(mail.recipients.count, 2);
    assert_string_equal(mail.recipients.items[1], "b@example.org");
    assert_success(store_mail_update(store, mail.id, MAIL_WAITING, UINT64_MAX / 4, "away", &error));
    stored_mail_clear(&mail);
    assert_success(store_mail_next(store, &mail, &error));
    assert_string_equal(mail.message, "second");
    assert_success(store_mail_update(store, mail.id, MAIL_DELIVERED, 0, "", &error));
    stored_mail_clear(&mail);
    assert_success(store_mail_next(store, &mail, &error));
    assert_int_equal(mail.attempts, 1);
    assert_string_equal(mail.last_error, "away");
    assert_success(store_mail_waiting(store, &waiting, &error));
    assert_int_equal(waiting, 1);
    strv_append(&to, "evil@example.org\nc@example.org");
    assert_failure(store_mail_add(store, job, &to, "third", &error), CULPRIT_INVALID);
}

static void tokens_are_kept_as_digests(void **state)
{
    CULPRIT_CLEANUP(store_close) struct store *store = open_store(*state);
    _cleanup_free_ char *path = path_join(*state, "culprit.db");
    _cleanup_free_ char *wal = path_join(*state, "culprit.db-wal");
    char token[TOKEN_TEXT_SIZE], other[TOKEN_TEXT_SIZE];
    unsigned scopes = 0;

    assert_true(token_scopes_from_name("submit", &scopes));
    assert_success(store_token_add(store, "ci", scopes, token, &error));
    assert_failure(store_token_add(store, "ci", scopes, other, &error), CULPRIT_CONFLICT);
    scopes = 0;
    assert_success(store_token_check(store, token, &scopes, &error));
    assert_int_equal(scopes, TOKEN_READ | TOKEN_SUBMIT);
    const char *const files[] = {path, wal};
    for (size_t i = 0; i < 2; i++) {
        _cleanup_free_ char *bytes = NULL;
        size_t length = 0;
        assert_success(file_read(files[i], 1 << 24, &bytes, &length, &error));
        assert_null(memmem(bytes, length, token, strlen(token)));
    }
    assert_success(store_token_remove(store, "ci", &error));
    assert_failure(store_token_check(store, token, &scopes, &error), CULPRIT_DENIED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(jobs_change_state),
        scratch_test(job_keys_are_taken_once),
        scratch_test(jobs_are_listed_newest_first),
        scratch_test(what_is_not_there_is_said),
        scratch_test(commits_keep_their_graph),
        scratch_test(builds_are_found_by_recipe),
        scratch_test(what_need_not_be_built_is_kept_once),
        scratch_test(trials_carry_their_samples),
        scratch_test(leases_end_once),
        scratch_test(events_are_numbered_by_job),
        scratch_test(the_outbox_gives_the_next),
        scratch_test(tokens_are_kept_as_digests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
