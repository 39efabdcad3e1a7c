/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/libvirt/event_loop.h"

#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "guest/libvirt/failure.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool started;

/* Errors come back to the caller in a struct culprit_error; libvirt prints nothing. */
static void ignore_error(void *data, virErrorPtr error)
{
    (void)data;
    (void)error;
}

static void ignore_timer(int timer, void *data)
{
    (void)timer;
    (void)data;
}

static void *run_loop(void *data)
{
    (void)data;
    while (virEventRunDefaultImpl() == 0)
        ;
    return NULL;
}

static int set_up(const char *log_path, struct culprit_error *error)
{
    _cleanup_free_ char *outputs = log_path ? text_format("3:file:%s", log_path)
                                            : text_format("4:file:/dev/null");

    if (!outputs || setenv("LIBVIRT_LOG_OUTPUTS", outputs, 0) < 0)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to set libvirt up");
    if (virInitialize() < 0)
        return fail_libvirt(error, "cannot set libvirt up");
    virSetErrorFunc(NULL, ignore_error);
    if (virEventRegisterDefaultImpl() < 0)
        return fail_libvirt(error, "cannot set up libvirt's event loop");
    /* A loop without any source would return at once; this timer never fires. */
    if (virEventAddTimeout(-1, ignore_timer, NULL, NULL) < 0)
        return fail_libvirt(error, "cannot set up libvirt's event loop");
    return 0;
}

/* The thread takes no signals: they are for the program's own loop. */
static int start_thread(struct culprit_error *error)
{
    pthread_t thread;
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int status = pthread_create(&thread, NULL, run_loop, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (status)
        return culprit_fail_errno(error, status, "cannot start libvirt's event thread");
    pthread_detach(thread);
    return 0;
}

int event_loop_start(const char *log_path, struct culprit_error *error)
{
    int status = 0;

    pthread_mutex_lock(&mutex);
    if (!started) {
        status = set_up(log_path, error);
        if (status == 0)
            status = start_thread(error);
        started = status == 0;
    }
    pthread_mutex_unlock(&mutex);
    return status;
}
