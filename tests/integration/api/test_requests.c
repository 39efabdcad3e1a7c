/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is refused and how: paths, methods, media types, sizes, parameters, documents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/openapi.h"
#include "api/routes.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "client.h"
#include "documents.h"
#include "server.h"

/* The time for a request where the test is about its end; elsewhere a busy host may need more. */
#define HASTE_NS UINT64_C(500000000)

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

struct refusal {
    struct question question;
    long status;
    const char *code;
    const char *detail;
    const char *header, *value; /* NULL: none in particular */
};

static const struct refusal refusals[] = {
    {{.path = "/"}, 404, "not_found", "nothing at /", NULL, NULL},
    {{.path = "/api/v1/jobs/../../../etc/passwd"}, 404, "not_found", "nothing at", NULL, NULL},
    {{.path = "/api/v1/jobs/%2e%2e%2fhealthz"}, 404, "not_found", "nothing at", NULL, NULL},
    /* Not what stands before the NUL, though that is there. */
    {{.path = "/api/v1/healthz%00"}, 404, "not_found", "nothing at /api/v1/healthz%00", NULL, NULL},
    {{.path = "/api/v1/healthz%00x"}, 404, "not_found", "healthz%00x", NULL, NULL},
    {{.path = "/api/v1/jobs?limit=1%00"}, 400, "invalid", "limit", NULL, NULL},
    {{.path = "/api/v1/jobs/99"}, 404, "not_found", "99", NULL, NULL},
    {{.path = "/api/v1/jobs/99/trials/4294967297"}, 404, "not_found", "99", NULL, NULL},
    {{.path = "/api/v1/jobs/99/events"}, 404, "not_found", "99", NULL, NULL},
    {{.method = "DELETE", .path = "/api/v1/jobs/99"}, 404, "not_found", "99", NULL, NULL},
    {{.method = "POST", .path = "/api/v1/jobs/99/rerun"}, 404, "not_found", "99", NULL, NULL},
    {{.method = "PUT", .path = "/api/v1/jobs"},
     405,
     "invalid",
     "PUT is not possible",
     "Allow",
     "GET, HEAD, POST"},
    {{.method = "OPTIONS", .path = "/api/v1/jobs/1"},
     405,
     "invalid",
     "OPTIONS is not possible",
     "Allow",
     "GET, HEAD, DELETE"},
    {{.path = "/api/v1/jobs", .headers = {"Accept: text/html"}},
     406,
     "invalid",
     "gives application/json",
     NULL,
     NULL},
    {{.path = "/api/v1/jobs?state=running&limt=3"},
     400,
     "invalid",
     "unknown parameter \"limt\"",
     NULL,
     NULL},
    {{.path = "/api/v1/jobs?limit=3&limit=4"}, 400, "invalid", "given twice", NULL, NULL},
    {{.path = "/api/v1/jobs?limit="}, 400, "invalid", "has no value", NULL, NULL},
    {{.path = "/api/v1/jobs?limit=0"}, 400, "invalid", "\"limit\"", NULL, NULL},
    {{.path = "/api/v1/jobs?limit=1001"}, 400, "invalid", "from 1 to 1000", NULL, NULL},
    {{.path = "/api/v1/jobs?limit=1e1"}, 400, "invalid", "1e1", NULL, NULL},
    {{.path = "/api/v1/jobs?state=runing"}, 400, "invalid", "", NULL, NULL},
    {{.path = "/api/v1/jobs?cursor=nonsense"}, 400, "invalid", "", NULL, NULL},
    {{.method = "POST", .path = "/api/v1/jobs", .body = RUN_YAML},
     415,
     "invalid",
     "application/x-www-form-urlencoded",
     NULL,
     NULL},
    {{.method = "POST", .path = "/api/v1/jobs", .headers = {"Content-Type:"}, .body = RUN_YAML},
     415,
     "invalid",
     "Content-Type is \"\"",
     NULL,
     NULL},
    {{.method = "POST",
      .path = "/api/v1/jobs",
      .headers = {YAML_TYPE, "Idempotency-Key: a b"},
      .body = RUN_YAML},
     400,
     "invalid",
     "Idempotency-Key",
     NULL,
     NULL},
    {{.method = "POST", .path = "/api/v1/jobs?x=1", .headers = {YAML_TYPE}, .body = RUN_YAML},
     400,
     "invalid",
     "this route takes none",
     NULL,
     NULL},
    {{.method = "POST", .path = "/api/v1/jobs", .headers = {YAML_TYPE}, .body = ""},
     400,
     "invalid",
     "empty",
     NULL,
     NULL},
};

