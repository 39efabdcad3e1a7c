/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/pidfd.h>

#include "child.h"
#include "payload_guest.h"

static int open_embedded(const char *scratch, struct hypervisor **ret, struct culprit_error *error)
{
    _cleanup_free_ char *root = path_join(scratch, "vm");
    struct libvirt_options options = {.directory = root, .owner = "integration"};

    return libvirt_hypervisor_open(&options, ret, error);
}

/* Opens, cleans, runs one payload; reports "leftovers N, END: REASON". */
static int run_mode(const char *scratch, const char *mode, int report)
{
    struct culprit_error error = {0};
    CULPRIT_CLEANUP(hypervisor_free) struct hypervisor *hypervisor = NULL;
    CULPRIT_CLEANUP(payload_guest_clear) struct payload_guest guest = {0};
    struct guest_run run;
    char text[2048];
    unsigned leftovers = 0;

    int status = open_embedded(scratch, &hypervisor, &error);
    if (status == 0)
        status = hypervisor_clean_leftovers(hypervisor, &leftovers, &error);
    if (status == 0)
        status = payload_guest_make(&guest, "pair", mode, 7, scratch, &error);
    if (status == 0)
        status = hypervisor_run(hypervisor, &guest.definition, NULL, &run, &error);
    if (status < 0)
        snprintf(text, sizeof text, "%s: %s", culprit_code_name(error.code), error.message);
    else
        snprintf(text, sizeof text, "leftovers %u, %s: %s", leftovers, guest_end_name(run.end),
                 run.reason);
    return say(report, text) || status < 0;
}

static int run_poweroff(const char *scratch, int report)
{
    return run_mode(scratch, "poweroff", report);
}

static int run_hang(const char *scratch, int report)
{
    return run_mode(scratch, "hang", report);
}

/* Returns once the guest has written its first record: it is really running then. */
static void await_guest(const char *scratch)
{
    _cleanup_free_ char *records = path_join(scratch, "records");
    _cleanup_close_ int watch = inotify_init1(IN_CLOEXEC);
    char events[4096];
    uint64_t size = 0;

    assert_true(watch >= 0);
    assert_true(inotify_add_watch(watch, scratch, IN_MODIFY | IN_CREATE) >= 0);
    while (file_size(records, &size, NULL) < 0 || size == 0)
        assert_true(read(watch, events, sizeof events) > 0);
}

/* The process of the one QEMU whose pid file lies below the driver's directory; 0: none. */
static pid_t find_qemu(const char *scratch)
{
    char command[512];
    long pid = 0;

    snprintf(command, sizeof command, "cat %s/vm/run/qemu/culprit-*.pid 2>/dev/null", scratch);
    FILE *stream = popen(command, "re");
    assert_non_null(stream);
    if (fscanf(stream, "%ld", &pid) != 1)
        pid = 0;
    pclose(stream);
    return (pid_t)pid;
}

/* What a daemon killed in the middle of a trial leaves behind, the next one destroys. */
static void test_leftovers(void **state)
{
    int report;
    char text[1024];
    pid_t child = in_child(run_hang, *state, &report);

    await_guest(*state);
    pid_t qemu = find_qemu(*state);
    assert_true(qemu > 0);
    kill(child, SIGKILL);
    assert_int_equal(await_child(child, report, text, sizeof text), 128 + SIGKILL);
    assert_int_equal(kill(qemu, 0), 0); /* it lives on */

    child = in_child(run_poweroff, *state, &report);
    int status = await_child(child, report, text, sizeof text);
    assert_string_equal(text, "leftovers 1, powered_off: ");
    assert_int_equal(status, 0);
    assert_true(kill(qemu, 0) < 0 && errno == ESRCH);
}

