/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * culpritd with real guests on a kernel that is built already: $CULPRIT_TEST_KERNEL, a bzImage of
 * kernels/fragments. It is put into the store as the build of a commit, so that the daemon finds it
 * there; all else is as in service: git, REST, libvirt, guests, the store, a kill in the middle.
 */
#include <dirent.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/paths.h"
#include "base/process.h"
#include "daemon.h"
#include "sched/real_work.h"
#include "scratch.h"
#include "store/blobs.h"
#include "store/facts.h"

static struct culprit_error error;

enum { TRIALS = 4 };

static const char document[] =
    "version: 1\n"
    "name: kept-kernel\n"
    "kind: run\n"
    "source: {repository: history, commit: main}\n"
    "guest: {topology: pair, engine: deterministic}\n"
    "workloads:\n"
    "  - wakeup: {message_threads: 1, workers: 2, runtime: 1s, think: 5ms, sleep: 1ms}\n"
    "metric: {name: wakeup.latency.p99}\n"
    "trials: 4\n";

static void run_git(const char *directory, const char *const *words)
{
    _cleanup_strv_ struct strv argv = {0};
    static const char *const prefix[] = {
        "git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-C"};
    _cleanup_free_ char *output = NULL;

    for (size_t i = 0; i < sizeof prefix / sizeof prefix[0]; i++)
        strv_append(&argv, prefix[i]);
    strv_append(&argv, directory);
    for (; *words; words++)
        strv_append(&argv, *words);
    assert_success(process_capture(&argv, NULL, 65536, &output, &error));
}

static void make_repository(const char *directory)
{
    static const char *const init[] = {"init", "-q", "-b", "main", NULL};
    static const char *const commit[] = {"commit",        "-q", "--allow-empty", "-m",
                                         "sched: a tick", NULL};

    assert_success(file_make_directories(directory, 0755, &error));
    run_git(directory, init);
    run_git(directory, commit);
}

static void name_recipe(const char *scratch, const char *repository, char ret[DIGEST_HEX_SIZE])
{
    CULPRIT_CLEANUP(builder_free) struct builder *builder = NULL;
    CULPRIT_CLEANUP(catalogue_free) struct catalogue *catalogue = NULL;
    CULPRIT_CLEANUP(real_work_free) struct work *work = NULL;
    CULPRIT_CLEANUP(job_free) struct job *job = NULL;
    _cleanup_free_ char *cache = path_join(scratch, "cache");
    _cleanup_free_ char *topologies = paths_topologies();
    _cleanup_free_ char *fragments = paths_fragments();
    _cleanup_free_ char *images = paths_images();
    const struct builder_options builder_options = {.cache_directory = cache, .compiler = "gcc"};
    const struct catalogue_directories directories = {topologies, fragments, images};
    struct commit_range range = {0};

    assert_success(builder_new(&builder_options, &builder, &error));
    assert_success(catalogue_new(&directories, &catalogue, &error));
    assert_success(catalogue_add_repository(catalogue, "history", repository, &error));
    const struct real_work_options options = {
        .catalogue = catalogue, .builder = builder, .cache_directory = cache};
    assert_success(real_work_new(&options, &work, &error));
    assert_success(
        job_decode(document, strlen(document), catalogue_environment(catalogue), &job, &error));
    assert_success(work->ops->resolve(work, job, NULL, &range, &error));
    assert_int_equal(range.count, 1);
    assert_string_equal(range.commits[0].subject, "sched: a tick");
    const struct work_variant plain = {0};
    assert_success(work->ops->identify(work, job, range.commits[0].id, &plain, ret, &error));
    commit_range_clear(&range);
}

static void keep_kernel(const char *scratch, const char *recipe)
{
    CULPRIT_CLEANUP(store_close) struct store *store = NULL;
    CULPRIT_CLEANUP(blobs_close) struct blobs *blobs = NULL;
    _cleanup_free_ char *state = path_join(scratch, "state");
    _cleanup_free_ char *directory = path_join(state, "blobs");
    const struct store_options options = {.directory = state, .clock = &clock_system};
    struct stored_build build = {.outcome = OUTCOME_OK};
    int64_t id = 0;

    assert_success(store_open(&options, &store, &error));
    assert_success(blobs_open(directory, &blobs, &error));
    assert_success(blobs_put(blobs, getenv("CULPRIT_TEST_KERNEL"), false, build.image, &error));
    memcpy(build.recipe, recipe, sizeof build.recipe);
    assert_success(store_build_add(store, &build, &id, &error));
}

