/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every cmocka program needs, and a directory of its own that goes away with the test. */
#ifndef CULPRIT_TESTS_SUPPORT_SCRATCH_H
#define CULPRIT_TESTS_SUPPORT_SCRATCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/file.h"

/* cmocka set-up and tear-down: *state is the path of an empty directory. */
static inline int scratch_setup(void **state)
{
    const char *parent = getenv("TMPDIR");
    char *path = text_format("%s/culprit-test-XXXXXX", parent ? parent : "/tmp");

    *state = path ? mkdtemp(path) : NULL;
    return *state ? 0 : -1;
}

static inline int scratch_teardown(void **state)
{
    struct culprit_error error = {0};
    int r = file_remove_tree(*state, &error);

    if (r < 0)
        print_error("%s\n", error.message);
    free(*state);
    return r;
}

#define scratch_test(function) \
    cmocka_unit_test_setup_teardown(function, scratch_setup, scratch_teardown)

/* Fails with the error's own words. */
#define assert_success(expression)                                                              \
    do {                                                                                        \
        if ((expression) < 0)                                                                   \
            fail_msg("%s: %s (%s)", #expression, error.message, culprit_code_name(error.code)); \
    } while (0)

#define assert_failure(expression, code_)                                                        \
    do {                                                                                         \
        int result_ = (expression);                                                              \
        if (result_ != -(int)(code_))                                                            \
            fail_msg("%s: %s instead of %s: %s", #expression,                                    \
                     result_ < 0 ? culprit_code_name((enum culprit_code) - result_) : "success", \
                     culprit_code_name(code_), result_ < 0 ? error.message : "");                \
    } while (0)

#define assert_contains(text, part)                                     \
    do {                                                                \
        if (!strstr((text), (part)))                                    \
            fail_msg("\"%s\" does not contain \"%s\"", (text), (part)); \
    } while (0)

#endif
