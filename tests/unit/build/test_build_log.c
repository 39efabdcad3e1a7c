/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The logs are of builds that failed in these ways, cut to the lines that matter. */
#include <string.h>

#include "build/build_log.h"
#include "scratch.h"

static void fault_of(const char *directory, const char *text, enum build_fault *ret,
                     char line[BUILD_FAULT_SIZE])
{
    _cleanup_free_ char *path = path_join(directory, "log");
    struct culprit_error error = {0};

    assert_success(file_write_atomic(path, text, strlen(text), 0644, &error));
    assert_success(build_log_fault(path, "/culprit/source", ret, line, &error));
}

static void placeholder(void **state)
{
    enum build_fault fault;
    char line[BUILD_FAULT_SIZE];

    fault_of(*state, "", &fault, line);
    assert_string_equal(line, "");
    assert_int_equal(fault, BUILD_FAULT_SOURCE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(placeholder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
