/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent_test.h"
#include "core/crc32c.h"
#include "core/record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

struct fixture {
    struct record_writer writer;
    int fd;
    char output[1024 * 1024];
};

static int begin(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));

    if (!fixture || (fixture->fd = memfd_create("records", MFD_CLOEXEC)) < 0)
        return -1;
    record_writer_init(&fixture->writer, fixture->fd);
    *state = fixture;
    return 0;
}

static int end(void **state)
{
    struct fixture *fixture = *state;

    close(fixture->fd);
    free(fixture);
    return 0;
}

static const char *output(struct fixture *fixture)
{
    ssize_t length = pread(fixture->fd, fixture->output, sizeof(fixture->output) - 1, 0);

    assert_true(length >= 0);
    fixture->output[length] = '\0';
    return fixture->output;
}

/* Each line is within the maximum and ASCII, and its checksum is that of what stands before it. */
static void check_lines(const char *text)
{
    for (const char *line = text; *line;) {
        const char *newline = strchr(line, '\n');
        assert_non_null(newline);
        size_t length = (size_t)(newline - line);
        uint32_t crc = 0;
        assert_true(length + 1 <= RECORD_LINE_MAXIMUM);
        for (size_t i = 0; i < length; i++)
            assert_in_range((unsigned char)line[i], 0x20, 0x7e);
        assert_true(length > 18);
        assert_int_equal(sscanf(newline - 18, ",\"crc\":\"%8" SCNx32 "\"}", &crc), 1);
        assert_int_equal(crc, crc32c_update(0, line, length - 18));
        line = newline + 1;
    }
}

static void members_are_written_in_order(void **state)
{
    struct fixture *fixture = *state;

    record_begin(&fixture->writer, "cpu");
    record_unsigned(&fixture->writer, "cpu", UINT64_MAX);
    record_signed(&fixture->writer, "package", -1);
    record_text(&fixture->writer, "siblings", "0-1", 100);
    record_finish(&fixture->writer);
    assert_int_equal(record_error(&fixture->writer), 0);
    check_lines(output(fixture));
    assert_contains(fixture->output, "{\"n\":0,\"t\":\"cpu\",\"cpu\":18446744073709551615,"
                                     "\"package\":-1,\"siblings\":\"0-1\",\"crc\":\"");
}

static void numbers_are_the_shortest_that_read_back(void **state)
{
    static const struct {
        double value;
        const char *written;
    } rows[] = {
        {0, "0"},
        {12240, "12240"},
        {2516.352, "2516.352"},
        {0.1, "0.1"},
        {1.0 / 3, "0.3333333333333333"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1e300, "1e+300"},
        {-1.5, "-1.5"},
        {9007199254740993.0, "9007199254740992"},
    };
    struct fixture *fixture = *state;
    char expected[64];

    for (size_t i = 0; i < COUNT(rows); i++) {
        record_begin(&fixture->writer, "sample");
        record_number(&fixture->writer, "value", rows[i].value);
        record_finish(&fixture->writer);
        snprintf(expected, sizeof(expected), "\"n\":%zu,\"t\":\"sample\",\"value\":%s,", i,
                 rows[i].written);
        assert_contains(output(fixture), expected);
    }
    check_lines(fixture->output);
}

static void text_becomes_ascii(void **state)
{
    static const struct {
        const char *given, *written;
    } rows[] = {
        {"plain", "plain"},
        {"\"\\/", "\\\"\\\\/"},
        {"a\nb\tc\x7f", "a\\u000ab\\u0009c\\u007f"},
        {"\xc3\xa9", "\\u00e9"},
        {"\xe2\x80\xa6", "\\u2026"},
        {"\xf0\x9f\x90\xa7", "\\ud83d\\udc27"},
        /* No UTF-8: a lone continuation, a cut sequence, an overlong form, a surrogate, too big. */
        {"\x80", "\\ufffd"},
        {"\xc3", "\\ufffd"},
        {"\xc3(", "\\ufffd("},
        {"\xc0\xaf", "\\ufffd\\ufffd"},
        {"\xed\xa0\x80", "\\ufffd\\ufffd\\ufffd"},
        {"\xf4\x90\x80\x80", "\\ufffd\\ufffd\\ufffd\\ufffd"},
        {"\xff\xfe", "\\ufffd\\ufffd"},
    };
    struct fixture *fixture = *state;
    char expected[128];

    for (size_t i = 0; i < COUNT(rows); i++) {
        record_log(&fixture->writer, rows[i].given);
        snprintf(expected, sizeof(expected), "\"n\":%zu,\"t\":\"log\",\"text\":\"%s\",", i,
                 rows[i].written);
        assert_contains(output(fixture), expected);
    }
    check_lines(fixture->output);
}

