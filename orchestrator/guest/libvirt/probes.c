/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/libvirt/probes.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/pidfd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/units.h"

enum { PID_TEXT_MAXIMUM = 32, COMMAND_MAXIMUM = 64 * 1024, PID_MAXIMUM = 1 << 22 };

static bool read_pid(const char *path, uint64_t *ret)
{
    _cleanup_free_ char *text = NULL;

    if (file_read(path, PID_TEXT_MAXIMUM, &text, NULL, NULL) < 0)
        return false;
    text[strcspn(text, "\n")] = '\0';
    return parse_count(text, 2, PID_MAXIMUM, ret, NULL) == 0;
}

/* Whether the process was started with this file as an argument: a number that another process has
 * by now names somebody else. */
static bool was_given(uint64_t pid, const char *file)
{
    _cleanup_free_ char *path = text_format("/proc/%llu/cmdline", (unsigned long long)pid);
    _cleanup_free_ char *command = NULL;
    size_t length = 0;

    if (!path || file_read(path, COMMAND_MAXIMUM, &command, &length, NULL) < 0)
        return false;
    for (const char *word = command; word < command + length; word += strlen(word) + 1) {
        if (strcmp(word, file) == 0)
            return true;
    }
    return false;
}

static void end_probe(const char *directory)
{
    _cleanup_free_ char *file = path_join(directory, "qmp.pid");
    _cleanup_close_ int process = -1;
    uint64_t pid;

    if (!file)
        return;
    if (read_pid(file, &pid)) {
        process = pidfd_open((pid_t)pid, 0); /* first, so that what is looked at is what is ended */
        if (process >= 0 && was_given(pid, file))
            pidfd_send_signal(process, SIGKILL, NULL, 0);
    }
    file_remove_tree(directory, NULL);
}

void probes_end(const char *root)
{
    _cleanup_free_ char *path = path_join(root, "lib/qemu");
    DIR *directory = path ? opendir(path) : NULL;
    const struct dirent *entry;

    if (!directory)
        return;
    /* Safe on a stream of one's own (readdir(3)). NOLINTNEXTLINE(concurrency-mt-unsafe) */
    while ((entry = readdir(directory))) {
        _cleanup_free_ char *probe = NULL;

        if (strncmp(entry->d_name, "qmp-", strlen("qmp-")) != 0)
            continue;
        probe = path_join(path, entry->d_name);
        if (probe)
            end_probe(probe);
    }
    closedir(directory);
}
