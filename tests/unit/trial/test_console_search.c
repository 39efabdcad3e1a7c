/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Consoles of all kinds, and what is found on them. */
#include "scratch.h"

#include <string.h>

#include "base/path.h"
#include "trial/console_search.h"

static struct culprit_error error;

static bool search(const char *directory, const char *pattern, const char *bytes, size_t length,
                   char line[CONSOLE_LINE_MAXIMUM])
{
    CULPRIT_CLEANUP(line_pattern_free) struct line_pattern *compiled = NULL;
    _cleanup_free_ char *path = path_join(directory, "console.log");
    bool found = false;

    assert_success(line_pattern_new(pattern, &compiled, &error));
    assert_success(file_write_atomic(path, bytes, length, 0600, &error));
    assert_success(console_search(path, compiled, NULL, &found, line, &error));
    return found;
}

static void finds_the_first_line(void **state)
{
    static const struct {
        const char *pattern, *console, *line; /* line NULL: none */
    } cases[] = {
        {"BUG", "Linux\r\n[    1.25] BUG: one\r\n[    1.26] BUG: two\r\n", "BUG: one"},
        {"^BUG", "<4>[    1.25][    T1] BUG: one\n", "BUG: one"},
        {"^BUG", "[    1.25] a BUG\n", NULL},
        {"one$", "[    1.25] BUG: one\r\n", "BUG: one"},
        {"the end", "x\nthe end", "the end"},
        {"a\\?b", "a\033b\n", "a?b"},
        {"B", "", NULL},
        {"xy", "x\ny\n", NULL},
        {"^$", "a\n\nb\n", ""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[CONSOLE_LINE_MAXIMUM] = "";
        bool found = search(*state, cases[i].pattern, cases[i].console, strlen(cases[i].console),
                            line);

        if (found != (cases[i].line != NULL) || (found && strcmp(line, cases[i].line) != 0))
            fail_msg("case %zu: \"%s\", %sfound: \"%s\"", i, cases[i].pattern, found ? "" : "not ",
                     line);
    }
}

/* Pieces do not cut lines, and what passes a line's maximum is not seen. */
static void long_consoles(void **state)
{
    enum { SIZE = 200000 };
    _cleanup_free_ char *bytes = malloc(SIZE);
    char line[CONSOLE_LINE_MAXIMUM] = "";

    assert_non_null(bytes);
    memset(bytes, 'x', SIZE);
    memcpy(bytes + 1000, "BUG", 3);
    assert_false(search(*state, "BUG", bytes, SIZE, line));
    for (size_t i = 50; i < SIZE; i += 51)
        bytes[i] = '\n';
    memcpy(bytes + 65536 - 1, "BUG", 3);
    assert_true(search(*state, "BUGx", bytes, SIZE, line));
    assert_non_null(strstr(line, "BUG"));
}

static void no_console_and_no_patience(void **state)
{
    CULPRIT_CLEANUP(line_pattern_free) struct line_pattern *pattern = NULL;
    CULPRIT_CLEANUP(cancel_free) struct cancel *cancel = NULL;
    _cleanup_free_ char *path = path_join(*state, "console.log");
    char line[CONSOLE_LINE_MAXIMUM];
    bool found = true;

    assert_success(line_pattern_new("x", &pattern, &error));
    assert_success(cancel_new(&cancel, &error));
    assert_success(console_search(path, pattern, cancel, &found, line, &error));
    assert_false(found);
    assert_success(file_write_atomic(path, "x\n", 2, 0600, &error));
    cancel_request(cancel);
    assert_failure(console_search(path, pattern, cancel, &found, line, &error), CULPRIT_CANCELLED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(finds_the_first_line),
        scratch_test(long_consoles),
        scratch_test(no_console_and_no_patience),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