/* Guests that were started from this state directory. */
static unsigned count_guests(const char *scratch)
{
    DIR *processes = opendir("/proc");
    unsigned count = 0;

    assert_non_null(processes);
    for (struct dirent *item; (item = readdir(processes));) {
        _cleanup_free_ char *path = text_format("/proc/%s/cmdline", item->d_name);
        _cleanup_free_ char *words = NULL;
        size_t length = 0;
        if (file_read(path, 1 << 20, &words, &length, NULL) == 0 &&
            memmem(words, length, "qemu", 4) && memmem(words, length, scratch, strlen(scratch)))
            count++;
    }
    closedir(processes);
    return count;
}

static json_t *ask(const struct daemon *daemon, const char *path)
{
    static char body[256 * 1024];

    assert_int_equal(daemon_ask(daemon, path, NULL, body, sizeof body), 200);
    json_t *json = json_loads(body, 0, NULL);
    assert_non_null(json);
    return json;
}

/* The digests of a job's trials by their seeds. */
static json_t *digests(const struct daemon *daemon, int job)
{
    _cleanup_free_ char *path = text_format("/api/v1/jobs/%d/trials", job);
    json_t *answer = ask(daemon, path), *by_seed = json_object(), *trial;
    size_t index;

    json_array_foreach (json_object_get(answer, "trials"), index, trial) {
        char seed[32];
        snprintf(seed, sizeof seed, "%lld",
                 (long long)json_integer_value(json_object_get(trial, "seed")));
        if (strcmp(json_string_value(json_object_get(trial, "outcome")), "ok") != 0)
            fail_msg("a trial ends with %s", json_string_value(json_object_get(trial, "message")));
        json_object_set(by_seed, seed, json_object_get(trial, "digest"));
    }
    json_decref(answer);
    assert_int_equal(json_object_size(by_seed), TRIALS);
    return by_seed;
}

static void prepare(const char *scratch, char **ret_config)
{
    _cleanup_free_ char *repository = path_join(scratch, "history");
    _cleanup_free_ char *repositories = text_format("history: %s", repository);
    char recipe[DIGEST_HEX_SIZE];

    make_repository(repository);
    name_recipe(scratch, repository, recipe);
    keep_kernel(scratch, recipe);
    *ret_config = daemon_configure(scratch, repositories, "guests: {slots: 2, owner: e2e}\n");
}

/* A daemon whose first job has its first trial behind it and others running. */
static void start_job(const char *scratch, struct daemon *daemon, char **ret_config)
{
    static char answer[65536];

    prepare(scratch, ret_config);
    daemon_start(daemon, *ret_config, NULL);
    daemon_expect_ready(daemon);
    assert_int_equal(daemon_ask(daemon, "/api/v1/jobs", document, answer, sizeof answer), 201);
    daemon_watch(daemon, 1, "event: trial");
}

/* Killed with guests running, the daemon comes back, removes them, goes on, and the trials it does
 * again give what they would have given: a second job shows it, digest by digest. */
static void a_killed_daemon_goes_on(void **state)
{
    _cleanup_free_ char *config = NULL;
    static char answer[65536];
    struct daemon daemon;

    if (!getenv("CULPRIT_TEST_KERNEL"))
        skip();
    start_job(*state, &daemon, &config);
    assert_int_equal(daemon_finish(&daemon, SIGKILL), -SIGKILL);

    daemon_start(&daemon, config, NULL);
    daemon_expect_ready(&daemon);
    daemon_watch(&daemon, 1, "\"measured\"");
    assert_int_equal(daemon_ask(&daemon, "/api/v1/jobs/1/rerun", "", answer, sizeof answer), 201);
    daemon_watch(&daemon, 2, "\"measured\"");
    json_t *first = digests(&daemon, 1), *second = digests(&daemon, 2);
    assert_true(json_equal(first, second));
    json_decref(first);
    json_decref(second);
    assert_int_equal(daemon_ask(&daemon, "/api/v1/jobs/1/report.txt", NULL, answer, sizeof answer),
                     200);
    assert_contains(answer, "wakeup.latency.p99");
    assert_contains(answer, "culprit submit --wait -");
    assert_int_equal(
        daemon_ask(&daemon, "/api/v1/jobs/2/trials/1/console", NULL, answer, sizeof answer), 200);
    assert_contains(answer, "Linux version");
    daemon_expect_end(&daemon);
    assert_int_equal(count_guests(*state), 0);
}

/* SIGTERM in the middle, likewise a cancellation, leaves no guest behind. */
static void stopping_ends_guests(void **state)
{
    _cleanup_free_ char *config = NULL;
    struct daemon daemon;

    if (!getenv("CULPRIT_TEST_KERNEL"))
        skip();
    start_job(*state, &daemon, &config);
    daemon_expect_end(&daemon);
    assert_int_equal(count_guests(*state), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(a_killed_daemon_goes_on),
        scratch_test(stopping_ends_guests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
