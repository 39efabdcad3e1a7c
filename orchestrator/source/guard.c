/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/guard.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"

enum { BREAK_SIGNAL = SIGUSR2, REPEAT_NS = 50 * 1000000 };

struct guard {
    struct cancel *cancel;
    uint64_t silence_ns;
    _Atomic uint64_t heard_ns;
    pthread_t guarded, thread;
    sigset_t mask; /* the guarded thread's, as it was */
    int ended;     /* eventfd */
};

static pthread_once_t handler_once = PTHREAD_ONCE_INIT;

static void on_break(int number)
{
    (void)number;
}

/* Without SA_RESTART, so that calls end. */
static void set_handler(void)
{
    const struct sigaction action = {.sa_handler = on_break};

    sigaction(BREAK_SIGNAL, &action, NULL);
}

static uint64_t silence_ends(const struct guard *guard)
{
    return atomic_load(&guard->heard_ns) + guard->silence_ns;
}

static bool silent(const struct guard *guard)
{
    return clock_monotonic(&clock_system) >= silence_ends(guard);
}

static struct timespec until(uint64_t at)
{
    uint64_t now = clock_monotonic(&clock_system);
    uint64_t left = at > now ? at - now : 0;

    return (struct timespec){.tv_sec = (time_t)(left / 1000000000),
                             .tv_nsec = (long)(left % 1000000000)};
}

static void *watch(void *context)
{
    struct guard *guard = context;

    for (;;) {
        bool cancelled = cancel_requested(guard->cancel);
        struct pollfd fds[] = {
            {.fd = guard->ended, .events = POLLIN},
            {.fd = cancelled ? -1 : cancel_fd(guard->cancel), .events = POLLIN},
        };
        struct timespec timeout = until(silence_ends(guard));

        if (cancelled || silent(guard)) {
            pthread_kill(guard->guarded, BREAK_SIGNAL);
            timeout = (struct timespec){.tv_nsec = REPEAT_NS};
        }
        if (ppoll(fds, 2, &timeout, NULL) > 0 && fds[0].revents)
            return NULL;
    }
}

/* The watching thread takes no signals, least of all those that are meant for the event loop. */
static int start_thread(struct guard *guard)
{
    sigset_t all, one;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &guard->mask);
    int status = pthread_create(&guard->thread, NULL, watch, guard);
    pthread_sigmask(SIG_SETMASK, &guard->mask, NULL);
    if (status != 0)
        return -status;
    sigemptyset(&one);
    sigaddset(&one, BREAK_SIGNAL);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    return 0;
}

int guard_begin(struct cancel *cancel, uint64_t silence_ns, struct guard **ret,
                struct culprit_error *error)
{
    struct guard *guard = calloc(1, sizeof *guard);

    if (!guard)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to watch a connection");
    guard->cancel = cancel;
    guard->silence_ns = silence_ns;
    guard->guarded = pthread_self();
    guard_heard(guard);
    pthread_once(&handler_once, set_handler);
    guard->ended = eventfd(0, EFD_CLOEXEC);
    int status = guard->ended < 0 ? -errno : start_thread(guard);
    if (status < 0) {
        if (guard->ended >= 0)
            close(guard->ended);
        free(guard);
        return culprit_fail_errno(error, -status, "cannot watch a connection");
    }
    *ret = guard;
    return 0;
}

void guard_heard(struct guard *guard)
{
    atomic_store(&guard->heard_ns, clock_monotonic(&clock_system));
}

bool guard_end(struct guard *guard)
{
    uint64_t one = 1;

    if (!guard)
        return false;
    bool result = silent(guard);
    while (write(guard->ended, &one, sizeof one) < 0 && errno == EINTR)
        ;
    pthread_join(guard->thread, NULL);
    pthread_sigmask(SIG_SETMASK, &guard->mask, NULL);
    close(guard->ended);
    free(guard);
    return result;
}
