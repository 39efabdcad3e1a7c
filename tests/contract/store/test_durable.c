/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the rest of the service relies on, whatever keeps the facts: all or nothing, one daemon,
 * nothing lost to a kill, a full disk that is survived. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include <sqlite3.h>

#include "scratch.h"
#include "store/calibrations.h"
#include "store/events.h"
#include "store/facts.h"
#include "store/jobs.h"

static struct culprit_error error;

static int try_open(const char *directory, uint64_t maximum, struct store **ret)
{
    const struct store_options options = {
        .directory = directory, .clock = &clock_system, .maximum = maximum};
    return store_open(&options, ret, &error);
}

static struct store *open_store(const char *directory)
{
    struct store *store = NULL;

    assert_success(try_open(directory, 0, &store));
    return store;
}

static int add_job(struct store *store, int64_t *ret_id)
{
    char text[] = "x";
    const struct stored_job draft = {
        .name = text, .kind = text, .document = text, .normalised = text};
    return store_job_add(store, &draft, ret_id, &error);
}

static size_t count_events(struct store *store, int64_t job)
{
    CULPRIT_CLEANUP(stored_events_clear) struct stored_events events = {0};

    assert_success(store_events_get(store, job, 0, 1000000, &events, &error));
    return events.count;
}

static void a_transaction_is_all_or_nothing(void **state)
{
    CULPRIT_CLEANUP(store_close) struct store *store = open_store(*state);
    int64_t job = 0;

    assert_success(add_job(store, &job));
    for (int commit = 0; commit < 2; commit++) {
        CULPRIT_CLEANUP(store_rollback) struct store_transaction transaction = {0};
        assert_success(store_begin(store, &transaction, &error));
        assert_success(store_event_add(store, job, "a", "{}", &error));
        assert_success(store_job_set_state(store, job, JOB_RUNNING, "on", &error));
        if (commit)
            assert_success(store_commit(&transaction, &error));
        else
            store_rollback(&transaction);
        CULPRIT_CLEANUP(stored_job_clear) struct stored_job read = {0};
        assert_success(store_job_get(store, job, &read, &error));
        assert_int_equal(read.state, commit ? JOB_RUNNING : JOB_QUEUED);
        assert_int_equal(count_events(store, job), commit);
    }
}

/* Statements that are several by themselves do not end the transaction that they are part of. */
static void parts_nest_in_a_transaction(void **state)
{
    CULPRIT_CLEANUP(store_close) struct store *store = open_store(*state);
    CULPRIT_CLEANUP(store_rollback) struct store_transaction transaction = {0};
    CULPRIT_CLEANUP(stored_commits_clear) struct stored_commits read = {0};
    struct stored_commit commit = {.id = "aa"};
    const struct stored_commits commits = {.items = &commit, .count = 1};
    int64_t job = 0;

    assert_success(add_job(store, &job));
    assert_success(store_begin(store, &transaction, &error));
    assert_success(store_commits_put(store, job, &commits, &error));
    assert_failure(store_commits_put(store, job, &commits, &error), CULPRIT_CONFLICT);
    assert_success(store_event_add(store, job, "a", "{}", &error));
    store_rollback(&transaction);
    assert_success(store_commits_get(store, job, &read, &error));
    assert_int_equal(read.count, 0);
    assert_int_equal(count_events(store, job), 0);
}

static void a_store_has_one_daemon(void **state)
{
    CULPRIT_CLEANUP(store_close) struct store *store = open_store(*state);
    int status;

    pid_t child = fork();
    if (child == 0) {
        struct store *second = NULL;
        int result = try_open(*state, 0, &second);
        _exit(result == -CULPRIT_CONFLICT && strstr(error.message, "in use by another") ? 0 : 1);
    }
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    store_close(store);
    store = open_store(*state);
}

/* A child commits events and says so; it is killed in the middle of things: every one that it had
 * said is there, and the events have no gap. */
