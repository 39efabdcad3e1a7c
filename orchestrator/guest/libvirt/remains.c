/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/libvirt/remains.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/pidfd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/units.h"

enum {
    PID_TEXT_MAXIMUM = 32,
    COMMAND_MAXIMUM = 64 * 1024,
    PID_MAXIMUM = 1 << 22,
    STATUS_MAXIMUM = 4 * 1024 * 1024
};

static bool read_pid(const char *path, uint64_t *ret)
{
    _cleanup_free_ char *text = NULL;

    if (file_read(path, PID_TEXT_MAXIMUM, &text, NULL, NULL) < 0)
        return false;
    text[strcspn(text, "\n")] = '\0';
    return parse_count(text, 2, PID_MAXIMUM, ret, NULL) == 0;
}

/* Whether the process was started with this word, or one that begins with it where `prefix`: a
 * number that another process has by now names somebody else. */
static bool was_given(uint64_t pid, const char *word, bool prefix)
{
    _cleanup_free_ char *path = text_format("/proc/%llu/cmdline", (unsigned long long)pid);
    _cleanup_free_ char *command = NULL;
    size_t length = 0;

    if (!path || file_read(path, COMMAND_MAXIMUM, &command, &length, NULL) < 0)
        return false;
    for (const char *at = command; at < command + length; at += strlen(at) + 1) {
        if (prefix ? strncmp(at, word, strlen(word)) == 0 : strcmp(at, word) == 0)
            return true;
    }
    return false;
}

/* Kills the process whose number stands in the file, if it was given the word. */
static void end_process(const char *file, const char *word, bool prefix)
{
    _cleanup_close_ int process = -1;
    uint64_t pid;

    if (!read_pid(file, &pid))
        return;
    process = pidfd_open((pid_t)pid, 0); /* first, so that what is looked at is what is ended */
    if (process >= 0 && was_given(pid, word, prefix))
        pidfd_send_signal(process, SIGKILL, NULL, 0);
}

/* Calls visit(parent, name, context) for each entry of the directory, if there is one. */
static void each_entry(const char *parent, void (*visit)(const char *, const char *, const void *),
                       const void *context)
{
    DIR *directory = parent ? opendir(parent) : NULL;
    const struct dirent *entry;

    if (!directory)
        return;
    /* Safe on a stream of one's own (readdir(3)). NOLINTNEXTLINE(concurrency-mt-unsafe) */
    while ((entry = readdir(directory)))
        visit(parent, entry->d_name, context);
    closedir(directory);
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), of_end = strlen(end);

    return length >= of_end && strcmp(text + length - of_end, end) == 0;
}

static void end_probe(const char *parent, const char *name, const void *context)
{
    _cleanup_free_ char *directory = path_join(parent, name);
    _cleanup_free_ char *file = directory ? path_join(directory, "qmp.pid") : NULL;

    (void)context;
    if (!file || strncmp(name, "qmp-", strlen("qmp-")) != 0)
        return;
    end_process(file, file, false);
    file_remove_tree(directory, NULL);
}

/* What libvirt writes of a guest before it starts QEMU, and again when QEMU runs its first
 * instruction. */
static bool was_being_started(const char *status_path)
{
    _cleanup_free_ char *status = NULL;
    const char *job;

    if (file_read(status_path, STATUS_MAXIMUM, &status, NULL, NULL) < 0)
        return false;
    job = strstr(status, "<job ");
    if (!job || !strstr(status, "<domstatus "))
        return false;
    status[job - status + strcspn(job, ">")] = '\0';
    return strstr(job, "async='start'");
}

/* A directory that libvirt made for the guest: "domain-12-NAME". */
static void remove_own(const char *parent, const char *name, const void *guest)
{
    _cleanup_free_ char *end = text_format("-%s", (const char *)guest);
    _cleanup_free_ char *path = path_join(parent, name);

    if (end && path && strncmp(name, "domain-", strlen("domain-")) == 0 && ends_with(name, end))
        file_remove_tree(path, NULL);
}

static void end_start(const char *parent, const char *name, const void *root)
{
    _cleanup_free_ char *status = path_join(parent, name);
    _cleanup_free_ char *guest = strndup(name, strcspn(name, "."));
    _cleanup_free_ char *file = guest ? text_format("%s/%s.pid", parent, guest) : NULL;
    _cleanup_free_ char *argument = guest ? text_format("guest=%s,", guest) : NULL;
    _cleanup_free_ char *own = text_format("%s/lib/qemu", (const char *)root);
    _cleanup_free_ char *ports = text_format("%s/lib/qemu/channel/target", (const char *)root);

    if (!status || !file || !argument || !ends_with(name, ".xml") || !was_being_started(status))
        return;
    end_process(file, argument, true);
    each_entry(own, remove_own, guest);
    each_entry(ports, remove_own, guest);
    file_remove_tree(file, NULL);
    file_remove_tree(status, NULL);
}

void remains_end(const char *root)
{
    _cleanup_free_ char *probes = path_join(root, "lib/qemu");
    _cleanup_free_ char *guests = path_join(root, "run/qemu");

    each_entry(probes, end_probe, NULL);
    each_entry(guests, end_start, root);
}
