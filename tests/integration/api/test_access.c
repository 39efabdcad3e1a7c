/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who may ask: names of the server, origins of pages, tokens and their scopes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "api/api.h"
#include "client.h"
#include "documents.h"
#include "server.h"

static void test_foreign_names(void **state)
{
    struct server *server = server_start(&(struct server_options){0});
    _cleanup_answer_ struct answer good = ask(
        server_port(server),
        &(struct question){.path = "/api/v1/jobs", .headers = {"Host: localhost:9999"}});
    _cleanup_answer_ struct answer bad = ask(
        server_port(server),
        &(struct question){.path = "/api/v1/jobs", .headers = {"Host: evil.example.org"}});

    (void)state;
    assert_int_equal(good.status, 200);
    assert_int_equal(bad.status, 421);
    assert_string_equal(answer_text(&bad, "code"), "denied");
    server_stop(server);
}

static void test_foreign_origins(void **state)
{
    struct server *server = server_start(&(struct server_options){0});
    char own[64];
    _cleanup_answer_ struct answer evil = ask(
        server_port(server),
        &(struct question){.method = "POST",
                           .path = "/api/v1/jobs",
                           .headers = {YAML_TYPE, "Origin: http://evil.example.org"},
                           .body = RUN_YAML});
    _cleanup_answer_ struct answer same = {0};

    (void)state;
    assert_int_equal(evil.status, 403);
    snprintf(own, sizeof own, "Origin: http://127.0.0.1:%u", server_port(server));
    same = ask(server_port(server), &(struct question){.method = "POST",
                                                       .path = "/api/v1/jobs",
                                                       .headers = {YAML_TYPE, own},
                                                       .body = RUN_YAML});
    assert_int_equal(same.status, 201);
    server_stop(server);
}

static long status_with(const struct server *server, const char *method, const char *path,
                        const char *token)
{
    char authorization[128];
    _cleanup_answer_ struct answer answer = {0};
    bool post = strcmp(method, "POST") == 0;

    snprintf(authorization, sizeof authorization, "Authorization: Bearer %s", token ? token : "");
    answer = ask(server_port(server),
                 &(struct question){.method = method,
                                    .path = path,
                                    .headers = {YAML_TYPE, token ? authorization : NULL},
                                    .body = post ? RUN_YAML : NULL});
    if (answer.status == 401)
        assert_string_equal(answer_header(&answer, "WWW-Authenticate"), "Bearer realm=\"culprit\"");
    return answer.status;
}

static void test_tokens(void **state)
{
    struct server *server = server_start(&(struct server_options){.tokens = true});
    const char *read = server_token(server, "read");
    const char *submit = server_token(server, "submit");
    const char *admin = server_token(server, "admin");

    (void)state;
    assert_int_equal(status_with(server, "GET", "/api/v1/healthz", NULL), 200);
    assert_int_equal(status_with(server, "GET", "/api/v1/openapi.yaml", NULL), 200);
    assert_int_equal(status_with(server, "GET", "/api/v1/jobs", NULL), 401);
    assert_int_equal(status_with(server, "GET", "/api/v1/jobs", "wrong"), 401);
    assert_int_equal(status_with(server, "GET", "/api/v1/jobs", read), 200);
    assert_int_equal(status_with(server, "POST", "/api/v1/jobs", read), 403);
    assert_int_equal(status_with(server, "POST", "/api/v1/jobs", submit), 201);
    assert_int_equal(status_with(server, "GET", "/api/v1/jobs", submit), 200);
    assert_int_equal(status_with(server, "DELETE", "/api/v1/jobs/1", read), 403);
    assert_int_equal(status_with(server, "POST", "/api/v1/jobs", admin), 201);
    assert_int_equal(status_with(server, "GET", "/api/v1/jobs", admin), 200);
    server_stop(server);
}

/* An open server may be reached from its own machine only. */
static void test_no_exposure_without_tokens(void **state)
{
    static const char *const addresses[] = {"0.0.0.0", "::", "192.0.2.7"};
    struct culprit_error error = {0};
    struct api *api = NULL;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const struct api_options options = {.address = addresses[i]};

        assert_int_equal(api_new(&options, &api, &error), -CULPRIT_DENIED);
        assert_non_null(strstr(error.message, "without tokens"));
    }
    assert_int_equal(api_new(&(struct api_options){.address = "example.org"}, &api, &error),
                     -CULPRIT_INVALID);
}

static void test_address_in_use(void **state)
{
    struct server *server = server_start(&(struct server_options){0});
    struct culprit_error error = {0};
    sd_event *event = NULL;
    struct api *api = NULL;

    (void)state;
    assert_true(sd_event_new(&event) >= 0);
    assert_int_equal(api_new(&(struct api_options){.event = event,
                                                   .address = "127.0.0.1",
                                                   .port = server_port(server)},
                             &api, &error),
                     -CULPRIT_CONFLICT);
    assert_non_null(strstr(error.message, "another process does already"));
    sd_event_unref(event);
    server_stop(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_foreign_names),  cmocka_unit_test(test_foreign_origins),
        cmocka_unit_test(test_tokens),         cmocka_unit_test(test_no_exposure_without_tokens),
        cmocka_unit_test(test_address_in_use),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
