/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent_test.h"
#include "core/crc32c.h"
#include "core/text.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static void numbers_are_digits_only(void **state)
{
    static const struct {
        const char *text;
        bool valid;
        uint64_t value;
    } rows[] = {
        {"0", true, 0},
        {"7", true, 7},
        {"18446744073709551615", true, UINT64_MAX},
        {"18446744073709551616", false, 0},
        {"99999999999999999999", false, 0},
        {"", false, 0},
        {"00", false, 0},
        {"010", false, 0},
        {"+1", false, 0},
        {"-1", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"0x10", false, 0},
        {"1e3", false, 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t value = 0;
        if (text_unsigned(rows[i].text, &value) != rows[i].valid || value != rows[i].value)
            fail_msg("\"%s\" gives %llu", rows[i].text, (unsigned long long)value);
    }
}

static void lines_and_words_are_cut_in_place(void **state)
{
    char text[] = "one  two\n\nthree";
    char *cursor = text, *line = text_next_line(&cursor);

    (void)state;
    assert_string_equal(text_next_word(&line), "one");
    assert_string_equal(text_next_word(&line), "two");
    assert_null(text_next_word(&line));
    assert_string_equal(text_next_line(&cursor), "");
    assert_string_equal(text_next_line(&cursor), "three");
    assert_null(text_next_line(&cursor));
}

static void files_are_read_up_to_a_maximum(void **state)
{
    char path[] = "/tmp/culprit-test-XXXXXX";
    char line[6], *text = NULL;
    size_t length = 0;
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "  a line \nsecond\n", 17), 17);
    close(fd);
    int read_all = text_read(path, 17, &text, &length);
    int too_long = text_read(path, 16, &(char *){NULL}, NULL);
    int first_line = text_read_line(path, line, sizeof(line));
    unlink(path);
    assert_int_equal(read_all, 0);
    assert_int_equal(length, 17);
    assert_string_equal(text, "  a line \nsecond\n");
    free(text);
    assert_int_equal(too_long, -EFBIG);
    assert_int_equal(first_line, 0);
    assert_string_equal(line, "a lin"); /* cut */
    assert_int_equal(text_read(path, 16, &text, NULL), -ENOENT);
    assert_int_equal(text_read_line(path, line, sizeof(line)), -ENOENT);
    assert_string_equal(line, "");
}

static void crc_is_castagnolis(void **state)
{
    static const struct {
        const char *bytes;
        size_t length;
        uint32_t crc;
    } rows[] = {
        {"123456789", 9, 0xe3069283},
        {"", 0, 0},
        /* RFC 3720, B.4: 32 bytes of zeros, and of ones. */
        {"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 32, 0x8a9136aa},
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
         "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
         32, 0x62a8ab43},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(crc32c_update(0, rows[i].bytes, rows[i].length), rows[i].crc);
        size_t half = rows[i].length / 2;
        uint32_t crc = crc32c_update(0, rows[i].bytes, half);
        assert_int_equal(crc32c_update(crc, rows[i].bytes + half, rows[i].length - half),
                         rows[i].crc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_digits_only),
        cmocka_unit_test(lines_and_words_are_cut_in_place),
        cmocka_unit_test(files_are_read_up_to_a_maximum),
        cmocka_unit_test(crc_is_castagnolis),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