static void long_text_is_cut_at_a_whole_escape(void **state)
{
    struct fixture *fixture = *state;
    char text[3000];

    record_begin(&fixture->writer, "log");
    record_text(&fixture->writer, "text", "ab\n\n", 13); /* two escapes would make 14 */
    record_finish(&fixture->writer);
    assert_contains(output(fixture), "\"text\":\"ab\\u000a\",");

    memset(text, '\n', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    record_log(&fixture->writer, text);
    assert_int_equal(record_error(&fixture->writer), 0);
    check_lines(output(fixture));
}

static void pairs_fill_a_line_and_no_more(void **state)
{
    struct fixture *fixture = *state;
    unsigned taken = 0;

    record_begin(&fixture->writer, "histogram");
    record_pairs_begin(&fixture->writer, "buckets");
    while (record_pair(&fixture->writer, UINT64_MAX, taken))
        taken++;
    record_pairs_end(&fixture->writer);
    record_finish(&fixture->writer);
    assert_int_equal(record_error(&fixture->writer), 0);
    assert_in_range(taken, 140, 180);
    check_lines(output(fixture));
    assert_contains(fixture->output, "\"buckets\":[[18446744073709551615,0],[1844");
}

static void the_end_digests_the_measured_lines(void **state)
{
    struct fixture *fixture = *state;
    static const char *const types[] = {"hello", "sample", "counter", "log", "histogram"};
    uint32_t digest = 0;
    char expected[64];

    for (size_t i = 0; i < COUNT(types); i++) {
        record_begin(&fixture->writer, types[i]);
        record_finish(&fixture->writer);
    }
    record_end(&fixture->writer);
    check_lines(output(fixture));
    const char *line = fixture->output;
    for (size_t i = 0; i < COUNT(types); i++) {
        size_t length = strcspn(line, "\n");
        if (i == 1 || i == 2 || i == 4)
            digest = crc32c_update(digest, line, length);
        line += length + 1;
    }
    snprintf(expected, sizeof(expected),
             "{\"n\":5,\"t\":\"end\",\"records\":5,\"digest\":\"%08" PRIx32 "\",", digest);
    assert_contains(line, expected);
}

static void what_does_not_fit_stops_the_writer(void **state)
{
    struct fixture *fixture = *state;

    record_begin(&fixture->writer, "log");
    for (int i = 0; i < 200; i++)
        record_text(&fixture->writer, "text", "a text of some thirty characters", 100);
    record_finish(&fixture->writer);
    assert_int_equal(record_error(&fixture->writer), -EMSGSIZE);
    record_log(&fixture->writer, "later");
    assert_string_equal(output(fixture), "");
}

static void only_finite_numbers_are_written(void **state)
{
    struct fixture *fixture = *state;

    record_begin(&fixture->writer, "sample");
    record_number(&fixture->writer, "value", NAN);
    record_finish(&fixture->writer);
    assert_int_equal(record_error(&fixture->writer), -EDOM);
    assert_string_equal(output(fixture), "");
}

static void a_full_port_is_an_error_that_stays(void **state)
{
    struct record_writer writer;
    int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

    (void)state;
    assert_true(fd >= 0);
    record_writer_init(&writer, fd);
    record_log(&writer, "text");
    close(fd);
    assert_int_equal(record_error(&writer), -ENOSPC);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(members_are_written_in_order),
        TEST(numbers_are_the_shortest_that_read_back),
        TEST(text_becomes_ascii),
        TEST(long_text_is_cut_at_a_whole_escape),
        TEST(pairs_fill_a_line_and_no_more),
        TEST(the_end_digests_the_measured_lines),
        TEST(what_does_not_fit_stops_the_writer),
        TEST(only_finite_numbers_are_written),
        TEST(a_full_port_is_an_error_that_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
