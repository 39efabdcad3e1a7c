/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "scratch.h"

/* Sends standard error into a file while `write_lines` runs. */
static char *capture(const char *directory, void (*write_lines)(void))
{
    _cleanup_free_ char *path = path_join(directory, "log");
    int saved = dup(STDERR_FILENO);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    char *text = NULL;

    assert_true(saved >= 0 && fd >= 0);
    fflush(stderr);
    dup2(fd, STDERR_FILENO);
    write_lines();
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    close(fd);
    assert_int_equal(file_read(path, 1 << 20, &text, NULL, NULL), 0);
    return text;
}

static void some_lines(void)
{
    log_debug("hidden", NULL);
    log_info("trial ended", "JOB=5", "TRIAL=17", NULL);
    log_error("bad \n\033[31mname", "COMMIT=1f2e\r3d4", NULL);
}

static void one_line_for_each_message(void **state)
{
    _cleanup_free_ char *text = NULL;

    unsetenv("JOURNAL_STREAM");
    text = capture(*state, some_lines);
    assert_string_equal(text, "info trial ended JOB=5 TRIAL=17\n"
                              "error bad \\x0a\\x1b[31mname COMMIT=1f2e\\x0d3d4\n");
}

static void long_line(void)
{
    static char field[40000];

    memset(field, 'x', sizeof field - 1);
    log_warning("long", field, NULL);
    log_set_level(LOG_ERR);
    log_warning("hidden", NULL);
    log_set_level(LOG_INFO);
}

static void long_lines_are_cut(void **state)
{
    _cleanup_free_ char *text = capture(*state, long_line);

    assert_int_equal(strncmp(text, "warning long xxx", 16), 0);
    assert_in_range(strlen(text), 10000, 20000);
    assert_int_equal(strcspn(text, "\n"), strlen(text) - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(one_line_for_each_message),
        scratch_test(long_lines_are_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
