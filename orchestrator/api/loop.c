/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "api/loop.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>

struct http_loop {
    struct MHD_Daemon *daemon;
    sd_event_source *io;
    sd_event_source *timer;
};

static int on_io(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct http_loop *loop = context;

    (void)source;
    (void)fd;
    (void)events;
    MHD_run(loop->daemon);
    return 0;
}

static int on_timer(sd_event_source *source, uint64_t usec, void *context)
{
    struct http_loop *loop = context;

    (void)source;
    (void)usec;
    MHD_run(loop->daemon);
    return 0;
}

/* Before every wait of the event loop: connections may have been resumed since. */
static int on_prepare(sd_event_source *source, void *context)
{
    struct http_loop *loop = context;
    MHD_UNSIGNED_LONG_LONG milliseconds;
    int r;

    (void)source;
    if (MHD_get_timeout(loop->daemon, &milliseconds) != MHD_YES)
        return sd_event_source_set_enabled(loop->timer, SD_EVENT_OFF);
    if (milliseconds > UINT32_MAX)
        milliseconds = UINT32_MAX;
    r = sd_event_source_set_time_relative(loop->timer, (uint64_t)milliseconds * 1000);
    return r < 0 ? r : sd_event_source_set_enabled(loop->timer, SD_EVENT_ONESHOT);
}

int http_loop_new(sd_event *event, struct MHD_Daemon *daemon, struct http_loop **ret,
                  struct culprit_error *error)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    struct http_loop *loop;
    int r;

    if (!info)
        return culprit_fail(error, CULPRIT_UNSUPPORTED, "libmicrohttpd was built without epoll");
    loop = calloc(1, sizeof *loop);
    if (!loop)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the HTTP server's loop");
    loop->daemon = daemon;
    r = sd_event_add_time_relative(event, &loop->timer, CLOCK_MONOTONIC, 0, 1000, on_timer, loop);
    if (r >= 0)
        r = sd_event_add_io(event, &loop->io, info->epoll_fd, EPOLLIN, on_io, loop);
    if (r >= 0)
        r = sd_event_source_set_prepare(loop->io, on_prepare);
    if (r < 0) {
        http_loop_free(loop);
        return culprit_fail_errno(error, -r, "cannot watch the HTTP server's sockets");
    }
    *ret = loop;
    return 0;
}

void http_loop_free(struct http_loop *loop)
{
    if (!loop)
        return;
    sd_event_source_disable_unref(loop->io);
    sd_event_source_disable_unref(loop->timer);
    free(loop);
}
