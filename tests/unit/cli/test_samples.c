/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `culprit samples compare`: the forms of sample files, their limits, and what is said of them. */
#include "scratch.h"

#include <math.h>
#include <string.h>

#include "base/buffer.h"
#include "base/path.h"
#include "cli/cli.h"
#include "cli/commands/samples_file.h"

#define COUNT(array_) (sizeof(array_) / sizeof *(array_))

static char *write_file(const char *folder, const char *name, const char *content, size_t length)
{
    char *path = path_join(folder, name);
    struct culprit_error error = {0};

    assert_success(file_write_atomic(path, content, length, 0600, &error));
    return path;
}

static int read_text(const char *folder, const char *content, enum samples_aggregate aggregate,
                     struct samples_set *ret, struct culprit_error *error)
{
    _cleanup_free_ char *path = write_file(folder, "samples", content, strlen(content));

    return samples_file_read(path, aggregate, NULL, ret, error);
}

static void test_forms(void **state)
{
    static const struct {
        const char *content;
        enum samples_aggregate aggregate;
        size_t count, read;
        double values[4];
    } cases[] = {
        {"1\n2\n3", SAMPLES_MEAN, 3, 3, {1, 2, 3}},
        {"1\r\n\t2 \r\n\r\n", SAMPLES_MEAN, 2, 2, {1, 2}},
        {"\xef\xbb\xbf"
         "1\r\n2\r\n",
         SAMPLES_MEAN,
         2,
         2,
         {1, 2}},
        {"\xef\xbb\xbf[3]", SAMPLES_MEAN, 1, 1, {3}},
        {"# p99\n1 # a slow boot\n#2\n  \n-3.5e-2#\n", SAMPLES_MEAN, 2, 2, {1, -0.035}},
        {"+1.\n.5\n1e300\n-0", SAMPLES_MEAN, 4, 4, {1, 0.5, 1e300, 0}},
        {"7\n7\n7\n", SAMPLES_MEAN, 3, 3, {7, 7, 7}},
        {"a 1\nb 10\na 2\nb 20\na 6\n", SAMPLES_MEAN, 2, 5, {3, 15}},
        {"a 1\nb 10\na 2\nb 20\na 6\n", SAMPLES_MEDIAN, 2, 5, {2, 15}},
        {"1 5\n1.0 6\n01 7\n", SAMPLES_MEAN, 3, 3, {5, 6, 7}}, /* a trial is a word */
        {"nan 5\n", SAMPLES_MEAN, 1, 1, {5}},
        {"a 1e308\na 1.5e308\na 1.7e308\n", SAMPLES_MEAN, 1, 3, {1.4e308}},
        {" [1, 2.5, -3e2]\n", SAMPLES_MEAN, 3, 3, {1, 2.5, -300}},
        {"{\"unit\": \"us\", \"samples\": [4]}", SAMPLES_MEAN, 1, 1, {4}},
        {"[{\"trial\": 1, \"value\": 2}, {\"value\": 4, \"trial\": \"1\"}]",
         SAMPLES_MEAN,
         1,
         2,
         {3}},
        {"{\"samples\": [{\"trial\": \"x\", \"value\": 1}, {\"trial\": \"y\", \"value\": 2}]}",
         SAMPLES_MEAN,
         2,
         2,
         {1, 2}},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        CULPRIT_CLEANUP(samples_set_free) struct samples_set set = {0};
        struct culprit_error error = {0};

        if (read_text(*state, cases[i].content, cases[i].aggregate, &set, &error) < 0)
            fail_msg("case %zu: %s", i, error.message);
        if (set.count != cases[i].count || set.read != cases[i].read)
            fail_msg("case %zu: %zu trials of %zu values", i, set.count, set.read);
        for (size_t k = 0; k < set.count; k++)
            if (!(fabs(set.values[k] - cases[i].values[k]) <= 1e-12 * fabs(cases[i].values[k])))
                fail_msg("case %zu: sample %zu is %.17g", i, k, set.values[k]);
    }
}

