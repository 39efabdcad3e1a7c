/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/wait.h>

#include "payload_guest.h"

/* Everything with libvirt happens in children: one process has one embedded driver. */
static pid_t in_child(int (*body)(const char *scratch, int report), const char *scratch,
                      int *ret_report)
{
    int ends[2];

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(ends[0]);
        _exit(body(scratch, ends[1]));
    }
    close(ends[1]);
    *ret_report = ends[0];
    return pid;
}

/* The child's exit status and all that it reported. */
static int await_child(pid_t pid, int report, char *text, size_t size)
{
    int status;
    size_t length = 0;
    ssize_t got;

    while ((got = read(report, text + length, size - 1 - length)) > 0)
        length += (size_t)got;
    text[length] = '\0';
    close(report);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int say(int report, const char *text)
{
    return write(report, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : 1;
}

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

static const struct {
    const char *uri, *owner, *directory;
    enum culprit_code code;
    const char *message;
} refused[] = {
    {"qemu:///system?socket=/nonexistent/libvirt-sock", "a", NULL, CULPRIT_UNAVAILABLE,
     "systemctl start libvirtd"},
    {"qemu:///session?socket=/nonexistent/libvirt-sock", "a", NULL, CULPRIT_UNAVAILABLE,
     "libvirtd --daemon"},
    {"qemu+tcp://127.0.0.1:1/system", "a", NULL, CULPRIT_UNAVAILABLE, "that libvirtd runs there"},
    {"qemu:///embed", "a", NULL, CULPRIT_INVALID, "qemu:///embed?root=/DIR"},
    {"qemu:///embed?root=relative", "a", NULL, CULPRIT_INVALID, "absolute directory"},
    {"test:///default", "a", NULL, CULPRIT_UNSUPPORTED, "not QEMU"},
    {"nonsense", "a", NULL, CULPRIT_INVALID, "no libvirt URI"},
    {NULL, "a", NULL, CULPRIT_INVALID, "needs a URI, or a directory"},
    {NULL, "A b", "/tmp", CULPRIT_INVALID, "an owner of guests"},
    {NULL, "a", "/proc/nowhere", CULPRIT_NOT_FOUND, "/proc/nowhere"},
};

static int open_refused(const char *scratch, int report)
{
    (void)scratch;
    char text[1400];

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct culprit_error error = {0};
        struct hypervisor *hypervisor = NULL;
        struct libvirt_options options = {
            .uri = refused[i].uri,
            .owner = refused[i].owner,
            .directory = refused[i].directory,
        };
        int status = libvirt_hypervisor_open(&options, &hypervisor, &error);
        if (status == -(int)refused[i].code && strstr(error.message, refused[i].message))
            continue;
        snprintf(text, sizeof text, "%zu: %s, %s", i,
                 status < 0 ? culprit_code_name(error.code) : "opened", error.message);
        return say(report, text) || 1;
    }
    return 0;
}

static void test_refused(void **state)
{
    int report;
    char text[2048];
    pid_t child = in_child(open_refused, *state, &report);
    int status = await_child(child, report, text, sizeof text);

    assert_string_equal(text, "");
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(test_leftovers),       scratch_test(test_qemu_killed),
        scratch_test(test_directory_taken), scratch_test(test_long_path),
        scratch_test(test_ordinary_user),   scratch_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
