/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/guest_host.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS     UINT64_C(1000000000)
#define PATIENCE_NS   (5 * SECOND_NS)
#define FIRST_PAUSE   (5 * SECOND_NS)
#define LONGEST_PAUSE (300 * SECOND_NS)

/* Shared by the loop and the thread of an attempt; freed by whoever lets go last. */
struct guest_host {
    struct guest_host_options options;
    pthread_mutex_t lock; /* over what follows, up to `ended` */
    pthread_cond_t answered;
    unsigned references;
    bool opening;
    int status; /* of the last attempt; -UNAVAILABLE before the first one ended */
    struct culprit_error error;
    struct hypervisor *hypervisor; /* NULL: not there; set once */
    struct host_capabilities capabilities;

    int ended; /* eventfd: an attempt has ended */
    sd_event_source *source, *timer;
    uint64_t pause_ns;
};

static void unreference(struct guest_host *host)
{
    pthread_mutex_lock(&host->lock);
    bool last = --host->references == 0;
    pthread_mutex_unlock(&host->lock);
    if (!last)
        return;
    if (host->hypervisor)
        host_capabilities_clear(&host->capabilities);
    hypervisor_free(host->hypervisor);
    if (host->options.free_context)
        host->options.free_context(host->options.context);
    if (host->ended >= 0)
        close(host->ended);
    pthread_cond_destroy(&host->answered);
    pthread_mutex_destroy(&host->lock);
    free(host);
}

/* --- an attempt ----------------------------------------------------------------------------- */

static void *attempt(void *context)
{
    static const uint64_t one = 1;
    struct guest_host *host = context;
    struct hypervisor *hypervisor = NULL;
    struct host_capabilities capabilities = {0};
    struct culprit_error error = {0};

    int status = host->options.open(host->options.context, &hypervisor, &capabilities, &error);
    pthread_mutex_lock(&host->lock);
    host->opening = false;
    host->status = status;
    host->error = error;
    host->hypervisor = status == 0 ? hypervisor : NULL;
    host->capabilities = capabilities;
    pthread_cond_signal(&host->answered);
    pthread_mutex_unlock(&host->lock);
    /* The counter is far from its end: this cannot block. */
    ssize_t written = write(host->ended, &one, sizeof one);
    (void)written;
    unreference(host);
    return NULL;
}

/* The thread takes no signals: they are for the loop. Nobody waits for it. */
static int start_attempt(struct guest_host *host, struct culprit_error *error)
{
    pthread_t thread;
    sigset_t all, before;

    pthread_mutex_lock(&host->lock);
    host->opening = true;
    host->references++;
    pthread_mutex_unlock(&host->lock);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int errnum = pthread_create(&thread, NULL, attempt, host);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (errnum == 0) {
        pthread_detach(thread);
        return 0;
    }
    pthread_mutex_lock(&host->lock);
    host->opening = false;
    host->references--;
    pthread_mutex_unlock(&host->lock);
    return culprit_fail_errno(error, errnum, "cannot start a thread for guests");
}

/* --- the loop's side ------------------------------------------------------------------------ */

static void pause_then_try(struct guest_host *host)
{
    sd_event_source_set_time_relative(host->timer, host->pause_ns / 1000);
    sd_event_source_set_enabled(host->timer, SD_EVENT_ONESHOT);
    host->pause_ns = host->pause_ns < LONGEST_PAUSE / 2 ? host->pause_ns * 2 : LONGEST_PAUSE;
}

static void tell(struct guest_host *host, const struct culprit_error *why)
{
    if (host->options.answered)
        host->options.answered(host->options.owner, why);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *context)
{
    struct guest_host *host = context;
    struct culprit_error error = {0};

    (void)source;
    (void)usec;
    if (start_attempt(host, &error) < 0) {
        tell(host, &error);
        pause_then_try(host);
    }
    return 0;
}