/* A path for a route: with a number in each place for one. */
static char *path_of(const struct route *route)
{
    char *path = strdup(route->path);

    assert_non_null(path);
    for (char *open; (open = strchr(path, '{')) != NULL;) {
        const char *close = strchr(open, '}');

        *open = '1';
        memmove(open + 1, close + 1, strlen(close));
    }
    return path;
}

static void assert_problem(const struct answer *answer, long status, const char *what)
{
    if (answer->status != status ||
        strcmp(answer_header(answer, "Content-Type"), "application/problem+json") != 0)
        fail_msg("%s gave %ld, not %ld: %s", what, answer->status, status,
                 answer->body.data ? answer->body.data : "");
}

static void test_no_route_takes_what_it_does_not_know(void **state)
{
    (void)state;
    for (size_t i = 0; i < api_route_count; i++) {
        _cleanup_free_ char *path = path_of(&api_routes[i]);
        _cleanup_free_ char *misspelt = text_format("%s?colour=red", path);
        _cleanup_answer_ struct answer argument = ask(
            server_port(server), &(struct question){.method = api_routes[i].method,
                                                    .path = misspelt,
                                                    .headers = {JSON_TYPE},
                                                    .body = api_routes[i].accepts ? "" : NULL});
        _cleanup_answer_ struct answer method = ask(
            server_port(server), &(struct question){.method = "PATCH", .path = path});

        assert_problem(&argument, 400, misspelt);
        assert_non_null(strstr(answer_text(&argument, "detail"), "unknown parameter \"colour\""));
        assert_problem(&method, 405, path);
        assert_non_null(strstr(answer_header(&method, "Allow"), api_routes[i].method));
    }
}

static void test_overlong_paths(void **state)
{
    char whole[4096] = "/api/v1/jobs?state=";
    _cleanup_answer_ struct answer problem = {0}, argument = {0};
    _cleanup_free_ char *long_path = malloc(8192);

    (void)state;
    assert_non_null(long_path);
    memset(long_path, 'x', 8192);
    memcpy(long_path, "/api/v1/", 8);
    long_path[8191] = '\0';
    problem = get(server_port(server), long_path);
    assert_problem(&problem, 414, "an overlong path");
    memset(whole + strlen(whole), 'x', sizeof whole - strlen(whole) - 1);
    whole[sizeof whole - 1] = '\0';
    argument = get(server_port(server), whole);
    assert_problem(&argument, 400, "an overlong parameter");
}

/* From 1.0 on libmicrohttpd refuses a length beside an encoding itself, in words of its own. */
static bool refused(const char *answer, const char *detail)
{
    return (strstr(answer, "application/problem+json") && strstr(answer, detail)) ||
           strstr(answer, "both Transfer-Encoding and Content-Length");
}

