/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs by the command line against the real REST API, service and store. */
#include "scratch.h"

#include <string.h>

#include "base/path.h"
#include "command.h"
#include "documents.h"
#include "server.h"

struct fixture {
    struct server *server;
    void *directory;
    char *job; /* path of a good job file */
};

static char *write_job(const struct fixture *fixture, const char *name, const char *text)
{
    char *path = path_join(fixture->directory, name);
    struct culprit_error error = {0};

    assert_success(file_write_atomic(path, text, strlen(text), 0644, &error));
    return path;
}

static void start(struct fixture *fixture, const struct server_options *options)
{
    char address[64];

    assert_int_equal(scratch_setup(&fixture->directory), 0);
    setenv("XDG_CONFIG_HOME", fixture->directory, 1);
    unsetenv("CULPRIT_TOKEN");
    unsetenv("CULPRIT_TOKEN_FILE");
    fixture->server = server_start(options);
    snprintf(address, sizeof address, "http://127.0.0.1:%u", server_port(fixture->server));
    setenv("CULPRIT_SERVER", address, 1);
    fixture->job = write_job(fixture, "job.yaml", RUN_YAML);
}

static void stop(struct fixture *fixture)
{
    server_stop(fixture->server);
    scratch_teardown(&fixture->directory);
    free(fixture->job);
}

static struct command_run submit(const char *file, const char *options)
{
    _cleanup_free_ char *line = text_format("culprit submit %s %s", file, options);

    return command(line, NULL);
}

static void test_submit_and_wait(void **state)
{
    struct fixture fixture = {0};

    (void)state;
    start(&fixture, &(struct server_options){0});
    {
        _cleanup_run_ struct command_run waited = submit(fixture.job, "--wait");
        _cleanup_run_ struct command_run shown = command("culprit show 1", NULL);
        _cleanup_run_ struct command_run watched = command("culprit watch 1", NULL);
        _cleanup_run_ struct command_run listed = command("culprit list", NULL);
        _cleanup_run_ struct command_run none = command("culprit list --state failed", NULL);
        _cleanup_run_ struct command_run report = command("culprit report 1", NULL);

        assert_run(waited, 0, "job 1\n", "");
        assert_run(waited, 0, "trial 3", "");
        assert_run(waited, 0, "measuring; ", ""); /* each phase, though less than a minute passed */
        assert_run(waited, 0, "verdict    measured", "");
        assert_run(shown, 0, "wakeup.latency.p99", "");
        assert_run(watched, 0, "verdict    measured", "");
        assert_run(listed, 0, "a-run", "");
        assert_run(none, 0, "no jobs", "");
        assert_run(report, 0, "wakeup.latency.p99", "");
    }
    stop(&fixture);
}

/* Every line of --json output is a document of its own, and the last is the job. */
static void test_json(void **state)
{
    struct fixture fixture = {0};

    (void)state;
    start(&fixture, &(struct server_options){0});
    {
        _cleanup_run_ struct command_run waited = submit(fixture.job, "--wait --json");
        _cleanup_run_ struct command_run shown = command("culprit show 1 --json", NULL);
        _cleanup_run_ struct command_run report = command("culprit report 1 --json", NULL);
        json_t *last = NULL;
        json_t *job;
        char *rest = waited.out;
        unsigned lines = 0;

        assert_run(waited, 0, "", "");
        for (char *line; (line = strsep(&rest, "\n")) != NULL && *line; lines++) {
            json_decref(last);
            last = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
            if (!last)
                fail_msg("line %u is not JSON: %s", lines, line);
        }
        assert_true(lines > 3);
        assert_string_equal(json_string_value(json_object_get(last, "state")), "done");
        json_decref(last);
        job = json_loads(shown.out, 0, NULL);
        assert_int_equal(json_integer_value(json_object_get(job, "id")), 1);
        json_decref(job);
        job = json_loads(report.out, 0, NULL);
        assert_non_null(job);
        json_decref(job);
    }
    stop(&fixture);
}

/* The place in the file is told as compilers tell it. */
static void test_bad_job_files(void **state)
{
    static const struct {
        const char *text, *place, *words;
    } cases[] = {
        {"version: 1\nname: x\nkind: run\nsource: {repository: linux, commit: v6.1}\n"
         "guest: {topology: pear}\nworkloads: [{wakeup: {}}]\n",
         "job:5:", "pear"},
        {"version: 1\nnmae: x\n", "job:2:1: ", "nmae"},
        {"version: [1\n", "job:", ""},
    };
    struct fixture fixture = {0};

    (void)state;
    start(&fixture, &(struct server_options){0});
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        _cleanup_free_ char *path = write_job(&fixture, "job", cases[i].text);
        _cleanup_run_ struct command_run run = submit(path, "");

        assert_run(run, 4, "", cases[i].place);
        assert_run(run, 4, "", cases[i].words);
    }
    stop(&fixture);
}

