/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Everything with libvirt happens in children: one process has one embedded driver. */
#ifndef CULPRIT_TESTS_INTEGRATION_GUEST_CHILD_H
#define CULPRIT_TESTS_INTEGRATION_GUEST_CHILD_H

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scratch.h"

static inline pid_t in_child(int (*body)(const char *scratch, int report), const char *scratch,
                             int *ret_report)
{
    int ends[2];

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(ends[0]);
        exit(body(scratch, ends[1])); /* past what a sanitizer does at the end */
    }
    close(ends[1]);
    *ret_report = ends[0];
    return pid;
}

/* The child's exit status and all that it reported. */
static inline int await_child(pid_t pid, int report, char *text, size_t size)
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

static inline int say(int report, const char *text)
{
    return write(report, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : 1;
}

#endif
