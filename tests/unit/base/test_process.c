/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process.h"
#include "scratch.h"

static const uint64_t SECOND = 1000000000;

static struct strv shell(const char *script)
{
    struct strv argv = {0};

    strv_append(&argv, "/bin/sh");
    strv_append(&argv, "-c");
    strv_append(&argv, script);
    return argv;
}

static void statuses_are_told_apart(void **state)
{
    static const struct {
        const char *script;
        bool exited;
        int status;
    } cases[] = {{"exit 0", true, 0}, {"exit 7", true, 7}, {"kill -9 $$", false, SIGKILL}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        _cleanup_strv_ struct strv argv = shell(cases[i].script);
        struct process_result result = {0};
        struct culprit_error error = {0};

        assert_success(process_run(&argv, NULL, &result, &error));
        if (result.exited != cases[i].exited || result.status != cases[i].status)
            fail_msg("\"%s\" gives exited %d, status %d", cases[i].script, result.exited,
                     result.status);
    }
}

static void a_missing_program_is_named(void **state)
{
    _cleanup_strv_ struct strv argv = {0};
    struct process_options options = {0};
    struct process_result result;
    struct culprit_error error = {0};

    (void)state;
    strv_append(&argv, "no-such-program");
    assert_failure(process_run(&argv, NULL, &result, &error), CULPRIT_NOT_FOUND);
    assert_contains(error.message, "no-such-program");
    options.directory = "/nonexistent";
    assert_failure(process_run(&argv, &options, &result, &error), CULPRIT_NOT_FOUND);
    assert_contains(error.message, "/nonexistent");
}

static void output_is_appended_to_the_file(void **state)
{
    const char *directory = *state;
    _cleanup_free_ char *path = path_join(directory, "log");
    _cleanup_free_ char *text = NULL;
    _cleanup_strv_ struct strv argv = shell("echo out; echo err >&2; pwd; echo $A; cat");
    static const char *const environment[] = {"A=only this", NULL};
    struct process_options options = {
        .directory = "/", .output_path = path, .environment = environment};
    struct process_result result;
    struct culprit_error error = {0};

    assert_success(file_write_atomic(path, "before\n", 7, 0600, &error));
    assert_success(process_run(&argv, &options, &result, &error));
    assert_int_equal(result.status, 0);
    assert_success(file_read(path, 1000, &text, NULL, &error));
    assert_string_equal(text, "before\nout\nerr\n/\nonly this\n");
}

static void the_last_bytes_are_not_lost(void **state)
{
    const char *directory = *state;
    _cleanup_free_ char *path = path_join(directory, "log");
    _cleanup_strv_ struct strv argv = shell("head -c 300000 /dev/zero");
    struct process_options options = {.output_path = path, .output_maximum = 300000};
    struct process_result result;
    struct culprit_error error = {0};
    uint64_t size = 0;

    assert_success(process_run(&argv, &options, &result, &error));
    assert_success(file_size(path, &size, &error));
    assert_int_equal(size, 300000);
}

static void the_output_limit_is_exact(void **state)
{
    const char *directory = *state;
    _cleanup_free_ char *path = path_join(directory, "log");
    _cleanup_strv_ struct strv argv = shell("yes");
    struct process_options options = {.output_path = path, .output_maximum = 100000};
    struct process_result result;
    struct culprit_error error = {0};
    uint64_t size = 0;

    assert_failure(process_run(&argv, &options, &result, &error), CULPRIT_LIMIT);
    assert_contains(error.message, "/bin/sh wrote more output than its limit of 100000");
    assert_success(file_size(path, &size, &error));
    assert_int_equal(size, 100000);
}

static pid_t read_pid(const char *path)
{
    _cleanup_free_ char *text = NULL;
    struct culprit_error error = {0};

    assert_success(file_read(path, 100, &text, NULL, &error));
    return (pid_t)atoi(text);
}