/* Has libvirt's record of the one guest say what it says until QEMU runs. */
static void make_unstarted(const char *scratch, bool keep_process)
{
    static const char edit[] =
        "cd %s/vm/run/qemu && sed -i -E \"/<job [^>]*>/d; s/<domstatus .*>/<domstatus "
        "state='paused' reason='starting up' pid='0'><job type='none' async='start' flags='0x0' "
        "asyncStarted='1796096051889'\\/>/\" culprit-*.xml && "
        "grep -q \"async='start'\" culprit-*.xml";
    _cleanup_free_ char *shell = text_format(edit, scratch);
    pid_t qemu = find_qemu(scratch);
    int process = pidfd_open(qemu, 0);

    assert_true(process >= 0);
    assert_int_equal(system(shell), 0);
    if (!keep_process) {
        struct pollfd gone = {.fd = process, .events = POLLIN};
        assert_int_equal(kill(qemu, SIGKILL), 0);
        assert_int_equal(poll(&gone, 1, 60000), 1);
    }
    close(process);
}

/* A daemon killed while it starts a guest: the next one is not held up by a start without end, and
 * a QEMU that was there already is gone. */
static void check_interrupted_start(const char *scratch, bool keep_process)
{
    int report;
    char text[1024];
    pid_t child = in_child(run_hang, scratch, &report);

    await_guest(scratch);
    pid_t qemu = find_qemu(scratch);
    kill(child, SIGKILL);
    assert_int_equal(await_child(child, report, text, sizeof text), 128 + SIGKILL);
    make_unstarted(scratch, keep_process);

    child = in_child(run_poweroff, scratch, &report);
    int status = await_child(child, report, text, sizeof text);
    bool lives = kill(qemu, SIGKILL) == 0; /* a test that fails leaves no guest behind either */
    assert_string_equal(text, "leftovers 0, powered_off: ");
    assert_int_equal(status, 0);
    assert_false(lives);
}

static void test_interrupted_start(void **state)
{
    check_interrupted_start(*state, false);
}

static void test_interrupted_start_with_process(void **state)
{
    check_interrupted_start(*state, true);
}

/* Puts down what libvirt leaves when it is killed while it asks QEMU what it can do; gives the
 * process, which `command` starts and writes into the file of its number. */
static pid_t leave_probe(const char *scratch, const char *name, const char *command)
{
    _cleanup_free_ char *directory = text_format("%s/vm/lib/qemu/%s", scratch, name);
    _cleanup_free_ char *file = path_join(directory, "qmp.pid");
    _cleanup_free_ char *shell = text_format("cd %s && %s", directory, command);
    _cleanup_free_ char *text = NULL;
    struct culprit_error error = {0};

    assert_success(file_make_directories(directory, 0700, &error));
    assert_int_equal(system(shell), 0);
    assert_success(file_read(file, 64, &text, NULL, &error));
    return (pid_t)strtol(text, NULL, 10);
}

/* So are QEMU processes without a guest; a number that became another process's is not touched. */
static void test_leftover_probes(void **state)
{
    static const char qemu[] = "qemu-system-x86_64 -S -no-user-config -nodefaults -nographic "
                               "-machine none -pidfile $PWD/qmp.pid -daemonize";
    static const char other[] = "{ sleep 600 >&- 2>&- & echo $! >qmp.pid; }";
    int report;
    char text[1024];
    pid_t probe = leave_probe(*state, "qmp-AAAAAA", qemu);
    pid_t bystander = leave_probe(*state, "qmp-BBBBBB", other);

    assert_true(probe > 0 && bystander > 0);
    assert_int_equal(kill(probe, 0), 0);
    pid_t child = in_child(run_poweroff, *state, &report);
    int status = await_child(child, report, text, sizeof text);
    bool lives = kill(bystander, SIGKILL) == 0;
    assert_string_equal(text, "leftovers 0, powered_off: ");
    assert_int_equal(status, 0);
    assert_true(kill(probe, 0) < 0 && errno == ESRCH);
    assert_true(lives);
    _cleanup_free_ char *left = path_join(*state, "vm/lib/qemu/qmp-AAAAAA");
    assert_false(file_exists(left));
}

static void test_qemu_killed(void **state)
{
    int report;
    char text[1024];
    pid_t child = in_child(run_hang, *state, &report);

    await_guest(*state);
    assert_int_equal(kill(find_qemu(*state), SIGKILL), 0);
    int status = await_child(child, report, text, sizeof text);
    assert_contains(text, "vanished: QEMU ended or was killed");
    assert_int_equal(status, 0);
}

