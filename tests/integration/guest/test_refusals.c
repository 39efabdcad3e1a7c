/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a hypervisor that cannot be opened says. No guest runs here. */
#include <errno.h>
#include <sched.h>
#include <sys/mount.h>

#include "child.h"
#include "guest/libvirt/libvirt.h"

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

/* Replaces a file by a copy without the lines that begin with `word`, for this process alone. */
static int hide_lines(const char *scratch, const char *file, const char *word)
{
    _cleanup_free_ char *copy = path_join(scratch, strrchr(file, '/') + 1);
    char line[1024];

    if (!copy)
        return -1;
    _cleanup_fclose_ FILE *from = fopen(file, "re");
    FILE *to = fopen(copy, "we");
    while (from && to && fgets(line, sizeof line, from))
        if (strncmp(line, word, strlen(word)) != 0)
            fputs(line, to);
    if (!to || fclose(to) != 0)
        return -1;
    return mount(copy, file, NULL, MS_BIND, NULL);
}

enum { CANNOT_HIDE = 99 };

static int open_without(const char *scratch, const char *file, int report)
{
    struct culprit_error error = {0};
    CULPRIT_CLEANUP(hypervisor_free) struct hypervisor *hypervisor = NULL;
    _cleanup_free_ char *root = path_join(scratch, "vm");
    struct libvirt_options options = {.directory = root, .owner = "refusals"};
    char text[1400];

    if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        hide_lines(scratch, file, "libvirt-qemu:") < 0)
        return CANNOT_HIDE;
    int status = libvirt_hypervisor_open(&options, &hypervisor, &error);
    snprintf(text, sizeof text, "%s: %s", status < 0 ? culprit_code_name(error.code) : "opened",
             error.message);
    return say(report, text);
}

static int open_without_user(const char *scratch, int report)
{
    return open_without(scratch, "/etc/passwd", report);
}

static int open_without_group(const char *scratch, int report)
{
    return open_without(scratch, "/etc/group", report);
}

/* libvirt as root insists on a user and a group that it then makes no use of. */
static void check_missing(const char *scratch, int (*body)(const char *, int), const char *advice)
{
    int report;
    char text[2048];

    if (geteuid() != 0)
        skip(); /* it insists on nothing then */
    pid_t child = in_child(body, scratch, &report);
    int status = await_child(child, report, text, sizeof text);
    if (status == CANNOT_HIDE || strncmp(text, "opened", 6) == 0)
        skip(); /* no mounts here, or a libvirt that was built for other names */
    assert_int_equal(status, 0);
    assert_contains(text, "unsupported: cannot connect to libvirt at qemu:///embed");
    assert_contains(text, advice);
}

static void test_missing_user(void **state)
{
    check_missing(*state, open_without_user, "useradd --system --gid libvirt-qemu");
}

static void test_missing_group(void **state)
{
    check_missing(*state, open_without_group, "groupadd --system --force libvirt-qemu");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(test_refused),
        scratch_test(test_missing_user),
        scratch_test(test_missing_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
