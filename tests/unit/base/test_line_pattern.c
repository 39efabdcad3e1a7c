/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Regular expressions: what they match (beside the C library's), what is refused, what they cost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <regex.h>

#include "base/line_pattern.h"
#include "base/random.h"

static bool matches(const char *text, const char *line)
{
    CULPRIT_CLEANUP(line_pattern_free) struct line_pattern *pattern = NULL;
    struct culprit_error error = {0};

    if (line_pattern_new(text, &pattern, &error) < 0)
        fail_msg("\"%s\" is refused: %s", text, error.message);
    return line_pattern_matches(pattern, line, strlen(line));
}

static void test_matches(void **state)
{
    static const struct {
        const char *pattern, *line;
        bool found;
    } cases[] = {
        {"BUG: unable to handle", "BUG: unable to handle page fault", true},
        {"BUG: unable to handle", "BUG: unable to", false},
        {"^BUG", "a BUG", false},
        {"^BUG", "BUG: x", true},
        {"handled$", "is handled", true},
        {"handled$", "handled not", false},
        {"^$", "", true},
        {"^$", "x", false},
        {"^a|b$", "xb", true},
        {"(^a|x)y", "ay", true},
        {"(^a|x)y", "bay", false},
        {"rq->.*(avg|load)_[[:alpha:]]+ [0-9]{2,3}!", "rq->x load_abc 12!", true},
        {"rq->.*(avg|load)_[[:alpha:]]+ [0-9]{2,3}!", "rq->x load_abc 1!", false},
        {"[]a]b", "]b", true},
        {"[^]a]b", "]b", false},
        {"[a-]b", "-b", true},
        {"a\\.b", "axb", false},
        {"a\\.b", "a.b", true},
        {"x{3}", "xx xxx", true},
        {"^x{2,}y", "xxxxy", true},
        {"^x{2,}y", "xy", false},
        {"^x{1,2}y", "xxxy", false},
        {"^(ab?){2}$", "aba", true},
        {"^(ab?){2}$", "abaa", false},
        {"colou?r", "color", true},
        {"a)b", "a)b", true},
        {"a}b", "a}b", true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (matches(cases[i].pattern, cases[i].line) != cases[i].found)
            fail_msg("\"%s\" %s \"%s\"", cases[i].pattern,
                     cases[i].found ? "is not found in" : "is found in", cases[i].line);
}

static void test_refused(void **state)
{
    static const struct {
        const char *pattern;
        enum culprit_code code;
        const char *message;
    } cases[] = {
        {"", CULPRIT_INVALID, "is empty"},
        {"a(b", CULPRIT_INVALID, "byte 2 of the regular expression: the group is not closed"},
        {"a[b", CULPRIT_INVALID, "byte 2 of the regular expression: the bracket is not closed"},
        {"[[:alpa:]]", CULPRIT_INVALID, "no such class"},
        {"[z-a]", CULPRIT_INVALID, "range of characters is none"},
        {"[[.a.]]", CULPRIT_INVALID, "collating"},
        {"*a", CULPRIT_INVALID, "byte 1 of the regular expression: there is nothing"},
        {"a|*b", CULPRIT_INVALID, "byte 3"},
        {"a**", CULPRIT_INVALID, "two repetitions"},
        {"a{2", CULPRIT_INVALID, "a repetition is written"},
        {"a{5,2}", CULPRIT_INVALID, "a repetition is written"},
        {"a{0}b", CULPRIT_INVALID, "no time at all"},
        {"^*a", CULPRIT_INVALID, "an anchor cannot"},
        {"^^a", CULPRIT_INVALID, "an anchor cannot"},
        {"a||b", CULPRIT_INVALID, "an empty group"},
        {"()a", CULPRIT_INVALID, "an empty group"},
        {"a|", CULPRIT_INVALID, "an empty group"},
        {"(a)\\1", CULPRIT_INVALID, "byte 4 of the regular expression: POSIX has no such escape"},
        {"\\d+", CULPRIT_INVALID, "[[:digit:]]"},
        {"a\\", CULPRIT_INVALID, "a backslash stands at the end"},
        {"x\n", CULPRIT_INVALID, "byte 2 of the regular expression: only printable ASCII"},
        {"x*", CULPRIT_INVALID, "every line matches"},
        {"a|b?", CULPRIT_INVALID, "every line matches"},
        {"(a{16}){17}", CULPRIT_LIMIT, "more than 256 characters"},
        {"a{99999999999999999999}", CULPRIT_LIMIT, "more than 256 characters"},
        {"((((((((((((((((((((((((((((((((((a))))))))))))))))))))))))))))))))))", CULPRIT_LIMIT,
         "more than 32 groups"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CULPRIT_CLEANUP(line_pattern_free) struct line_pattern *pattern = NULL;
        struct culprit_error error = {0};
        int r = line_pattern_new(cases[i].pattern, &pattern, &error);

        if (r != -(int)cases[i].code || !strstr(error.message, cases[i].message))
            fail_msg("\"%s\" gives %d and \"%s\" instead of %d and \"%s\"", cases[i].pattern, r,
                     error.message, -(int)cases[i].code, cases[i].message);
    }
}

static void test_too_long(void **state)
{
    CULPRIT_CLEANUP(line_pattern_free) struct line_pattern *pattern = NULL;
    char text[LINE_PATTERN_MAXIMUM + 2];
    struct culprit_error error = {0};

    (void)state;
    memset(text, 'x', sizeof text);
    text[LINE_PATTERN_MAXIMUM + 1] = '\0';
    assert_int_equal(line_pattern_new(text, &pattern, &error), -CULPRIT_LIMIT);
    assert_non_null(strstr(error.message, "257 bytes, more than 256"));
    text[LINE_PATTERN_MAXIMUM] = '\0';
    assert_int_equal(line_pattern_new(text, &pattern, &error), 0);
    assert_true(line_pattern_matches(pattern, text, LINE_PATTERN_MAXIMUM));
    assert_false(line_pattern_matches(pattern, text, LINE_PATTERN_MAXIMUM - 1));
}

/* A right pattern of few characters over a, b and c. */
static void draw(struct random *random, char **at, unsigned depth)
{
    static const char *const repetitions[] = {"*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}"};
    unsigned pieces = 1 + (unsigned)random_below(random, 3);

    for (unsigned i = 0; i < pieces; i++) {
        switch (random_below(random, depth > 0 ? 8 : 6)) {
        case 0:
            *at += sprintf(*at, ".");
            break;
        case 1:
            *at += sprintf(*at, random_below(random, 2) ? "[ab]" : "[^a]");
            break;
        case 6:
        case 7:
            *(*at)++ = '(';
            draw(random, at, depth - 1);
            *(*at)++ = ')';
            break;
        default:
            *(*at)++ = (char)('a' + random_below(random, 3));
        }
        if (random_below(random, 3) == 0)
            *at += sprintf(*at, "%s", repetitions[random_below(random, 7)]);
    }
    if (random_below(random, 4) == 0 && depth > 0) {
        *(*at)++ = '|';
        draw(random, at, depth - 1);
    }
    **at = '\0';
}

/* The C library's regexec() is the reference, where it is affordable. */
static void test_as_the_c_library(void **state)
{
    struct random random;
    unsigned compared = 0, found = 0;

    (void)state;
    random_seed(&random, 7);
    for (unsigned round = 0; round < 3000; round++) {
        CULPRIT_CLEANUP(line_pattern_free) struct line_pattern *pattern = NULL;
        char text[2048], *at = text;
        regex_t reference;

        if (random_below(&random, 5) == 0)
            *at++ = '^';
        draw(&random, &at, 2);
        if (random_below(&random, 5) == 0)
            strcpy(at, "$");
        if (line_pattern_new(text, &pattern, NULL) < 0)
            continue;
        assert_int_equal(regcomp(&reference, text, REG_EXTENDED | REG_NOSUB), 0);
        for (unsigned l = 0; l < 20; l++) {
            char line[16] = "";
            unsigned length = (unsigned)random_below(&random, 12);
            bool expected;

            for (unsigned i = 0; i < length; i++)
                line[i] = (char)('a' + random_below(&random, 4));
            expected = regexec(&reference, line, 0, NULL, 0) == 0;
            if (line_pattern_matches(pattern, line, length) != expected)
                fail_msg("\"%s\" on \"%s\": the C library says %d", text, line, expected);
            compared++;
            found += expected;
        }
        regfree(&reference);
    }
    print_message("%u comparisons, %u found\n", compared, found);
    assert_true(compared > 10000 && found > 1000 && found < compared - 1000);
}

/* A pattern and a text that keep every place busy: a megabyte takes well below a second, where
 * backtracking or a growing table of states would take hours. */
static void test_hostile(void **state)
{
    CULPRIT_CLEANUP(line_pattern_free) struct line_pattern *pattern = NULL;
    static char line[512];
    struct timespec begin, end;

    (void)state;
    assert_int_equal(line_pattern_new("(a|b)*a(a|b){80}(.*b.*){20}X", &pattern, NULL), 0);
    memset(line, 'a', sizeof line);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    for (unsigned i = 0; i < 1024 * 1024 / sizeof line; i++) {
        line[i % sizeof line] = 'b';
        assert_false(line_pattern_matches(pattern, line, sizeof line));
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    assert_true(end.tv_sec - begin.tv_sec < 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matches),  cmocka_unit_test(test_refused),
        cmocka_unit_test(test_too_long), cmocka_unit_test(test_as_the_c_library),
        cmocka_unit_test(test_hostile),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
