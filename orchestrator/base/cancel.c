/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cancel.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* The flag answers without a system call; the eventfd, never read, stays readable for poll(). */
struct cancel {
    atomic_bool requested;
    int fd;
};

int cancel_new(struct cancel **ret, struct culprit_error *error)
{
    struct cancel *cancel = calloc(1, sizeof *cancel);

    if (!cancel)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a cancellation");
    atomic_init(&cancel->requested, false);
    cancel->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (cancel->fd < 0) {
        int errnum = errno;
        free(cancel);
        return culprit_fail_errno(error, errnum, "cannot create an eventfd");
    }
    *ret = cancel;
    return 0;
}

void cancel_free(struct cancel *cancel)
{
    if (!cancel)
        return;
    close(cancel->fd);
    free(cancel);
}

void cancel_request(struct cancel *cancel)
{
    static const uint64_t one = 1;
    int saved = errno;
    ssize_t written;

    if (!cancel)
        return;
    if (!atomic_exchange(&cancel->requested, true)) {
        /* Eight bytes into an eventfd at zero cannot be short and cannot block. */
        written = write(cancel->fd, &one, sizeof one);
        (void)written;
    }
    errno = saved;
}

bool cancel_requested(const struct cancel *cancel)
{
    return cancel && atomic_load(&cancel->requested);
}

int cancel_fd(const struct cancel *cancel)
{
    return cancel ? cancel->fd : -1;
}
