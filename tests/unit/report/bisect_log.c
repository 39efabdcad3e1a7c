/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The log, given to the real git on a repository of the fixture's shape. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "fixture.h"

static char directory[] = "/tmp/culprit-bisect-log-XXXXXX";

/* Runs a shell command in the directory; its output, at most 64 KiB, is the caller's. */
static char *shell(const char *command)
{
    _cleanup_buffer_ struct buffer output = BUFFER_INIT(64 * 1024), line = BUFFER_INIT(8192);
    char chunk[4096];
    size_t length;
    FILE *pipe;

    buffer_printf(&line,
                  "cd %s && export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null "
                  "GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a "
                  "GIT_COMMITTER_EMAIL=a@b LC_ALL=C && { %s; } 2>&1",
                  directory, command);
    pipe = popen(line.data, "r");
    assert_non_null(pipe);
    while ((length = fread(chunk, 1, sizeof chunk, pipe)) > 0)
        buffer_append(&output, chunk, length);
    pclose(pipe);
    return buffer_take(&output);
}

static void run(const char *command, const char *word)
{
    _cleanup_free_ char *output = shell(command);

    if (!output || !strstr(output, word))
        fail_msg("\"%s\" is not in the output of %s:\n%s", word, command, output);
}

/* One empty commit for each of the fixture's, with its parents; tags c0 … c9. */
static void make_repository(struct fixture *fixture)
{
    run("git init -q . && echo made", "made");
    for (unsigned c = 0; c < FIXTURE_COMMITS; c++) {
        _cleanup_buffer_ struct buffer command = BUFFER_INIT(4096);
        _cleanup_free_ char *id = NULL;

        buffer_printf(&command, "id=$(git commit-tree -m 'commit %u'", c);
        for (unsigned p = 0; p < fixture->commits[c].parent_count; p++)
            buffer_printf(&command, " -p c%u", fixture->commits[c].parents[p]);
        buffer_printf(&command, " $(git write-tree)) && git tag c%u $id && echo $id", c);
        id = shell(command.data);
        if (!id || strlen(id) < 40)
            fail_msg("git made no commit: %s", id);
        memcpy(fixture->commits[c].id, id, 40);
    }
    run("git reset -q --hard c9 && echo done", "done");
}

static void write_log(const struct report *report)
{
    _cleanup_buffer_ struct buffer log = BUFFER_INIT(1024 * 1024);
    _cleanup_free_ char *path = path_join(directory, "log");
    struct culprit_error error = {0};

    if (report_bisect_log(report, &log, &error) < 0 ||
        file_write_atomic(path, log.data, log.length, 0644, &error) < 0)
        fail_msg("%s", error.message);
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);

    if (!fixture || !mkdtemp(directory))
        return -1;
    fixture_make(fixture);
    make_repository(fixture);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    fixture_clear(*state);
    free(*state);
    return file_remove_tree(directory, NULL);
}

/* Without graph, with it, and with a good label on a branch that does not lead to the culprit. */
static void test_git_replays_it(void **state)
{
    struct fixture *fixture = *state;

    write_log(&fixture->report);
    run("git bisect replay log; git bisect log", "is the first bad commit");
    run("test $(git rev-parse refs/bisect/bad) = $(git rev-parse c5) && echo same", "same");
    run("git bisect reset; echo done", "done");
    fixture->commits[6].label = LABEL_GOOD; /* 6 is no ancestor of 5 */
    write_log(&fixture->report);
    run("git bisect replay log; git bisect log", "is the first bad commit");
    run("test $(git rev-parse refs/bisect/bad) = $(git rev-parse c5) && echo same", "same");
    run("git bisect reset; echo done", "done");
    fixture->commits[6].label = LABEL_UNTESTED;
}

/* The parent may have been tested by the verification alone. */
static void test_parent_that_was_only_verified(void **state)
{
    struct fixture *fixture = *state;

    fixture->commits[4].label = LABEL_UNTESTED;
    write_log(&fixture->report);
    run("git bisect replay log; git bisect log", "is the first bad commit");
    run("git bisect reset; echo done", "done");
    fixture->commits[4].label = LABEL_GOOD;
}

static void test_what_is_inferred_is_said(void **state)
{
    struct fixture *fixture = *state;
    _cleanup_buffer_ struct buffer log = BUFFER_INIT(1024 * 1024), want = BUFFER_INIT(4096);

    assert_int_equal(report_bisect_log(&fixture->report, &log, NULL), 0);
    buffer_printf(&want,
                  "# inferred: its kernel image is that of [%s]\n"
                  "# good: [%s] Documentation: Fix a typo\ngit bisect good %s\n",
                  fixture->commits[1].id, fixture->commits[3].id, fixture->commits[3].id);
    if (!strstr(log.data, want.data))
        fail_msg("%s is not in\n%s", want.data, log.data);
}

static void test_nothing_known(void **state)
{
    struct fixture *fixture = *state;
    struct report report = fixture->report;

    report.verdict = VERDICT_NO_REGRESSION;
    report.commit_count = 0;
    write_log(&report);
    run("git bisect replay log; git bisect log", "git bisect start");
    run("git bisect reset; echo done", "done");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_git_replays_it),
        cmocka_unit_test(test_parent_that_was_only_verified),
        cmocka_unit_test(test_what_is_inferred_is_said),
        cmocka_unit_test(test_nothing_known),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