/* Requests that two readers could read in two ways: refused, and the connection is closed. */
static void test_ambiguous_requests(void **state)
{
    static const struct {
        const char *request;
        const char *status, *detail;
    } cases[] = {
        {"GET /api/v1/healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n"
         "Content-Length: 2\r\n\r\nab",
         "HTTP/1.1 400 ", "Content-Length is given twice"},
        {"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
         "content-length: 2\r\n\r\nab",
         "HTTP/1.1 400 ", "Content-Length is given twice"},
        {"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n"
         "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
         "HTTP/1.1 400 ", "exclude each other"},
        {"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n",
         "HTTP/1.1 501 ", "chunked"},
        {"GET /api/v1/healthz HTTP/1.1\r\nHost: localhost\r\nHost: elsewhere\r\n"
         "Connection: close\r\n\r\n",
         "HTTP/1.1 400 ", "Host is given twice"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        _cleanup_buffer_ struct buffer heard = BUFFER_INIT(1 << 16);
        _cleanup_close_ int fd = client_connect(server_port(server));
        size_t length = strlen(cases[i].request);

        assert_int_equal(write(fd, cases[i].request, length), length);
        client_read_until(fd, &heard, "never said");
        if (!heard.data || strncmp(heard.data, cases[i].status, strlen(cases[i].status)) != 0 ||
            !refused(heard.data, cases[i].detail))
            fail_msg("<%s> gave %s", cases[i].request, heard.data ? heard.data : "nothing");
        if (strstr(heard.data + 1, "HTTP/1.1 "))
            fail_msg("<%s> gave two answers: %s", cases[i].request, heard.data);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct refusal *refusal = &refusals[i];
        _cleanup_answer_ struct answer answer = ask(server_port(server), &refusal->question);

        if (answer.status != refusal->status ||
            strcmp(answer_header(&answer, "Content-Type"), "application/problem+json") != 0 ||
            answer_integer(&answer, "status") != refusal->status ||
            strcmp(answer_text(&answer, "code"), refusal->code) != 0 ||
            !strstr(answer_text(&answer, "detail"), refusal->detail))
            fail_msg("%s gave %ld: %s", refusal->question.path, answer.status, answer.body.data);
        if (refusal->header)
            assert_string_equal(answer_header(&answer, refusal->header), refusal->value);
    }
}

static void test_document_error_has_its_place(void **state)
{
    _cleanup_answer_ struct answer answer = ask(
        server_port(server), &(struct question){.method = "POST",
                                                .path = "/api/v1/jobs",
                                                .headers = {YAML_TYPE},
                                                .body = "version: 1\nname: x\nkind: bisekt\n"});
    const json_t *allowed = json_object_get(answer.json, "allowed");

    (void)state;
    assert_int_equal(answer.status, 400);
    assert_string_equal(answer_text(&answer, "type"), "about:blank");
    assert_string_equal(answer_text(&answer, "title"), "Bad Request");
    assert_string_equal(answer_text(&answer, "key"), "kind");
    assert_int_equal(answer_integer(&answer, "line"), 3);
    assert_int_equal(answer_integer(&answer, "column"), 7);
    assert_non_null(strstr(answer_text(&answer, "detail"), "did you mean \"bisect\"?"));
    assert_int_equal(json_array_size(allowed), 2);
    assert_string_equal(json_string_value(json_array_get(allowed, 1)), "bisect");
}

static void test_server_knowledge_is_checked(void **state)
{
    static const char text[] = "version: 1\nname: x\nkind: run\n"
                               "source: {repository: linus, commit: v6.1}\n"
                               "guest: {topology: pair}\n"
                               "workloads: [{wakeup: {}}]\n";
    _cleanup_answer_ struct answer answer = ask(
        server_port(server),
        &(struct question){
            .method = "POST", .path = "/api/v1/jobs", .headers = {YAML_TYPE}, .body = text});

    (void)state;
    assert_int_equal(answer.status, 400);
    assert_string_equal(answer_text(&answer, "key"), "source.repository");
    assert_non_null(strstr(answer_text(&answer, "detail"), "did you mean \"linux\"?"));
}

/* Sizes around the limit, with the length announced and without, and far beyond it. */
static void test_sizes(void **state)
{
    static const struct {
        size_t length;
        const char *encoding;
        long status;
    } cases[] = {
        {1048576, "X-None: x", 400}, /* read, and found to be no job */
        {1048577, "X-None: x", 413},
        {1048577, "Transfer-Encoding: chunked", 413},
        {4 << 20, "Transfer-Encoding: chunked", 413},
        {4 << 20, "Expect:", 413},
    };
    static char body[4 << 20];

    (void)state;
    memset(body, '#', sizeof body);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        _cleanup_answer_ struct answer answer = ask(
            server_port(server), &(struct question){.method = "POST",
                                                    .path = "/api/v1/jobs",
                                                    .headers = {YAML_TYPE, cases[i].encoding},
                                                    .body = body,
                                                    .body_length = cases[i].length});

        if (answer.status != cases[i].status)
            fail_msg("%zu bytes, %s, gave %ld: %s", cases[i].length, cases[i].encoding,
                     answer.status, answer.body.data);
    }
}

static void test_headers_have_a_limit(void **state)
{
    static char header[40000] = "X-Long: ";
    _cleanup_answer_ struct answer answer = {0};

    (void)state;
    memset(header + 8, 'x', sizeof header - 9);
    answer = ask(server_port(server),
                 &(struct question){.path = "/api/v1/healthz", .headers = {header}});
    assert_true(answer.status >= 400 && answer.status < 500);
}

