/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every cmocka program here needs. */
#ifndef CULPRIT_TESTS_UNIT_AGENT_AGENT_TEST_H
#define CULPRIT_TESTS_UNIT_AGENT_AGENT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define assert_contains(text, part)                                     \
    do {                                                                \
        if (!strstr((text), (part)))                                    \
            fail_msg("\"%s\" does not contain \"%s\"", (text), (part)); \
    } while (0)

#endif