/* Waits until the process is gone; fails after ten seconds. A pidfd sees also what init reaps. */
static void assert_gone(pid_t pid)
{
    struct pollfd poll_fd = {.fd = pidfd_open(pid, 0), .events = POLLIN};

    if (poll_fd.fd < 0) {
        assert_int_equal(errno, ESRCH);
        return;
    }
    if (poll(&poll_fd, 1, 10000) != 1)
        fail_msg("process %d still runs", (int)pid);
    close(poll_fd.fd);
}

static void a_timeout_ends_the_whole_group(void **state)
{
    const char *directory = *state;
    _cleanup_free_ char *path = path_join(directory, "pid");
    _cleanup_free_ char *script = text_format("sleep 1000 & echo $! > %s; wait", path);
    _cleanup_strv_ struct strv argv = shell(script);
    struct process_options options = {.timeout_ns = SECOND / 2};
    struct process_result result;
    struct culprit_error error = {0};

    assert_failure(process_run(&argv, &options, &result, &error), CULPRIT_TIMED_OUT);
    assert_contains(error.message, "longer than 500ms");
    assert_gone(read_pid(path));
}

static void who_ignores_sigterm_is_killed(void **state)
{
    _cleanup_strv_ struct strv argv = shell("trap '' TERM; while :; do sleep 1000; done");
    struct process_options options = {.timeout_ns = SECOND / 5};
    struct process_result result;
    struct culprit_error error = {0};
    uint64_t start = clock_monotonic(&clock_system), took;

    (void)state;
    assert_failure(process_run(&argv, &options, &result, &error), CULPRIT_TIMED_OUT);
    took = clock_monotonic(&clock_system) - start;
    assert_true(took >= 2 * SECOND);
    assert_true(took < 20 * SECOND);
}

static void what_the_leader_leaves_behind_is_killed(void **state)
{
    const char *directory = *state;
    _cleanup_free_ char *path = path_join(directory, "pid");
    _cleanup_free_ char *script = text_format("sleep 1000 & echo $! > %s", path);
    _cleanup_strv_ struct strv argv = shell(script);
    struct process_result result;
    struct culprit_error error = {0};

    assert_success(process_run(&argv, NULL, &result, &error));
    assert_gone(read_pid(path));
}

static void *request(void *context)
{
    cancel_request(context);
    return NULL;
}

static void cancellation_ends_it(void **state)
{
    _cleanup_strv_ struct strv argv = shell("exec sleep 1000");
    CULPRIT_CLEANUP(cancel_free) struct cancel *cancel = NULL;
    struct process_options options = {0};
    struct process_result result;
    struct culprit_error error = {0};
    pthread_t thread;

    (void)state;
    assert_success(cancel_new(&cancel, &error));
    options.cancel = cancel;
    assert_int_equal(pthread_create(&thread, NULL, request, cancel), 0);
    assert_failure(process_run(&argv, &options, &result, &error), CULPRIT_CANCELLED);
    pthread_join(thread, NULL);
    assert_failure(process_run(&argv, &options, &result, &error), CULPRIT_CANCELLED);
}

/* A process that runs a child and is killed must take the child with it. */
static void the_child_dies_with_its_caller(void **state)
{
    const char *directory = *state;
    _cleanup_free_ char *path = path_join(directory, "pid");
    _cleanup_free_ char *fifo = path_join(directory, "ready");
    _cleanup_free_ char *script = text_format("echo $$ > %s; read line < %s; exec sleep 1000", path,
                                              fifo);
    _cleanup_fclose_ FILE *ready = NULL;
    pid_t caller;

    assert_int_equal(mkfifo(fifo, 0600), 0);
    caller = fork();
    assert_true(caller >= 0);
    if (caller == 0) {
        struct strv argv = shell(script);
        struct process_result result;

        process_run(&argv, NULL, &result, NULL);
        _exit(0);
    }
    ready = fopen(fifo, "we"); /* blocks until the child opens the other end */
    assert_non_null(ready);
    assert_int_equal(kill(caller, SIGKILL), 0);
    assert_int_equal(waitpid(caller, NULL, 0), caller);
    assert_gone(read_pid(path));
}

