/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api/access.h"
#include "api/listen.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void test_hosts(void **state)
{
    static const struct {
        const char *host;
        bool allowed;
    } cases[] = {
        {"localhost", true},
        {"LOCALHOST:8080", true},
        {"127.0.0.1", true},
        {"127.0.0.1:1", true},
        {"[::1]", true},
        {"[::1]:8080", true},
        {"127.0.0.2:8080", true}, /* the address that it listens on */
        {"culprit.example.org", true},
        {"culprit.example.org:443", true},
        {NULL, false},
        {"", false},
        {":80", false},
        {"evil.example.org", false},
        {"localhost.evil.example.org", false},
        {"evil.example.org:80@localhost", false},
        {"localhost:80@evil", false},
        {"localhost:x", false},
        {"[::1", false},
        {"[::1]x", false},
        {"::1", false},
        {"192.0.2.1", false},
    };
    char *names[] = {(char[]){"culprit.example.org"}, NULL};
    const struct strv hosts = {names, 1, false};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        if (host_allowed(cases[i].host, true, "127.0.0.2", &hosts) != cases[i].allowed)
            fail_msg("Host: %s", cases[i].host ? cases[i].host : "(none)");
    assert_false(host_allowed("localhost", false, "192.0.2.7", NULL));
    assert_true(host_allowed("192.0.2.7", false, "192.0.2.7", NULL));
}

static void test_origins(void **state)
{
    (void)state;
    assert_true(origin_allowed(NULL, "localhost:8080"));
    assert_true(origin_allowed("http://localhost:8080", "localhost:8080"));
    assert_true(origin_allowed("https://Culprit.example.org", "culprit.example.org"));
    assert_false(origin_allowed("http://localhost:8081", "localhost:8080"));
    assert_false(origin_allowed("http://evil.example.org", "localhost:8080"));
    assert_false(origin_allowed("null", "localhost:8080"));
    assert_false(origin_allowed("", "localhost:8080"));
    assert_false(origin_allowed("http://localhost:8080", NULL));
}

static void test_bearer(void **state)
{
    (void)state;
    assert_string_equal(bearer_token("Bearer abc"), "abc");
    assert_string_equal(bearer_token("bearer   abc"), "abc");
    assert_null(bearer_token(NULL));
    assert_null(bearer_token("Bearer"));
    assert_null(bearer_token("Bearer "));
    assert_null(bearer_token("Basic abc"));
    assert_null(bearer_token("Bearerabc"));
}

static void test_accept(void **state)
{
    static const struct {
        const char *accept, *type;
        bool accepted;
    } cases[] = {
        {NULL, "application/json", true},
        {"*/*", "application/json", true},
        {"application/*", "application/json", true},
        {"application/json", "application/json", true},
        {"Application/JSON; q=0.5", "application/json", true},
        {"text/html, application/json;q=0.1", "application/json", true},
        {"text/plain", "text/plain; charset=utf-8", true},
        {"text/*;q=0, text/plain", "text/plain", true},
        {"*/*, application/json;q=0", "application/json", false},
        {"application/json;q=0.000", "application/json", false},
        {"text/html", "application/json", false},
        {"application/jsonx", "application/json", false},
        {"app/*", "application/json", false},
        {"", "application/json", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        if (accepts_type(cases[i].accept, cases[i].type) != cases[i].accepted)
            fail_msg("Accept: %s for %s", cases[i].accept, cases[i].type);
}

static void test_content_types(void **state)
{
    static const char allowed[] = "application/yaml, application/json";
    static const struct {
        const char *type;
        bool accepted;
    } cases[] = {
        {"application/yaml", true},
        {"Application/YAML", true},
        {"application/json;charset=UTF-8", true},
        {"application/json; charset=\"utf-8\"", true},
        {"application/json;", true},
        {NULL, false},
        {"", false},
        {"text/plain", false},
        {"application/x-www-form-urlencoded", false},
        {"application/json; charset=iso-8859-1", false},
        {"application/yaml, application/json", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        if (content_type_allowed(cases[i].type, allowed) != cases[i].accepted)
            fail_msg("Content-Type: %s", cases[i].type ? cases[i].type : "(none)");
}

static void test_loopback(void **state)
{
    static const struct {
        const char *address;
        bool loopback;
    } cases[] = {
        {"127.0.0.1", true}, {"127.1.2.3", true}, {"::1", true},
        {"0.0.0.0", false},  {"::", false},       {"192.0.2.7", false},
    };
    struct culprit_error error = {0};
    bool loopback;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(address_is_loopback(cases[i].address, &loopback, NULL), 0);
        if (loopback != cases[i].loopback)
            fail_msg("%s", cases[i].address);
    }
    assert_int_equal(address_is_loopback("localhost", &loopback, &error), -CULPRIT_INVALID);
    assert_non_null(strstr(error.message, "not a numeric address"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hosts),         cmocka_unit_test(test_origins),
        cmocka_unit_test(test_bearer),        cmocka_unit_test(test_accept),
        cmocka_unit_test(test_content_types), cmocka_unit_test(test_loopback),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
