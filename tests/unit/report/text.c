/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"

enum { TEXT_MAXIMUM = 1024 * 1024 };

static char *text_of(const struct report *report)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(TEXT_MAXIMUM);
    struct culprit_error error = {0};

    if (report_text(report, &text, &error) < 0)
        fail_msg("%s", error.message);
    return buffer_take(&text);
}

static void expect_word(const char *text, const char *word)
{
    if (!strstr(text, word))
        fail_msg("\"%s\" is not in:\n%s", word, text);
}

static void refuse_word(const char *text, const char *word)
{
    if (strstr(text, word))
        fail_msg("\"%s\" is in:\n%s", word, text);
}

static void test_culprit(void **state)
{
    struct fixture fixture;
    _cleanup_free_ char *text = NULL;

    (void)state;
    fixture_make(&fixture);
    text = text_of(&fixture.report);
    fixture_compare("culprit.txt", text);
    fixture_clear(&fixture);
}

static void test_run(void **state)
{
    struct fixture fixture;
    _cleanup_free_ char *text = NULL;

    (void)state;
    fixture_make_run(&fixture);
    text = text_of(&fixture.report);
    fixture_compare("run.txt", text);
    fixture_clear(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_culprit),
        cmocka_unit_test(test_run),
    };

    (void)expect_word;
    (void)refuse_word;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
