/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The life of a job over HTTP: submitted, listed, watched, reported, run again, cancelled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "client.h"
#include "documents.h"
#include "server.h"

static struct server *server;

static int set_up(void **state)
{
    (void)state;
    server = server_start(&(struct server_options){0});
    return 0;
}

static int set_up_holding(void **state)
{
    (void)state;
    server = server_start(&(struct server_options){.hold = true});
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    server_stop(server);
    return 0;
}

static struct answer submit(const char *type, const char *key, const char *body)
{
    return ask(server_port(server),
               &(struct question){
                   .method = "POST", .path = "/api/v1/jobs", .headers = {type, key}, .body = body});
}

static json_int_t submit_run(void)
{
    _cleanup_answer_ struct answer answer = submit(YAML_TYPE, NULL, RUN_YAML);

    if (answer.status != 201)
        fail_msg("submitting gave %ld: %s", answer.status, answer.body.data);
    return answer_integer(&answer, "id");
}

static struct answer get_of(json_int_t id, const char *rest)
{
    char path[128];

    snprintf(path, sizeof path, "/api/v1/jobs/%" JSON_INTEGER_FORMAT "%s", id, rest);
    return get(server_port(server), path);
}

/* The event stream of a job ends when the job does. */
static void wait_for_end(json_int_t id)
{
    _cleanup_answer_ struct answer events = get_of(id, "/events");

    assert_int_equal(events.status, 200);
    assert_non_null(strstr(events.body.data, "event: end\n"));
}

static void test_submit_and_show(void **state)
{
    _cleanup_answer_ struct answer submitted = submit(YAML_TYPE, NULL, RUN_YAML);
    _cleanup_answer_ struct answer shown = {0}, document = {0};
    const json_t *metric;
    char location[64];

    (void)state;
    assert_int_equal(submitted.status, 201);
    snprintf(location, sizeof location, "/api/v1/jobs/%" JSON_INTEGER_FORMAT,
             answer_integer(&submitted, "id"));
    assert_string_equal(answer_header(&submitted, "Location"), location);
    assert_string_equal(answer_text(&submitted, "name"), "a-run");
    shown = get(server_port(server), location);
    assert_int_equal(shown.status, 200);
    assert_string_equal(answer_text(&shown, "kind"), "run");
    metric = json_object_get(json_object_get(shown.json, "document"), "metric");
    assert_string_equal(json_string_value(json_object_get(metric, "better")), "lower");
    document = get_of(answer_integer(&submitted, "id"), "/document");
    assert_string_equal(document.body.data, RUN_YAML);
}

static void test_submit_json(void **state)
{
    _cleanup_answer_ struct answer submitted = submit(
        "Content-Type: application/json; charset=UTF-8", NULL, RUN_JSON);

    (void)state;
    assert_int_equal(submitted.status, 201);
    assert_string_equal(answer_text(&submitted, "name"), "from-json");
}

static void test_idempotency(void **state)
{
    _cleanup_answer_ struct answer first = submit(YAML_TYPE, "Idempotency-Key: k-1", RUN_YAML);
    _cleanup_answer_ struct answer again = submit(YAML_TYPE, "Idempotency-Key: k-1", RUN_YAML);
    _cleanup_answer_ struct answer other = submit(YAML_TYPE, "Idempotency-Key: k-2", RUN_YAML);
    _cleanup_answer_ struct answer clash = submit(JSON_TYPE, "Idempotency-Key: k-1", RUN_JSON);

    (void)state;
    assert_int_equal(first.status, 201);
    assert_int_equal(again.status, 200);
    assert_int_equal(answer_integer(&first, "id"), answer_integer(&again, "id"));
    assert_int_equal(other.status, 201);
    assert_int_not_equal(answer_integer(&first, "id"), answer_integer(&other, "id"));
    assert_int_equal(clash.status, 409);
    assert_string_equal(answer_text(&clash, "code"), "conflict");
}

static void test_list_in_pages(void **state)
{
    char path[256] = "/api/v1/jobs?kind=run&limit=2";
    json_int_t last = INT64_MAX;
    size_t seen = 0;

    (void)state;
    for (int i = 0; i < 5; i++)
        submit_run();
    for (;;) {
        _cleanup_answer_ struct answer page = get(server_port(server), path);
        const json_t *jobs = json_object_get(page.json, "jobs");
        const char *next = json_string_value(json_object_get(page.json, "next"));
        const json_t *job;
        size_t i;

        assert_int_equal(page.status, 200);
        assert_true(json_array_size(jobs) <= 2);
        json_array_foreach (jobs, i, job) {
            json_int_t id = json_integer_value(json_object_get(job, "id"));

            assert_true(id < last);
            assert_null(json_object_get(job, "document"));
            last = id;
            seen++;
        }
        if (!next)
            break;
        snprintf(path, sizeof path, "/api/v1/jobs?kind=run&limit=2&cursor=%s", next);
    }
    assert_true(seen >= 5);
}