static void signals_and_descriptors_are_not_inherited(void **state)
{
    _cleanup_strv_ struct strv argv = shell("grep -E '^Sig(Blk|Ign)' /proc/self/status;"
                                            "for i in 3 4 5 6 7 8 9 50; do "
                                            "  if [ -e /proc/self/fd/$i ]; then "
                                            "    readlink /proc/self/fd/$i; fi; done");
    _cleanup_free_ char *output = NULL;
    struct culprit_error error = {0};
    sigset_t block, before;

    (void)state;
    sigfillset(&block);
    pthread_sigmask(SIG_SETMASK, &block, &before);
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(dup2(0, 50), 50);
    assert_success(process_capture(&argv, NULL, 1000, &output, &error));
    close(50);
    signal(SIGPIPE, SIG_DFL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    assert_string_equal(output, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

static void capture_returns_output_or_the_last_words(void **state)
{
    _cleanup_strv_ struct strv good = shell("echo text; echo noise >&2");
    _cleanup_strv_ struct strv bad = shell("echo first >&2; echo the reason >&2; echo; exit 3");
    _cleanup_strv_ struct strv silent = shell("exit 4");
    _cleanup_strv_ struct strv killed = shell("kill -15 $$");
    _cleanup_strv_ struct strv endless = shell("yes");
    _cleanup_strv_ struct strv chatty = shell(
        "yes noise | head -c 199998 >&2; echo end >&2; false");
    _cleanup_free_ char *output = NULL;
    char *none = NULL;
    struct culprit_error error = {0};

    (void)state;
    assert_success(process_capture(&good, NULL, 5, &output, &error));
    assert_string_equal(output, "text\n");
    assert_failure(process_capture(&bad, NULL, 100, &none, &error), CULPRIT_FAILED);
    assert_string_equal(error.message, "/bin/sh ended with status 3: the reason");
    assert_failure(process_capture(&silent, NULL, 100, &none, &error), CULPRIT_FAILED);
    assert_string_equal(error.message, "/bin/sh ended with status 4");
    assert_failure(process_capture(&killed, NULL, 100, &none, &error), CULPRIT_FAILED);
    assert_string_equal(error.message, "/bin/sh was ended by signal 15 (TERM)");
    assert_failure(process_capture(&endless, NULL, 100, &none, &error), CULPRIT_LIMIT);
    assert_failure(process_capture(&chatty, NULL, 100, &none, &error), CULPRIT_FAILED);
    assert_string_equal(error.message, "/bin/sh ended with status 1: end");
    assert_null(none);
}

static void a_full_disk_ends_the_run(void **state)
{
    _cleanup_strv_ struct strv argv = shell("yes");
    struct process_options options = {.output_path = "/dev/full"};
    struct process_result result;
    struct culprit_error error = {0};

    (void)state;
    assert_failure(process_run(&argv, &options, &result, &error), CULPRIT_NO_SPACE);
    assert_contains(error.message, "/dev/full");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses_are_told_apart),
        cmocka_unit_test(a_missing_program_is_named),
        scratch_test(output_is_appended_to_the_file),
        scratch_test(the_last_bytes_are_not_lost),
        scratch_test(the_output_limit_is_exact),
        scratch_test(a_timeout_ends_the_whole_group),
        cmocka_unit_test(who_ignores_sigterm_is_killed),
        scratch_test(what_the_leader_leaves_behind_is_killed),
        cmocka_unit_test(cancellation_ends_it),
        scratch_test(the_child_dies_with_its_caller),
        cmocka_unit_test(signals_and_descriptors_are_not_inherited),
        cmocka_unit_test(capture_returns_output_or_the_last_words),
        cmocka_unit_test(a_full_disk_ends_the_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
