/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calibrations over HTTP: put in, found, replaced, removed, and refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "documents.h"
#include "drawn_calibration.h"
#include "server.h"

#define PATH "/api/v1/calibrations"

#define JOB(guest_)                                                          \
    "version: 1\n"                                                           \
    "name: a\n"                                                              \
    "kind: run\n"                                                            \
    "source: {repository: linux, commit: v6.1}\n"                            \
    "guest: {engine: deterministic, shift: 1, memory: 512MiB, " guest_ "}\n" \
    "workloads: [{wakeup: {runtime: 1s}}]\n"                                 \
    "metric: {name: wakeup.latency.p99}\n"

static const struct drawn_calibration drawn = {
    .job = JOB("topology: pair"), .unit = "us", .level = 1000, .spread = 40, .seed = 1};

static struct server *server;

static int set_up(void **state)
{
    (void)state;
    server = server_start(&(struct server_options){0});
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    server_stop(server);
    return 0;
}

static struct answer post(const char *body, const char *type)
{
    return ask(server_port(server),
               &(struct question){.method = "POST", .path = PATH, .headers = {type}, .body = body});
}

static struct answer post_drawn(const struct drawn_calibration *from)
{
    _cleanup_free_ char *body = drawn_calibration_document(from);

    return post(body, JSON_TYPE);
}

static struct answer of(const char *method, json_int_t id)
{
    char path[64];

    snprintf(path, sizeof path, PATH "/%" JSON_INTEGER_FORMAT, id);
    return ask(server_port(server), &(struct question){.method = method, .path = path});
}

static size_t listed(void)
{
    _cleanup_answer_ struct answer list = get(server_port(server), PATH);
    const json_t *items = json_object_get(list.json, "calibrations");

    assert_int_equal(list.status, 200);
    for (size_t i = 0; i < json_array_size(items); i++) {
        const json_t *item = json_array_get(items, i);

        assert_null(json_object_get(item, "values"));
        assert_true(json_is_object(json_object_get(item, "figures")));
    }
    return json_array_size(items);
}

static void test_put_and_shown(void **state)
{
    _cleanup_answer_ struct answer put = post_drawn(&drawn), shown = {0};
    json_int_t id = answer_integer(&put, "id");
    char location[64];

    (void)state;
    assert_int_equal(put.status, 201);
    snprintf(location, sizeof location, PATH "/%" JSON_INTEGER_FORMAT, id);
    assert_string_equal(answer_header(&put, "Location"), location);
    shown = of("GET", id);
    assert_int_equal(shown.status, 200);
    assert_int_equal(json_array_size(json_object_get(shown.json, "values")), 40);
    assert_string_not_equal(answer_text(&shown, "created"), "");
    assert_int_equal(listed(), 1);
}

/* Of the same setup and metric the newest counts; another setup stands beside it. */
static void test_replaced(void **state)
{
    struct drawn_calibration newer = drawn, other = drawn;
    _cleanup_answer_ struct answer first = post_drawn(&drawn), second = {0}, third = {0},
                                   gone = {0};

    (void)state;
    newer.seed = 2;
    other.job = JOB("topology: pair, cmdline: [nohz=off]");
    second = post_drawn(&newer);
    third = post_drawn(&other);
    assert_int_equal(second.status, 201);
    assert_int_equal(third.status, 201);
    assert_true(answer_integer(&second, "id") > answer_integer(&first, "id"));
    gone = of("GET", answer_integer(&first, "id"));
    assert_int_equal(gone.status, 404);
    assert_int_equal(listed(), 2);
}

/* What DELETE answers with can be put in again. */
static void test_removed(void **state)
{
    _cleanup_answer_ struct answer put = post_drawn(&drawn), removed = {0}, again = {0}, back = {0};
    size_t before = listed();

    (void)state;
    removed = of("DELETE", answer_integer(&put, "id"));
    assert_int_equal(removed.status, 200);
    assert_int_equal(listed(), before - 1);
    again = of("DELETE", answer_integer(&put, "id"));
    assert_int_equal(again.status, 404);
    back = post(removed.body.data, JSON_TYPE);
    assert_int_equal(back.status, 201);
    assert_int_equal(listed(), before);
}

static void expect_problem(const char *body, const char *type, long status, const char *code,
                           const char *key, const char *word)
{
    _cleanup_answer_ struct answer answer = post(body, type);

    if (answer.status != status || strcmp(answer_text(&answer, "code"), code) != 0 ||
        strcmp(answer_text(&answer, "key"), key) != 0 ||
        !strstr(answer_text(&answer, "detail"), word) ||
        strcmp(answer_header(&answer, "Content-Type"), "application/problem+json") != 0)
        fail_msg("%ld: %s", answer.status, answer.body.data);
}

static void test_refused(void **state)
{
    struct drawn_calibration unknown = drawn;
    _cleanup_free_ char *good = drawn_calibration_document(&drawn), *elsewhere = NULL;
    _cleanup_free_ char *large = NULL;
    size_t before = listed();

    (void)state;
    unknown.job = JOB("topology: nowhere");
    elsewhere = drawn_calibration_document(&unknown);
    large = malloc(CALIBRATION_DOCUMENT_MAXIMUM + 2);
    assert_non_null(large);
    memset(large, ' ', CALIBRATION_DOCUMENT_MAXIMUM + 1);
    large[CALIBRATION_DOCUMENT_MAXIMUM + 1] = '\0';
    expect_problem("{}", JSON_TYPE, 400, "invalid", "version", "missing");
    expect_problem("{\"version\": 1, \"values\": [NaN]}", JSON_TYPE, 400, "invalid", "", "JSON");
    expect_problem(elsewhere, JSON_TYPE, 400, "invalid", "guest.topology", "nowhere");
    expect_problem(large, JSON_TYPE, 413, "limit", "", "bytes");
    expect_problem(good, YAML_TYPE, 415, "invalid", "", "application/json");
    assert_int_equal(listed(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_put_and_shown),
        cmocka_unit_test(test_replaced),
        cmocka_unit_test(test_removed),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