/* HEAD tells of a GET everything but the body. */
static void test_head(void **state)
{
    (void)state;
    for (size_t i = 0; i < api_route_count; i++) {
        _cleanup_free_ char *path = path_of(&api_routes[i]);
        _cleanup_answer_ struct answer whole = {0}, head = {0};
        _cleanup_free_ char *length = NULL;

        if (strcmp(api_routes[i].method, "GET") != 0)
            continue;
        whole = get(server_port(server), path);
        head = ask(server_port(server), &(struct question){.method = "HEAD", .path = path});
        length = text_format("%zu", whole.body.length);
        if (head.status != whole.status || head.body.length != 0 ||
            strcmp(answer_header(&head, "Content-Length"), length) != 0)
            fail_msg("HEAD %s gave %ld and a length of %s, GET %ld and %s", path, head.status,
                     answer_header(&head, "Content-Length"), whole.status, length);
    }
}

static void test_what_the_service_knows(void **state)
{
    _cleanup_answer_ struct answer repositories = get(server_port(server), "/api/v1/repositories");
    _cleanup_answer_ struct answer topologies = get(server_port(server), "/api/v1/topologies");
    _cleanup_answer_ struct answer workloads = get(server_port(server), "/api/v1/workloads");
    _cleanup_answer_ struct answer health = get(server_port(server), "/api/v1/healthz");
    _cleanup_answer_ struct answer description = get(server_port(server), "/api/v1/openapi.yaml");

    (void)state;
    assert_int_equal(repositories.status, 200);
    assert_non_null(strstr(repositories.body.data, "example.org/linux.git"));
    assert_null(strstr(repositories.body.data, "secret"));
    assert_non_null(strstr(topologies.body.data, "\"vm-40cpu-smt\""));
    assert_non_null(strstr(workloads.body.data, "\"wakeup.latency.p99\""));
    assert_string_equal(answer_text(&health, "status"), "ok");
    assert_string_equal(answer_header(&description, "Content-Type"), "application/yaml");
    assert_int_equal(description.body.length, api_openapi_size);
    assert_memory_equal(description.body.data, api_openapi, api_openapi_size);
    assert_string_equal(answer_header(&health, "X-Content-Type-Options"), "nosniff");
    assert_string_equal(answer_header(&health, "Cache-Control"), "no-store");
}

/* Bytes that come one by one, each in good time for an idle limit, do not hold a connection. */
static void test_dripping_client_is_cut_off(void **state)
{
    static const char *const openings[] = {
        "GET /api/v1/healthz HT",
        "POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/yaml\r\n"
        "Content-Length: 100\r\n\r\nversion",
    };

    struct server *hasty = server_start(&(struct server_options){.request_ns = HASTE_NS});

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        _cleanup_buffer_ struct buffer heard = BUFFER_INIT(1 << 16);
        _cleanup_close_ int fd = client_connect(server_port(hasty));

        assert_int_equal(write(fd, openings[i], strlen(openings[i])), strlen(openings[i]));
        assert_false(client_read_until(fd, &heard, "never said"));
    }
    server_stop(hasty);
}

static void test_garbage_is_answered_or_cut_off(void **state)
{
    static const char *const openings[] = {
        "\x16\x03\x01\x02\x01\r\n\r\n",
        "GET\r\n\r\n",
        "GET /api/v1/healthz HTTP/1.1\r\n\r\n",
        "POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        "POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    };

    struct server *hasty = server_start(&(struct server_options){.request_ns = HASTE_NS});

    (void)state;
    for (size_t i = 0; i < sizeof openings / sizeof *openings; i++) {
        _cleanup_buffer_ struct buffer heard = BUFFER_INIT(1 << 16);
        _cleanup_close_ int fd = client_connect(server_port(hasty));
        _cleanup_answer_ struct answer health = {0};

        assert_int_equal(write(fd, openings[i], strlen(openings[i])), strlen(openings[i]));
        client_read_until(fd, &heard, "never said");
        if (heard.data && strstr(heard.data, "HTTP/1.1 2"))
            fail_msg("<%s> gave %s", openings[i], heard.data);
        health = get(server_port(hasty), "/api/v1/healthz");
        assert_int_equal(health.status, 200);
    }
    server_stop(hasty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_no_route_takes_what_it_does_not_know),
        cmocka_unit_test(test_overlong_paths),
        cmocka_unit_test(test_ambiguous_requests),
        cmocka_unit_test(test_document_error_has_its_place),
        cmocka_unit_test(test_server_knowledge_is_checked),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_headers_have_a_limit),
        cmocka_unit_test(test_head),
        cmocka_unit_test(test_what_the_service_knows),
        cmocka_unit_test(test_dripping_client_is_cut_off),
        cmocka_unit_test(test_garbage_is_answered_or_cut_off),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
