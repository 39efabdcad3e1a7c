/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scratch.h"

#include <string.h>

#include "cli/arguments.h"

static const struct cli_option options[] = {
    {"kernel", 'k', "FILE", "a kernel"},
    {"seed", '\0', "N", "a seed"},
    {"wait", 'w', NULL, "a flag"},
    {NULL, '\0', NULL, NULL},
};

static const struct cli_option common[] = {
    {"json", '\0', NULL, "a flag"},
    {NULL, '\0', NULL, NULL},
};

enum { WORDS_MAXIMUM = 8 };

/* What a command line becomes: "kernel=a wait= | one two", or the error's words. */
static const struct parse_case {
    const char *argv[WORDS_MAXIMUM];
    bool keep_unknown;
    const char *expected;
    const char *error;
} cases[] = {
    {{"one", "two"}, false, "| one two ", NULL},
    {{"--kernel", "a", "one"}, false, "kernel=a | one ", NULL},
    {{"--kernel=a=b", "one"}, false, "kernel=a=b | one ", NULL},
    {{"--kernel=", "one"}, false, "kernel= | one ", NULL},
    {{"-k", "a", "-w"}, false, "kernel=a wait= | ", NULL},
    {{"-ka"}, false, "kernel=a | ", NULL},
    {{"one", "--json"}, false, "json= | one ", NULL},
    {{"--", "--json", "-k"}, false, "| --json -k ", NULL},
    {{"-"}, false, "| - ", NULL},
    {{"--kernel", "--json"}, false, "kernel=--json | ", NULL},
    {{"wakeup", "--runtime", "5s", "--json"}, true, "json= | wakeup runtime=5s ", NULL},
    {{"wakeup", "--runtime=5s"}, true, "| wakeup runtime=5s ", NULL},
    {{"--kernal", "a"}, false, NULL, "there is no option \"--kernal\"; did you mean --kernel?"},
    {{"--kern=a"}, false, NULL, "there is no option \"--kern=a\""},
    {{"-x"}, false, NULL, "there is no option \"-x\""},
    {{"-x"}, true, NULL, "there is no option \"-x\""},
    {{"--kernel"}, false, NULL, "--kernel needs a value: FILE"},
    {{"--wait=yes"}, false, NULL, "--wait takes no value"},
    {{"--json", "--json"}, false, NULL, "--json is given twice"},
    {{"--runtime"}, true, NULL, "--runtime needs a value"},
};

static void describe(const struct arguments *arguments, char *text, size_t size)
{
    size_t length = 0;

    for (size_t i = 0; i < arguments->names.count; i++)
        length += (size_t)snprintf(text + length, size - length, "%s=%s ",
                                   arguments->names.items[i], arguments->values.items[i]);
    length += (size_t)snprintf(text + length, size - length, "| ");
    for (size_t i = 0; i < arguments->words.count; i++)
        length += (size_t)snprintf(text + length, size - length, "%s ", arguments->words.items[i]);
}

static void test_command_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CULPRIT_CLEANUP(arguments_clear) struct arguments arguments = {0};
        struct culprit_error error = {0};
        char *argv[WORDS_MAXIMUM + 1] = {NULL};
        char text[256];
        int argc = 0;
        int r;

        for (; cases[i].argv[argc]; argc++)
            argv[argc] = strdup(cases[i].argv[argc]);
        r = arguments_parse(argc, argv, options, common, cases[i].keep_unknown, &arguments, &error);
        while (argc > 0)
            free(argv[--argc]);
        if (cases[i].error) {
            assert_int_equal(r, -CULPRIT_INVALID);
            assert_contains(error.message, cases[i].error);
            continue;
        }
        assert_success(r);
        describe(&arguments, text, sizeof text);
        if (strcmp(text, cases[i].expected) != 0)
            fail_msg("case %zu: \"%s\", and not \"%s\"", i, text, cases[i].expected);
    }
}

static void test_counts(void **state)
{
    static const struct {
        const char *text;
        int code;
        uint64_t value;
    } counts[] = {
        {"0", 0, 0},
        {"9223372036854775807", 0, INT64_MAX},
        {"9223372036854775808", -CULPRIT_INVALID, 42},
        {"7x", -CULPRIT_INVALID, 42},
        {"-1", -CULPRIT_INVALID, 42},
        {"", -CULPRIT_INVALID, 42},
    };

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        CULPRIT_CLEANUP(arguments_clear) struct arguments arguments = {0};
        struct culprit_error error = {0};
        char name[] = "--seed";
        char *argv[] = {name, strdup(counts[i].text)};
        uint64_t value = 42;

        assert_success(arguments_parse(2, argv, options, common, false, &arguments, &error));
        assert_int_equal(arguments_count(&arguments, "seed", 0, INT64_MAX, &value, &error),
                         counts[i].code);
        assert_int_equal(value, counts[i].value);
        if (counts[i].code < 0)
            assert_contains(error.message, "--seed");
        free(argv[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_command_lines),
        cmocka_unit_test(test_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
