/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/gate.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* An eventfd at one while nobody is inside: whoever reads it is. */
struct gate {
    int fd;
};

int gate_new(struct gate **ret, struct culprit_error *error)
{
    struct gate *gate = calloc(1, sizeof *gate);

    if (!gate)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a lock");
    gate->fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    if (gate->fd < 0) {
        int errnum = errno;
        free(gate);
        return culprit_fail_errno(error, errnum, "cannot create an eventfd");
    }
    *ret = gate;
    return 0;
}

void gate_free(struct gate *gate)
{
    if (!gate)
        return;
    close(gate->fd);
    free(gate);
}

int gate_enter(struct gate *gate, struct cancel *cancel, struct culprit_error *error)
{
    struct pollfd fds[] = {
        {.fd = gate->fd, .events = POLLIN},
        {.fd = cancel_fd(cancel), .events = POLLIN},
    };
    uint64_t one;

    for (;;) {
        if (cancel_requested(cancel))
            return culprit_fail(error, CULPRIT_CANCELLED, "cancelled while it waited for its turn");
        if (read(gate->fd, &one, sizeof one) == sizeof one)
            return 0;
        if (errno != EAGAIN && errno != EINTR)
            return culprit_fail_errno(error, errno, "cannot wait for a turn");
        poll(fds, 2, -1);
    }
}

void gate_leave(struct gate *gate)
{
    static const uint64_t one = 1;
    /* Eight bytes into an eventfd at zero cannot be short and cannot block. */
    ssize_t written = write(gate->fd, &one, sizeof one);

    (void)written;
}