static void a_kill_loses_nothing(void **state)
{
    for (unsigned round = 0; round < 5; round++) {
        int ends[2], status;
        uint64_t said = 0;
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0) {
            struct store *store = open_store(*state);
            int64_t job = 1;
            if (round == 0 && add_job(store, &job) < 0)
                _exit(1);
            for (uint64_t i = 1;; i++) {
                if (store_event_add(store, job, "a", "{}", NULL) < 0 ||
                    write(ends[1], &i, sizeof i) != sizeof i)
                    _exit(1);
            }
        }
        close(ends[1]);
        while (said < 20 + round * 7)
            assert_int_equal(read(ends[0], &said, sizeof said), sizeof said);
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        close(ends[0]);
    }
    CULPRIT_CLEANUP(store_close) struct store *store = open_store(*state);
    CULPRIT_CLEANUP(stored_events_clear) struct stored_events events = {0};
    assert_success(store_events_get(store, 1, 0, 1000000, &events, &error));
    assert_true(events.count >= 20 + 27 + 34 + 41 + 48);
    for (size_t i = 0; i < events.count; i++)
        assert_int_equal(events.items[i].sequence, i + 1);
}

static void a_full_store_is_survived(void **state)
{
    CULPRIT_CLEANUP(store_close) struct store *store = NULL;
    static char text[4096];
    int64_t job = 0, other = 0;
    int status;

    memset(text, 'x', sizeof text - 1);
    assert_success(try_open(*state, 256 * 1024, &store));
    assert_success(add_job(store, &job));
    while ((status = store_event_add(store, job, "a", text, &error)) == 0)
        ;
    assert_failure(status, CULPRIT_NO_SPACE);
    assert_contains(error.message, "full");
    size_t count = count_events(store, job);
    assert_true(count > 5);

    /* Also within a transaction, which SQLite may have ended by itself. */
    for (int i = 0; i < 2; i++) {
        CULPRIT_CLEANUP(store_rollback) struct store_transaction transaction = {0};
        assert_success(store_begin(store, &transaction, &error));
        assert_failure(store_event_add(store, job, "a", text, &error), CULPRIT_NO_SPACE);
    }
    store_close(store);
    store = open_store(*state);
    assert_int_equal(count_events(store, job), count);
    assert_success(add_job(store, &other));
    assert_success(store_event_add(store, job, "a", text, &error));
}

static void change_version(const char *directory, const char *pragma)
{
    _cleanup_free_ char *path = path_join(directory, "culprit.db");
    sqlite3 *database = NULL;

    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, pragma, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
}

static void versions_are_checked(void **state)
{
    struct store *store = open_store(*state);

    store_close(store);
    change_version(*state, "PRAGMA user_version = 1000");
    assert_failure(try_open(*state, 0, &store), CULPRIT_UNSUPPORTED);
    assert_contains(error.message, "newer");
    change_version(*state, "PRAGMA user_version = 1; PRAGMA application_id = 7");
    assert_failure(try_open(*state, 0, &store), CULPRIT_INVALID);
    change_version(*state, "PRAGMA user_version = 5; PRAGMA application_id = 1668050034");
    assert_success(try_open(*state, 0, &store));
    store_close(store);
}

/* From the newest version back to each before it. */
static const char from_5_to_4[] =
    "CREATE TABLE old (job INTEGER, commit_number INTEGER, attempt INTEGER, build INTEGER,"
    " fresh INTEGER) STRICT;"
    "INSERT INTO old (rowid, job, commit_number, attempt, build, fresh)"
    " SELECT rowid, job, commit_number, attempt, build, fresh FROM job_builds;"
    "DROP TABLE job_builds; ALTER TABLE old RENAME TO job_builds;"
    "ALTER TABLE jobs DROP COLUMN second_shift; PRAGMA user_version = 4";
static const char from_4_to_3[] = "ALTER TABLE trials DROP COLUMN event;"
                                  "ALTER TABLE trials DROP COLUMN evidence;"
                                  "PRAGMA user_version = 3";
static const char from_3_to_2[] =
    "DROP TABLE calibrations; ALTER TABLE jobs DROP COLUMN calibration;"
    "PRAGMA user_version = 2";
static const char from_2_to_1[] = "DROP TABLE pruned; ALTER TABLE jobs DROP COLUMN pruning;"
                                  "ALTER TABLE builds DROP COLUMN inputs; PRAGMA user_version = 1";

