/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "notify/envelope.h"
#include "notify/smtp.h"

static void test_addresses(void **state)
{
    static const struct {
        const char *mailbox, *want;
    } cases[] = {
        {"a@b", "a@b"},
        {"culprit <culprit@bench.example.org>", "culprit@bench.example.org"},
        {"\"Doe, J.\" <j.doe+perf@example.org>", "j.doe+perf@example.org"},
        {"<a@b>", "a@b"},
        {"", NULL},
        {"nobody", NULL},
        {"@example.org", NULL},
        {"a@", NULL},
        {"a b@example.org", NULL},
        {"a@example.org\r\nRCPT TO:<b@example.org>", NULL},
        {"a@example.org\n", NULL},
        {"x <a@example.org> y", NULL},
        {"x <a@example.org", NULL},
        {"a@example.org, b@example.org", NULL},
        {"a@ex\xc3\xa4mple.org", NULL},
        {NULL, NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        _cleanup_free_ char *address = NULL;
        struct culprit_error error = {0};
        int r = envelope_address(cases[i].mailbox, &address, &error);

        if (!cases[i].want) {
            if (r != -CULPRIT_INVALID)
                fail_msg("\"%s\" gave %d (%s)", cases[i].mailbox, r, address);
            continue;
        }
        assert_int_equal(r, 0);
        assert_string_equal(address, cases[i].want);
    }
}

static void test_line_ends(void **state)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"a", "a\r\n"},
        {"a\n", "a\r\n"},
        {"a\r\nb\nc\rd", "a\r\nb\r\nc\r\nd\r\n"},
        {"\n\r\n\n", "\r\n\r\n\r\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        _cleanup_free_ char *text = NULL;
        size_t length;

        assert_int_equal(envelope_message(cases[i][0], &text, &length, NULL), 0);
        assert_string_equal(text, cases[i][1]);
        assert_int_equal(length, strlen(cases[i][1]));
    }
}

static void test_options_that_cannot_be(void **state)
{
    static const struct {
        struct smtp_options options;
        const char *word;
    } cases[] = {
        {{.host = NULL}, "no name of an SMTP server"},
        {{.host = ""}, "no name of an SMTP server"},
        {{.host = "mail.example.org/x"}, "no name of an SMTP server"},
        {{.host = "user@mail.example.org"}, "no name of an SMTP server"},
        {{.host = "mail.example.org", .port = 70000}, "no port"},
        {{.host = "mail.example.org", .user = "u", .password = "p"}, "without TLS"},
    };
    char *items[] = {(char *)(uintptr_t) "a@example.org", NULL};
    struct strv to = {.items = items, .count = 1}, nobody = {0};
    struct smtp_options fine = {.host = "localhost"};
    struct culprit_error error = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(smtp_deliver(&cases[i].options, "c@example.org", &to, "", NULL, &error),
                         -CULPRIT_INVALID);
        if (!strstr(error.message, cases[i].word))
            fail_msg("\"%s\" is not in \"%s\"", cases[i].word, error.message);
    }
    assert_int_equal(smtp_deliver(&fine, "c@example.org", &nobody, "", NULL, &error),
                     -CULPRIT_INVALID);
    assert_int_equal(smtp_deliver(&fine, "c\r\n@example.org", &to, "", NULL, &error),
                     -CULPRIT_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_line_ends),
        cmocka_unit_test(test_options_that_cannot_be),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