static void test_cancel(void **state)
{
    struct fixture fixture = {0};

    (void)state;
    start(&fixture, &(struct server_options){.hold = true});
    {
        _cleanup_run_ struct command_run submitted = submit(fixture.job, "");
        _cleanup_run_ struct command_run early = command("culprit report 1", NULL);
        _cleanup_run_ struct command_run cancelled = command("culprit cancel 1", NULL);
        _cleanup_run_ struct command_run watched = command("culprit watch 1", NULL);
        _cleanup_run_ struct command_run again = command("culprit cancel 1", NULL);

        assert_run(submitted, 0, "job 1\n", "");
        assert_run(early, 3, "", "culprit: ");
        assert_run(cancelled, 0, "job 1 is being cancelled", "");
        assert_run(watched, 8, "", "culprit: job 1 was cancelled");
        assert_run(again, 3, "", "cannot cancel job 1");
    }
    stop(&fixture);
}

/* Stopping to watch leaves the job alone. */
static void test_stop_watching(void **state)
{
    struct fixture fixture = {0};
    struct cancel *cancel = NULL;
    struct culprit_error error = {0};

    (void)state;
    assert_success(cancel_new(&cancel, &error));
    start(&fixture, &(struct server_options){.hold = true});
    {
        _cleanup_run_ struct command_run submitted = submit(fixture.job, "");
        struct command_run watched = {0};

        cancel_request(cancel);
        watched = command("culprit watch 1", cancel);
        assert_int_equal(submitted.status, 0);
        assert_run(watched, 8, "", "culprit: ");
        command_run_cleanup(&watched);
    }
    stop(&fixture);
    cancel_free(cancel);
}

static void test_what_is_not_there(void **state)
{
    struct fixture fixture = {0};

    (void)state;
    start(&fixture, &(struct server_options){0});
    {
        _cleanup_run_ struct command_run show = command("culprit show 42", NULL);
        _cleanup_run_ struct command_run watch = command("culprit watch 42", NULL);
        _cleanup_run_ struct command_run console = command("culprit console 42 1", NULL);

        assert_run(show, 5, "", "42");
        assert_run(watch, 5, "", "42");
        assert_run(console, 5, "", "culprit: ");
    }
    stop(&fixture);
}

static void test_tokens(void **state)
{
    struct fixture fixture = {0};

    (void)state;
    start(&fixture, &(struct server_options){.tokens = true});
    {
        _cleanup_run_ struct command_run without = command("culprit list", NULL);
        struct command_run reading, writing, allowed;

        setenv("CULPRIT_TOKEN", server_token(fixture.server, "read"), 1);
        reading = command("culprit list", NULL);
        writing = submit(fixture.job, "");
        setenv("CULPRIT_TOKEN", server_token(fixture.server, "submit"), 1);
        allowed = submit(fixture.job, "");
        assert_run(without, 3, "", "culprit: ");
        assert_run(reading, 0, "no jobs", "");
        assert_run(writing, 3, "", "culprit: ");
        assert_run(allowed, 0, "job 1", "");
        command_run_cleanup(&reading);
        command_run_cleanup(&writing);
        command_run_cleanup(&allowed);
    }
    unsetenv("CULPRIT_TOKEN");
    stop(&fixture);
}

static void test_rerun(void **state)
{
    struct fixture fixture = {0};

    (void)state;
    start(&fixture, &(struct server_options){0});
    {
        _cleanup_run_ struct command_run first = submit(fixture.job, "--wait");
        _cleanup_run_ struct command_run again = command("culprit rerun 1 --wait", NULL);
        _cleanup_run_ struct command_run none = command("culprit rerun 42", NULL);

        assert_run(first, 0, "job 1\n", "");
        assert_run(again, 0, "job 2\n", "");
        assert_run(again, 0, "verdict    measured", "");
        assert_run(none, 5, "", "cannot run job 42 again");
    }
    stop(&fixture);
}

static void test_same_key_same_job(void **state)
{
    struct fixture fixture = {0};

    (void)state;
    start(&fixture, &(struct server_options){0});
    {
        _cleanup_run_ struct command_run first = submit(fixture.job, "--key a");
        _cleanup_run_ struct command_run again = submit(fixture.job, "--key a");
        _cleanup_run_ struct command_run other = submit(fixture.job, "--key b");

        assert_string_equal(first.out, "job 1\n");
        assert_string_equal(again.out, "job 1\n");
        assert_string_equal(other.out, "job 2\n");
    }
    stop(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_submit_and_wait), cmocka_unit_test(test_json),
        cmocka_unit_test(test_bad_job_files),   cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_stop_watching),   cmocka_unit_test(test_what_is_not_there),
        cmocka_unit_test(test_tokens),          cmocka_unit_test(test_same_key_same_job),
        cmocka_unit_test(test_rerun),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