/* What later versions brought is taken away again; the facts of version 1 are all there afterwards.
 */
static void an_older_store_is_brought_up(void **state)
{
    CULPRIT_CLEANUP(stored_build_clear) struct stored_build found = {0};
    CULPRIT_CLEANUP(stored_pruning_clear) struct stored_pruning pruning = {0};
    CULPRIT_CLEANUP(stored_builds_clear) struct stored_builds used = {0};
    CULPRIT_CLEANUP(stored_job_clear) struct stored_job record = {0};
    struct stored_build build = {.recipe = "cafe", .image = "beef", .outcome = OUTCOME_OK};
    struct store *store = open_store(*state);
    int64_t job = 0, id = 0;

    assert_success(add_job(store, &job));
    assert_success(store_build_add(store, &build, &id, &error));
    assert_success(store_build_use(store, job, 3, "", 0, id, true, &error));
    assert_success(store_build_use(store, job, 1, "", 0, id, false, &error));
    store_close(store);
    change_version(*state, from_5_to_4);
    change_version(*state, from_4_to_3);
    change_version(*state, from_3_to_2);
    change_version(*state, from_2_to_1);
    store = open_store(*state);
    assert_success(store_build_find(store, "cafe", &found, &error));
    assert_string_equal(found.image, "beef");
    assert_string_equal(found.inputs, "");
    assert_success(store_pruning_get(store, job, &pruning, &error));
    assert_false(pruning.known);
    assert_success(store_builds_get(store, job, &used, &error));
    assert_int_equal(used.count, 2);
    assert_int_equal(used.items[0].commit, 3);
    assert_string_equal(used.items[0].variant, "");
    assert_int_equal(used.items[1].commit, 1);
    assert_success(store_job_get(store, job, &record, &error));
    assert_int_equal(record.second_shift, -1);
    assert_success(store_build_use(store, job, 3, "aligned", 0, id, true, &error));
    assert_failure(store_build_use(store, job, 3, "", 0, id, true, &error), CULPRIT_CONFLICT);
    store_close(store);
}

/* A job from before calibrations: nobody has looked for one, and now somebody can. */
static void version_3_brings_calibrations(void **state)
{
    CULPRIT_CLEANUP(stored_calibrations_clear) struct stored_calibrations list = {0};
    char metric[] = "wakeup.latency.p99", document[] = "{}";
    const struct stored_calibration draft = {.metric = metric, .document = document};
    struct store *store = open_store(*state);
    _cleanup_free_ char *kept = NULL;
    int64_t job = 0, id = 0;
    bool known = true;

    assert_success(add_job(store, &job));
    assert_success(store_job_calibration_set(store, job, "lost on the way back", &error));
    store_close(store);
    change_version(*state, from_5_to_4);
    change_version(*state, from_4_to_3);
    change_version(*state, from_3_to_2);
    store = open_store(*state);
    assert_success(store_job_calibration_get(store, job, &known, &kept, &error));
    assert_false(known);
    assert_null(kept);
    assert_success(store_calibrations_list(store, &list, &error));
    assert_int_equal(list.count, 0);
    assert_success(store_calibration_put(store, &draft, &id, &error));
    assert_success(store_calibrations_list(store, &list, &error));
    assert_int_equal(list.count, 1);
    store_close(store);
}

static void what_is_no_database_is_said(void **state)
{
    _cleanup_free_ char *path = path_join(*state, "culprit.db");
    static char rubbish[8192];
    struct store *store = NULL;

    memset(rubbish, 'r', sizeof rubbish);
    assert_success(file_write_atomic(path, rubbish, sizeof rubbish, 0600, &error));
    assert_failure(try_open(*state, 0, &store), CULPRIT_IO);
    assert_contains(error.message, "culprit.db");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(a_transaction_is_all_or_nothing),
        scratch_test(parts_nest_in_a_transaction),
        scratch_test(a_store_has_one_daemon),
        scratch_test(a_kill_loses_nothing),
        scratch_test(version_3_brings_calibrations),
        scratch_test(a_full_store_is_survived),
        scratch_test(versions_are_checked),
        scratch_test(an_older_store_is_brought_up),
        scratch_test(what_is_no_database_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