static int on_ended(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct guest_host *host = context;
    struct hypervisor *hypervisor;
    struct host_capabilities *capabilities;
    struct culprit_error error = {0};
    uint64_t count;
    ssize_t got = read(fd, &count, sizeof count);

    (void)source;
    (void)events;
    (void)got; /* only empties the counter */
    if (guest_host_get(host, &hypervisor, &capabilities, &error) == 0) {
        tell(host, NULL);
    } else {
        tell(host, &error);
        pause_then_try(host);
    }
    return 0;
}

static int attach(struct guest_host *host, struct culprit_error *error)
{
    sd_event *event = host->options.event;

    host->ended = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (host->ended < 0)
        return culprit_fail_errno(error, errno, "cannot create an eventfd");
    int status = sd_event_add_io(event, &host->source, host->ended, EPOLLIN, on_ended, host);
    if (status >= 0)
        status = sd_event_add_time(event, &host->timer, CLOCK_BOOTTIME, UINT64_MAX, 0, on_timer,
                                   host);
    return status < 0 ? culprit_fail_errno(error, -status, "cannot watch for guests") : 0;
}

/* So that what fails at once is known before anybody asks. */
static int wait_for_first(struct guest_host *host, struct culprit_error *error)
{
    struct timespec end;
    int status = 0, waited = 0;

    clock_gettime(CLOCK_MONOTONIC, &end);
    uint64_t end_ns = (uint64_t)end.tv_sec * SECOND_NS + (uint64_t)end.tv_nsec +
                      host->options.patience_ns;
    end = (struct timespec){(time_t)(end_ns / SECOND_NS), (long)(end_ns % SECOND_NS)};
    pthread_mutex_lock(&host->lock);
    while (host->opening && waited == 0)
        waited = pthread_cond_timedwait(&host->answered, &host->lock, &end);
    if (!host->opening && host->status == -CULPRIT_INVALID) {
        status = host->status;
        if (error)
            *error = host->error;
    }
    pthread_mutex_unlock(&host->lock);
    return status;
}

static struct guest_host *allocate(const struct guest_host_options *options)
{
    struct guest_host *host = calloc(1, sizeof *host);
    pthread_condattr_t attributes;

    if (!host)
        return NULL;
    host->options = *options;
    if (!host->options.patience_ns)
        host->options.patience_ns = PATIENCE_NS;
    host->pause_ns = options->pause_ns ? options->pause_ns : FIRST_PAUSE;
    host->references = 1;
    host->ended = -1;
    pthread_mutex_init(&host->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&host->answered, &attributes);
    pthread_condattr_destroy(&attributes);
    host->status = culprit_fail(&host->error, CULPRIT_UNAVAILABLE, "libvirt has not answered yet");
    return host;
}

int guest_host_new(const struct guest_host_options *options, struct guest_host **ret,
                   struct culprit_error *error)
{
    CULPRIT_CLEANUP(guest_host_free) struct guest_host *host = allocate(options);

    if (!host) {
        if (options->free_context)
            options->free_context(options->context);
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot set up guests: out of memory");
    }
    int status = attach(host, error);
    if (status == 0)
        status = start_attempt(host, error);
    if (status == 0)
        status = wait_for_first(host, error);
    if (status < 0)
        return status;
    *ret = take(host);
    return 0;
}

void guest_host_free(struct guest_host *host)
{
    if (!host)
        return;
    sd_event_source_disable_unref(host->source);
    sd_event_source_disable_unref(host->timer);
    unreference(host);
}

int guest_host_get(struct guest_host *host, struct hypervisor **ret,
                   struct host_capabilities **ret_capabilities, struct culprit_error *error)
{
    pthread_mutex_lock(&host->lock);
    int status = host->status;
    struct culprit_error why = host->error;
    pthread_mutex_unlock(&host->lock);
    if (status == 0) {
        *ret = host->hypervisor;
        *ret_capabilities = &host->capabilities;
        return 0;
    }
    /* Whatever else it is, somebody can see to it while the daemon runs. */
    return culprit_fail(error,
                        status == -CULPRIT_UNSUPPORTED ? CULPRIT_UNSUPPORTED : CULPRIT_UNAVAILABLE,
                        "guests cannot be run: %s", why.message);
}
