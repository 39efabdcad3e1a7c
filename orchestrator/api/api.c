/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "api/api.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <microhttpd.h>

#include "api/deadlines.h"
#include "api/exchange.h"
#include "api/listen.h"
#include "api/loop.h"
#include "api/stream.h"

enum {
    CONNECTIONS_DEFAULT = 128,
    STREAMS_DEFAULT = 32,
    HEADERS_MAXIMUM = 32 * 1024, /* bytes of a connection's buffer: request line and headers */
    IDLE_SECONDS = 60,           /* without a byte either way */
};

#define REQUEST_DEFAULT_NS   UINT64_C(30000000000)
#define HEARTBEAT_DEFAULT_NS UINT64_C(15000000000)

struct api {
    struct admission admission;
    char *address;
    uint16_t port;
    struct MHD_Daemon *daemon;
    struct http_loop *loop;
    struct deadlines *deadlines;
};

static int check_exposure(const struct api_options *options, bool *ret_loopback,
                          struct culprit_error *error)
{
    int r = address_is_loopback(options->address, ret_loopback, error);

    if (r < 0 || *ret_loopback || options->tokens)
        return r;
    return culprit_fail(error, CULPRIT_DENIED,
                        "will not listen on %s without tokens: whoever reaches it could run "
                        "kernels here; use a loopback address, or set tokens up",
                        options->address);
}

/* The library owns the socket once it has started. */
static int start_daemon(struct api *api, const struct api_options *options, int fd,
                        struct culprit_error *error)
{
    unsigned connections = options->connections ? options->connections : CONNECTIONS_DEFAULT;

    api->daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, exchange_handle, &api->admission,
        MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADERS_MAXIMUM, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)IDLE_SECONDS, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_CONNECTION,
        deadlines_notify, api->deadlines, MHD_OPTION_UNESCAPE_CALLBACK, unescape, NULL,
        MHD_OPTION_NOTIFY_COMPLETED, exchange_completed, &api->admission, MHD_OPTION_END);
    if (!api->daemon) {
        close(fd);
        return culprit_fail(error, CULPRIT_IO, "cannot start the HTTP server on %s port %u",
                            options->address, api->port);
    }
    return 0;
}

static int start(struct api *api, const struct api_options *options, struct culprit_error *error)
{
    int fd = -1;
    int r = deadlines_new(options->event,
                          options->request_ns ? options->request_ns : REQUEST_DEFAULT_NS,
                          &api->deadlines, error);

    if (r == 0)
        r = streams_new(options->event, options->service,
                        options->streams ? options->streams : STREAMS_DEFAULT,
                        options->heartbeat_ns ? options->heartbeat_ns : HEARTBEAT_DEFAULT_NS,
                        &api->admission.context.streams, error);
    if (r == 0)
        r = listen_on(options->address, options->port, &fd, &api->port, error);
    if (r == 0)
        r = start_daemon(api, options, fd, error);
    return r < 0 ? r : http_loop_new(options->event, api->daemon, &api->loop, error);
}

int api_new(const struct api_options *options, struct api **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(api_free) struct api *api = NULL;
    bool loopback = false;
    int r = check_exposure(options, &loopback, error);

    if (r < 0)
        return r;
    api = calloc(1, sizeof *api);
    if (api)
        api->address = strdup(options->address);
    if (!api || !api->address)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the HTTP server");
    api->admission = (struct admission){
        .context = {.service = options->service},
        .tokens = options->tokens,
        .address = api->address,
        .loopback = loopback,
        .hosts = options->hosts,
    };
    r = start(api, options, error);
    if (r < 0)
        return r;
    *ret = take(api);
    return 0;
}

void api_free(struct api *api)
{
    if (!api)
        return;
    streams_end(api->admission.context.streams);
    http_loop_free(api->loop);
    if (api->daemon)
        MHD_stop_daemon(api->daemon);
    streams_free(api->admission.context.streams);
    deadlines_free(api->deadlines);
    free(api->address);
    free(api);
}

uint16_t api_port(const struct api *api)
{
    return api->port;
}