static void test_errors_name_the_place(void **state)
{
    static const struct {
        const char *content, *message;
        unsigned line;
    } cases[] = {
        {"", ": no samples", 0},
        {"# nothing\n\n", ": no samples", 0},
        {"[]", ": no samples", 0},
        {"1\nnan\n", ":2: \"nan\" is not a number, such as 12, -0.5 or 1.5e6", 2},
        {"1\n\n# x\ninf\n", ":4: \"inf\" is not a number", 4},
        {"10x\n", ":1: \"10x\" is not a number", 1},
        {"0x10\n", ":1: \"0x10\" is not a number", 1},
        {"1,5\n", ":1: \"1,5\" is not a number", 1},
        {"1e\n", ":1: \"1e\" is not a number", 1},
        {"--1\n", ":1: \"--1\" is not a number", 1},
        {"1e400\n", ":1: \"1e400\" is too large for a number", 1},
        {"a \x1b[31m\n", ":1: \"?[31m\" is not a number", 1},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
         ":1: \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…\" is not", 1},
        {"1\n2\na 3\n", ":3: a trial and a number, unlike the lines above", 3},
        {"a 1\n2\n", ":2: a number without a trial, unlike the lines above", 2},
        {"1 2 3\n", ":1: more than two words", 1},
        {"a 1e308\na -1.7e308\n", ": trial a: the iterations lie too far apart for a mean", 0},
        {"[1, 2", ":1:", 1},
        {"{\"samples\": 3}", ": \"samples\" is a number, not an array", 0},
        {"{\"sample\": [3]}", ": the object has no array \"samples\"", 0},
        {"{\"samples\": [1], \"samples\": [2]}", "duplicate", 1},
        {"[1, \"2\"]", ": sample 2: a string; a number, or an object", 0},
        {"[null]", ": sample 1: null; a number, or an object", 0},
        {"[1, {\"trial\": 1, \"value\": 2}]", ": sample 2: an object, unlike those before", 0},
        {"[{\"trial\": 1, \"value\": 2}, 3]", ": sample 2: a number, unlike those before", 0},
        {"[{\"trial\": 1}]", ": sample 1: an object has \"trial\" and \"value\", and nothing", 0},
        {"[{\"trial\": 1, \"value\": 2, \"unit\": 3}]", "and nothing else", 0},
        {"[{\"trial\": 1.5, \"value\": 2}]", ": sample 1: its trial is a number; a string or", 0},
        {"[{\"trial\": [], \"value\": 2}]", ": sample 1: its trial is an array", 0},
        {"[{\"trial\": \"\", \"value\": 2}]", ": sample 1: a trial's name has 1 to 128 bytes", 0},
        {"[{\"trial\": 1, \"value\": true}]", ": sample 1: its value is true or false, not a", 0},
        {"[1e400]", "real number overflow", 1},
        {"[NaN]", "not JSON", 1},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct samples_set set = {.count = 99};
        struct culprit_error error = {0};
        int r = read_text(*state, cases[i].content, SAMPLES_MEAN, &set, &error);

        if (r != -CULPRIT_INVALID || !strstr(error.message, cases[i].message) ||
            !strstr(error.message, "/samples") || error.line != cases[i].line)
            fail_msg("case %zu: %d, line %u, \"%s\"; wanted line %u, \"%s\"", i, r, error.line,
                     error.message, cases[i].line, cases[i].message);
        assert_int_equal(set.count, 99); /* untouched */
    }
}

static void test_zero_byte(void **state)
{
    _cleanup_free_ char *path = write_file(*state, "samples", "1\n2\0003\n", 6);
    struct culprit_error error = {0};
    struct samples_set set;

    assert_failure(samples_file_read(path, SAMPLES_MEAN, NULL, &set, &error), CULPRIT_INVALID);
    assert_contains(error.message, "/samples:2: a zero byte");
}

/* `lines` lines made of the pattern, whose %zu is the line's number. */
static char *write_lines(const char *folder, const char *head, size_t lines, bool numbered)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(64 << 20);

    for (size_t i = 0; i < lines; i++) {
        buffer_puts(&text, head);
        if (numbered)
            buffer_printf(&text, "%zu", i);
        buffer_puts(&text, " 1\n");
    }
    assert_int_equal(text.status, CULPRIT_OK);
    return write_file(folder, "samples", text.data, text.length);
}