static void check_trials(json_int_t id)
{
    _cleanup_answer_ struct answer list = get_of(id, "/trials");
    _cleanup_answer_ struct answer one = get_of(id, "/trials/1");
    _cleanup_answer_ struct answer console = get_of(id, "/trials/1/console");
    _cleanup_answer_ struct answer none = get_of(id, "/trials/99");

    assert_int_equal(json_array_size(json_object_get(list.json, "trials")), 3);
    assert_int_equal(answer_integer(&one, "number"), 1);
    assert_string_equal(answer_text(&one, "outcome"), "ok");
    assert_int_equal(json_array_size(json_object_get(one.json, "metrics")), 1);
    assert_int_equal(console.status, 200);
    assert_string_equal(answer_header(&console, "Content-Type"), "text/plain; charset=utf-8");
    assert_non_null(memmem(console.body.data, console.body.length, "<b>hostile</b>\xff\n", 16));
    assert_int_equal(none.status, 404);
}

static void check_builds(json_int_t id)
{
    _cleanup_answer_ struct answer list = get_of(id, "/builds");
    const json_t *build = json_array_get(json_object_get(list.json, "builds"), 0);
    json_int_t number = json_integer_value(json_object_get(build, "build"));
    _cleanup_answer_ struct answer log = {0}, config = {0}, none = {0};
    char rest[64];

    snprintf(rest, sizeof rest, "/builds/%" JSON_INTEGER_FORMAT "/log", number);
    log = get_of(id, rest);
    assert_string_equal(log.body.data, "  CC kernel/sched/fair.o\n");
    snprintf(rest, sizeof rest, "/builds/%" JSON_INTEGER_FORMAT "/config", number);
    config = get_of(id, rest);
    assert_string_equal(config.body.data, "CONFIG_SMP=y\n");
    none = get_of(id, "/builds/999/log");
    assert_int_equal(none.status, 404);
}

static void check_reports(json_int_t id)
{
    static const struct {
        const char *path, *type;
        long status;
    } reports[] = {
        {"/report.txt", "text/plain; charset=utf-8", 200},
        {"/report.json", "application/json", 200},
        {"/mail", "message/rfc822", 200},
        {"/bisect-log", "application/problem+json", 409}, /* a run has none */
    };

    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        _cleanup_answer_ struct answer report = get_of(id, reports[i].path);

        if (report.status != reports[i].status ||
            strcmp(answer_header(&report, "Content-Type"), reports[i].type) != 0 ||
            report.body.length == 0)
            fail_msg("%s gave %ld %s: %s", reports[i].path, report.status,
                     answer_header(&report, "Content-Type"), report.body.data);
    }
}

static void test_results(void **state)
{
    json_int_t id = submit_run();
    _cleanup_answer_ struct answer job = {0};

    (void)state;
    wait_for_end(id);
    job = get_of(id, "");
    assert_string_equal(answer_text(&job, "state"), "done");
    assert_string_equal(answer_text(&job, "verdict"), "measured");
    check_trials(id);
    check_builds(id);
    check_reports(id);
}

static void test_rerun(void **state)
{
    json_int_t id = submit_run();
    _cleanup_answer_ struct answer again = {0};
    char path[64];

    (void)state;
    snprintf(path, sizeof path, "/api/v1/jobs/%" JSON_INTEGER_FORMAT "/rerun", id);
    again = ask(server_port(server), &(struct question){.method = "POST", .path = path});
    assert_int_equal(again.status, 201);
    assert_true(answer_integer(&again, "id") > id);
    assert_string_equal(answer_text(&again, "name"), "a-run");
}

static void test_cancel(void **state)
{
    json_int_t id = submit_run();
    _cleanup_answer_ struct answer report = get_of(id, "/report.txt");
    _cleanup_answer_ struct answer cancelled = {0}, job = {0}, again = {0};
    char path[64];

    (void)state;
    assert_int_equal(report.status, 409);
    snprintf(path, sizeof path, "/api/v1/jobs/%" JSON_INTEGER_FORMAT, id);
    cancelled = ask(server_port(server), &(struct question){.method = "DELETE", .path = path});
    assert_int_equal(cancelled.status, 202);
    wait_for_end(id);
    job = get_of(id, "");
    assert_string_equal(answer_text(&job, "state"), "cancelled");
    again = ask(server_port(server), &(struct question){.method = "DELETE", .path = path});
    assert_int_equal(again.status, 409);
}

/* More unfinished jobs than may wait: a client is told to come back, not that it sent too much. */
static void test_too_many_jobs(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        _cleanup_answer_ struct answer answer = submit(YAML_TYPE, NULL, RUN_YAML);

        if (answer.status == 201)
            continue;
        assert_int_equal(answer.status, 429);
        assert_string_equal(answer_text(&answer, "code"), "limit");
        assert_string_not_equal(answer_header(&answer, "Retry-After"), "");
        return;
    }
    fail_msg("forty jobs were taken in");
}

int main(void)
{
    const struct CMUnitTest running[] = {
        cmocka_unit_test(test_submit_and_show), cmocka_unit_test(test_submit_json),
        cmocka_unit_test(test_idempotency),     cmocka_unit_test(test_list_in_pages),
        cmocka_unit_test(test_results),         cmocka_unit_test(test_rerun),
    };
    const struct CMUnitTest holding[] = {
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_too_many_jobs),
    };
    int failed = cmocka_run_group_tests(running, set_up, tear_down);

    return cmocka_run_group_tests(holding, set_up_holding, tear_down) || failed;
}
