/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/buffer.h"
#include "scratch.h"

static void grows_and_terminates(void **state)
{
    _cleanup_buffer_ struct buffer buffer = BUFFER_INIT(100000);

    (void)state;
    for (int i = 0; i < 10000; i++)
        buffer_printf(&buffer, "%d,", i % 10);
    assert_int_equal(buffer.length, 20000);
    assert_int_equal(strlen(buffer.data), 20000);
    assert_memory_equal(buffer.data + 19998, "9,", 3);
}

static void holds_exactly_its_maximum(void **state)
{
    _cleanup_buffer_ struct buffer buffer = BUFFER_INIT(4);
    struct culprit_error error = {0};

    (void)state;
    buffer_puts(&buffer, "abcd");
    assert_success(buffer_status(&buffer, "the text", &error));
    buffer_append(&buffer, "e", 1);
    assert_failure(buffer_status(&buffer, "the text", &error), CULPRIT_LIMIT);
    assert_string_equal(error.message, "the text is longer than 4 bytes");
    assert_string_equal(buffer.data, "abcd");
}

static void remembers_a_failure_until_reset(void **state)
{
    _cleanup_buffer_ struct buffer buffer = BUFFER_INIT(4);
    _cleanup_free_ char *taken = NULL;

    (void)state;
    buffer_puts(&buffer, "too long");
    buffer_puts(&buffer, "ok");
    assert_null(buffer_take(&buffer));
    buffer_reset(&buffer);
    buffer_puts(&buffer, "ok");
    taken = buffer_take(&buffer);
    assert_string_equal(taken, "ok");
    assert_null(buffer.data);
}

static void survives_sizes_that_overflow(void **state)
{
    _cleanup_buffer_ struct buffer buffer = BUFFER_INIT(SIZE_MAX);

    (void)state;
    buffer_puts(&buffer, "a");
    buffer_append(&buffer, "b", SIZE_MAX);
    assert_int_not_equal(buffer.status, CULPRIT_OK);
    assert_string_equal(buffer.data, "a");
}

static void takes_empty_as_empty_string(void **state)
{
    _cleanup_buffer_ struct buffer buffer = BUFFER_INIT(4);
    _cleanup_free_ char *taken = buffer_take(&buffer);

    (void)state;
    assert_string_equal(taken, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_and_terminates),
        cmocka_unit_test(holds_exactly_its_maximum),
        cmocka_unit_test(remembers_a_failure_until_reset),
        cmocka_unit_test(survives_sizes_that_overflow),
        cmocka_unit_test(takes_empty_as_empty_string),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
