/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every cmocka program here needs. */
#ifndef CULPRIT_TESTS_UNIT_AGENT_AGENT_TEST_H
#define CULPRIT_TESTS_UNIT_AGENT_AGENT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* printf behind what an array of characters holds already; fails the test when it is full. */
__attribute__((format(printf, 3, 4))) static inline void append_to(char *text, size_t size,
                                                                   const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && (size_t)length < size - used);
}

#define append(text, ...) append_to(text, sizeof(text), __VA_ARGS__)

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define assert_contains(text, part)                                     \
    do {                                                                \
        if (!strstr((text), (part)))                                    \
            fail_msg("\"%s\" does not contain \"%s\"", (text), (part)); \
    } while (0)

#endif
