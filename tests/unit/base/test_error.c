/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "scratch.h"

static void codes_have_names_and_statuses(void **state)
{
    (void)state;
    for (int code = 0; code < CULPRIT_CODE_COUNT; code++) {
        const char *name = culprit_code_name((enum culprit_code)code);

        if (!name || name[0] == '\0' || strspn(name, "abcdefghijklmnopqrstuvwxyz_") != strlen(name))
            fail_msg("code %d has the name \"%s\"", code, name ? name : "(null)");
        assert_in_range(culprit_code_http_status((enum culprit_code)code), 200, 599);
        if (code != CULPRIT_OK)
            assert_int_not_equal(culprit_code_exit_status((enum culprit_code)code), 0);
    }
    assert_string_equal(culprit_code_name((enum culprit_code)1000), "internal");
}

static void failing_returns_the_negative_code(void **state)
{
    struct culprit_error error = {.line = 3, .column = 4, .where = "old"};

    (void)state;
    assert_int_equal(culprit_fail(&error, CULPRIT_CONFLICT, "no %s", "luck"), -CULPRIT_CONFLICT);
    assert_string_equal(error.message, "no luck");
    assert_string_equal(error.where, "");
    assert_int_equal(error.line, 0);
    assert_int_equal(culprit_fail(NULL, CULPRIT_INVALID, "unheard"), -CULPRIT_INVALID);
}

static void errno_becomes_code_and_words(void **state)
{
    static const struct {
        int errnum;
        enum culprit_code code;
    } cases[] = {
        {ENOENT, CULPRIT_NOT_FOUND},         {EACCES, CULPRIT_DENIED},
        {ENOSPC, CULPRIT_NO_SPACE},          {EDQUOT, CULPRIT_NO_SPACE},
        {ECONNREFUSED, CULPRIT_UNAVAILABLE}, {EIO, CULPRIT_IO},
    };
    struct culprit_error error;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int r = culprit_fail_errno(&error, cases[i].errnum, "cannot open %s", "x");

        assert_int_equal(r, -(int)cases[i].code);
        assert_contains(error.message, "cannot open x: ");
        assert_contains(error.message, strerror(cases[i].errnum));
    }
}

static void places_and_prefixes(void **state)
{
    struct culprit_error error;

    (void)state;
    culprit_fail_at(&error, 7, 9, "guest.memory", "%s", "too small");
    assert_int_equal(culprit_error_prefix(&error, "job %d", 5), -CULPRIT_INVALID);
    assert_string_equal(error.message, "job 5: too small");
    assert_string_equal(error.where, "guest.memory");
    assert_int_equal(error.line, 7);
    assert_int_equal(error.column, 9);
}

static void long_messages_are_cut(void **state)
{
    struct culprit_error error;
    char text[4096];

    (void)state;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    culprit_fail_errno(&error, EIO, "%s", text);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
    culprit_error_prefix(&error, "%s", text);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_have_names_and_statuses),
        cmocka_unit_test(failing_returns_the_negative_code),
        cmocka_unit_test(errno_becomes_code_and_words),
        cmocka_unit_test(places_and_prefixes),
        cmocka_unit_test(long_messages_are_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