static void test_limits(void **state)
{
    static const struct {
        size_t lines;
        bool numbered;
        const char *head, *message; /* NULL: it is still read */
    } cases[] = {
        {SAMPLES_TRIALS_MAXIMUM, true, "boot", NULL},
        {SAMPLES_TRIALS_MAXIMUM + 1, true, "boot", ":2001: more than 2000 trials"},
        {SAMPLES_TRIALS_MAXIMUM + 1, false, "", ":2001: more than 2000 trials"},
        {SAMPLES_VALUES_MAXIMUM, false, "boot", NULL},
        {SAMPLES_VALUES_MAXIMUM + 1, false, "boot", ":1000001: more than 1000000 values"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        _cleanup_free_ char *path = write_lines(*state, cases[i].head, cases[i].lines,
                                                cases[i].numbered);
        CULPRIT_CLEANUP(samples_set_free) struct samples_set set = {0};
        struct culprit_error error = {0};
        int r = samples_file_read(path, SAMPLES_MEDIAN, NULL, &set, &error);

        if (!cases[i].message && (r < 0 || set.read != cases[i].lines))
            fail_msg("case %zu: %zu values, %s", i, set.read, error.message);
        if (cases[i].message && (r != -CULPRIT_LIMIT || !strstr(error.message, cases[i].message)))
            fail_msg("case %zu: %d, \"%s\"", i, r, error.message);
    }
}

static void test_size_and_name_limits(void **state)
{
    _cleanup_free_ char *path = write_file(*state, "samples", "1\n", 2);
    char name[SAMPLES_NAME_MAXIMUM + 8];
    struct culprit_error error = {0};
    struct samples_set set;

    assert_int_equal(truncate(path, SAMPLES_FILE_MAXIMUM + 1L), 0);
    assert_failure(samples_file_read(path, SAMPLES_MEAN, NULL, &set, &error), CULPRIT_LIMIT);
    assert_contains(error.message, "longer than 67108864 bytes");
    memset(name, 'x', sizeof name);
    memcpy(name + SAMPLES_NAME_MAXIMUM + 1, " 1\n", 4);
    assert_failure(read_text(*state, name, SAMPLES_MEAN, &set, &error), CULPRIT_INVALID);
    assert_contains(error.message, ":1: a trial's name has 1 to 128 bytes, not 129");
    assert_failure(samples_file_read(*state, SAMPLES_MEAN, NULL, &set, &error), CULPRIT_IO);
    assert_contains(error.message, "Is a directory");
}

/* The command, with files by these names in a folder of their own. */
static const struct {
    const char *name, *content;
} files[] = {
    {"good", "7288\n12880\n2516\n8880\n5120\n"},
    {"bad", "15984\n16080\n15792\n16144\n15936\n"},
    {"near", "7300\n12000\n2600\n8700\n5300\n"},
    {"few", "1\n2\n3\n"},
    {"zero", "0\n0\n0\n0\n0\n"},
    {"flat", "1000\n1001\n1002\n1003\n1004\n"},
    {"raised", "{\"samples\": [1005, 1006, 1007, 1008, 1009]}"},
    {"boots", "a 7000\na 7576\nb 12880\nc 2516\nd 8880\ne 5120\n"},
    {"far", "1.7e308\n"},
    {"away", "-1.7e308\n"},
};

static void test_command(void **state)
{
    static const struct {
        const char *words[8];
        int status;
        const char *out, *err; /* a part of it; NULL: it must be empty */
    } cases[] = {
        {{"good", "bad"}, 1, "  higher         bad\n", NULL},
        {{"good", "bad", "--better", "lower"}, 1, "bad is worse than good, by +119.3% (99%", NULL},
        {{"good", "bad", "-b", "higher"}, 0, "  better         bad\n", NULL},
        {{"bad", "good", "--better", "lower"}, 0, "  better         good\n", NULL},
        {{"good", "near"}, 0, "  no difference  near\n", NULL},
        {{"good", "good"}, 0, "No difference was shown between good and good: p = 1.00", NULL},
        {{"good", "bad", "--alpha", "0.05"}, 1, "95% interval", NULL},
        {{"good", "bad", "--alpha", "0.001"}, 2, "  needs 2 more   bad\n", NULL},
        {{"few", "few"}, 2, "at a level of 0.01 it takes 2 more a side", NULL},
        {{"good", "near", "few"}, 2, "  needs 1 more   near\n", NULL},
        {{"zero", "good", "--better", "lower"}, 1, "good is worse than zero, by +7288 ", NULL},
        {{"good", "zero", "--better", "lower"}, 0, "by -100.0% ", NULL},
        {{"zero", "zero"}, 0, "No difference was shown", NULL},
        {{"flat", "raised"}, 0, "That is no more than the 1% that were to count", NULL},
        {{"flat", "raised", "--threshold", "0.2%"}, 1, "  higher         raised\n", NULL},
        {{"flat", "raised", "--threshold", "0%", "--noise", "2%"},
         0,
         "no more than the 2% by which identical builds differ",
         NULL},
        {{"boots", "bad"}, 1, "base boots: 5 trials, each the mean of its lines (6)\n", NULL},
        {{"boots", "bad", "--trial-value", "median"}, 1, "each the median of its lines (6)", NULL},
        {{"few", "far"}, 2, "cannot be told apart by 3 and 1 trials", NULL},
        {{"far", "away"}, 4, NULL, "cannot compare far with away: the sides lie too far apart"},
        {{"good"}, 4, NULL, "samples needs more arguments"},
        {{"good", "none"}, 5, NULL, "cannot open none: No such file or directory"},
        {{"-", "-"}, 4, NULL, "the standard input is given twice"},
        {{"good", "bad", "--better", "up"}, 4, NULL, "--better takes lower or higher, not \"up\""},
        {{"good", "bad", "--alpha", "0"}, 4, NULL, "--alpha: \"0\" is not a number from 0.001"},
        {{"good", "bad", "--threshold", "1"}, 4, NULL, "--threshold: \"1\" is not a percentage"},
        {{"good", "bad", "--noise", "-1%"}, 4, NULL, "--noise: \"-1%\" is not a percentage"},
        {{"good", "bad", "--trial-value", "max"}, 4, NULL, "--trial-value takes mean or median"},
        {{"good", "bad", "--alhpa", "1"}, 4, NULL, "did you mean --alpha?"},
    };

    assert_int_equal(chdir(*state), 0);
    for (size_t i = 0; i < COUNT(files); i++)
        free(write_file(".", files[i].name, files[i].content, strlen(files[i].content)));
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *argv[12] = {strdup("culprit"), strdup("samples"), strdup("compare")};
        _cleanup_free_ char *out = NULL;
        _cleanup_free_ char *err = NULL;
        size_t out_length, err_length;
        FILE *out_stream = open_memstream(&out, &out_length);
        FILE *err_stream = open_memstream(&err, &err_length);
        int argc = 3, status;

        for (; cases[i].words[argc - 3]; argc++)
            argv[argc] = strdup(cases[i].words[argc - 3]);
        status = cli_main(argc, argv, out_stream, err_stream, NULL);
        fclose(out_stream);
        fclose(err_stream);
        while (argc > 0)
            free(argv[--argc]);
        if (status != cases[i].status || (cases[i].out ? !strstr(out, cases[i].out) : *out) ||
            (cases[i].err ? !strstr(err, cases[i].err) : *err))
            fail_msg("case %zu: status %d, wanted %d\nout: %s\nerr: %s\nwanted: %s %s", i, status,
                     cases[i].status, out, err, cases[i].out ? cases[i].out : "",
                     cases[i].err ? cases[i].err : "");
        if (strstr(out, "nan") || strstr(out, "inf "))
            fail_msg("case %zu: %s", i, out);
    }
    assert_int_equal(chdir("/"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(test_forms),
        scratch_test(test_errors_name_the_place),
        scratch_test(test_zero_byte),
        scratch_test(test_limits),
        scratch_test(test_size_and_name_limits),
        scratch_test(test_command),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