static void test_directory_taken(void **state)
{
    int report, other_report;
    char text[1024];
    pid_t child = in_child(run_hang, *state, &report);

    await_guest(*state);
    pid_t other = in_child(run_poweroff, *state, &other_report);
    int status = await_child(other, other_report, text, sizeof text);
    assert_contains(text, "conflict: another process runs its guests in ");
    assert_int_equal(status, 1);
    assert_int_equal(kill(find_qemu(*state), SIGKILL), 0);
    await_child(child, report, text, sizeof text);
}

/* libvirt's own log does not grow for ever. */
static void test_long_log(void **state)
{
    int report;
    char text[1024];
    uint64_t size = 0;
    _cleanup_free_ char *root = path_join(*state, "vm");
    _cleanup_free_ char *log = path_join(root, "libvirt.log");
    struct culprit_error error = {0};

    assert_success(file_make_directories(root, 0700, &error));
    assert_success(file_write_atomic(log, "", 0, 0600, &error));
    assert_int_equal(truncate(log, 5 << 20), 0);
    pid_t child = in_child(run_poweroff, *state, &report);
    int status = await_child(child, report, text, sizeof text);
    assert_string_equal(text, "leftovers 0, powered_off: ");
    assert_int_equal(status, 0);
    assert_success(file_size(log, &size, &error));
    assert_in_range(size, 0, 1 << 20);
}

/* A path that leaves no room for sockets is stood in for by a short one. */
static int run_deep(const char *scratch, int report)
{
    _cleanup_free_ char *runtime = path_join(scratch, "run");
    _cleanup_free_ char *deep = text_format("%s/%0100d", scratch, 0);

    if (setenv("XDG_RUNTIME_DIR", runtime, 1) < 0 ||
        file_make_directories(runtime, 0700, NULL) < 0 ||
        file_make_directories(deep, 0700, NULL) < 0)
        return 1;
    return run_mode(deep, "poweroff", report);
}

static void test_long_path(void **state)
{
    int report;
    char text[1024];
    pid_t child = in_child(run_deep, *state, &report);
    int status = await_child(child, report, text, sizeof text);

    assert_string_equal(text, "leftovers 0, powered_off: ");
    assert_int_equal(status, 0);
}

static int run_apart(const char *scratch, int report)
{
    _cleanup_free_ char *blank = path_join(scratch, "a state, of two words");

    return file_make_directories(blank, 0700, NULL) < 0 || run_mode(blank, "poweroff", report);
}

static void test_path_with_blanks(void **state)
{
    int report;
    char text[1024];
    pid_t child = in_child(run_apart, *state, &report);
    int status = await_child(child, report, text, sizeof text);

    assert_string_equal(text, "leftovers 0, powered_off: ");
    assert_int_equal(status, 0);
}

/* Nothing of what root has: another user, another home. */
static int run_as_nobody(const char *scratch, int report)
{
    if (setgroups(0, NULL) < 0 || setresgid(65534, 65534, 65534) < 0 ||
        setresuid(65534, 65534, 65534) < 0 || setenv("HOME", scratch, 1) < 0 ||
        unsetenv("XDG_RUNTIME_DIR") < 0 || unsetenv("XDG_CACHE_HOME") < 0)
        return say(report, strerror(errno)) || 1;
    return run_mode(scratch, "poweroff", report);
}

static void test_ordinary_user(void **state)
{
    int report;
    char text[1024];

    if (geteuid() != 0)
        skip(); /* then all the others ran as one */
    assert_int_equal(chown(*state, 65534, 65534), 0);
    pid_t child = in_child(run_as_nobody, *state, &report);
    int status = await_child(child, report, text, sizeof text);
    assert_string_equal(text, "leftovers 0, powered_off: ");
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(test_leftovers),
        scratch_test(test_interrupted_start),
        scratch_test(test_interrupted_start_with_process),
        scratch_test(test_leftover_probes),
        scratch_test(test_qemu_killed),
        scratch_test(test_directory_taken),
        scratch_test(test_long_path),
        scratch_test(test_path_with_blanks),
        scratch_test(test_long_log),
        scratch_test(test_ordinary_user),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
