/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A binary event on a futex: one waits, anybody posts. Written on the system call, so that what
 * is measured is the kernel's wakeup and not a C library's idea of one.
 */
#ifndef CULPRIT_AGENT_FUTEX_H
#define CULPRIT_AGENT_FUTEX_H

#include <limits.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's ABI; musl comes without <linux/futex.h>. */
enum {
    FUTEX_OPERATION_WAIT = 0 | 128, /* FUTEX_WAIT | FUTEX_PRIVATE_FLAG */
    FUTEX_OPERATION_WAKE = 1 | 128, /* FUTEX_WAKE | FUTEX_PRIVATE_FLAG */
};

enum { EVENT_CLEAR, EVENT_POSTED };

struct event {
    atomic_int state; /* EVENT_… */
};

static inline void event_clear(struct event *event)
{
    atomic_store(&event->state, EVENT_CLEAR);
}

/* Wakes the waiter, if there is one. Costs a system call only when the event was clear. */
static inline void event_post(struct event *event)
{
    if (atomic_exchange(&event->state, EVENT_POSTED) == EVENT_CLEAR)
        syscall(SYS_futex, &event->state, FUTEX_OPERATION_WAKE, 1, NULL, NULL, 0);
}

/* Comes back once the event is posted, which it stays. */
static inline void event_wait(struct event *event)
{
    while (atomic_load(&event->state) == EVENT_CLEAR)
        syscall(SYS_futex, &event->state, FUTEX_OPERATION_WAIT, EVENT_CLEAR, NULL, NULL, 0);
}

#endif
