/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "api/api.h"
#include "base/file.h"
#include "base/log.h"
#include "scripted_work.h"

static const char *const scope_names[] = {"read", "submit", "admin"};

struct server {
    struct server_options options;
    pthread_t thread;
    int ready[2];  /* a byte comes when it listens, or has failed */
    int stop;      /* eventfd */
    uint16_t port; /* 0: failed */
    char directory[64];
    char state[80];
    char tokens[3][TOKEN_TEXT_SIZE];
    char failure[1200];
    struct scripted_work work;
    /* The loop's: */
    sd_event *event;
    struct store *store;
    struct blobs *blobs;
    struct catalogue *catalogue;
    struct service *service;
    struct api *api;
};

static char *below(const struct server *server, const char *name)
{
    return path_join(server->directory, name);
}

static int open_catalogue(struct server *server, struct culprit_error *error)
{
    _cleanup_free_ char *images = below(server, "images");
    _cleanup_free_ char *image = below(server, "images/minimal.cpio");
    const struct catalogue_directories directories = {
        .topologies = CULPRIT_SOURCE_DIR "/images/topologies",
        .fragments = CULPRIT_SOURCE_DIR "/kernels/fragments",
        .images = images,
    };
    int r = file_make_directories(images, 0700, error);

    if (r == 0)
        r = file_write_atomic(image, "", 0, 0600, error);
    if (r == 0)
        r = catalogue_new(&directories, &server->catalogue, error);
    if (r == 0)
        r = catalogue_add_repository(server->catalogue, "linux",
                                     "https://user:secret@example.org/linux.git", error);
    return r;
}

static int open_store(struct server *server, struct culprit_error *error)
{
    _cleanup_free_ char *directory = below(server, "store");
    _cleanup_free_ char *blobs = below(server, "blobs");
    const struct store_options options = {.directory = directory, .clock = &clock_system};
    int r = store_open(&options, &server->store, error);

    if (r == 0)
        r = blobs_open(blobs, &server->blobs, error);
    for (size_t i = 0; r == 0 && server->options.tokens && i < 3; i++) {
        unsigned scopes = 0;

        token_scopes_from_name(scope_names[i], &scopes);
        r = store_token_add(server->store, scope_names[i], scopes, server->tokens[i], error);
    }
    return r;
}

static int open_service(struct server *server, struct culprit_error *error)
{
    const struct service_options options = {
        .event = server->event,
        .clock = &clock_system,
        .store = server->store,
        .blobs = server->blobs,
        .catalogue = server->catalogue,
        .work = &server->work.work,
        .state_directory = server->state,
        .build_slots = 1,
        .guest_slots = 1,
        .active_jobs = 2,
        .waiting_jobs = 20,
        .host = "test.example.org",
        .mail_from = "culprit <culprit@test.example.org>",
        .mail_domain = "test.example.org",
    };
    int r = file_make_directories(server->state, 0700, error);

    if (r == 0)
        r = service_new(&options, &server->service, error);
    return r < 0 ? r : service_start(server->service, error);
}

static int open_api(struct server *server, struct culprit_error *error)
{
    const struct api_options options = {
        .event = server->event,
        .service = server->service,
        .tokens = server->options.tokens ? server->store : NULL,
        .address = "127.0.0.1",
        .streams = server->options.streams,
        .request_ns = server->options.request_ns,
        .heartbeat_ns = server->options.heartbeat_ns,
    };

    return api_new(&options, &server->api, error);
}

static void on_stopped(void *context)
{
    sd_event_exit(context, 0);
}

static int on_stop(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct server *server = context;

    (void)fd;
    (void)events;
    sd_event_source_set_enabled(source, SD_EVENT_OFF);
    api_free(server->api);
    server->api = NULL;
    service_stop(server->service, on_stopped, server->event);
    return 0;
}

static void serve(struct server *server, struct culprit_error *error)
{
    int r = sd_event_new(&server->event);

    if (r >= 0)
        r = sd_event_add_io(server->event, NULL, server->stop, EPOLLIN, on_stop, server);
    r = r < 0 ? culprit_fail(error, CULPRIT_IO, "no event loop") : open_catalogue(server, error);
    if (r == 0)
        r = open_store(server, error);
    if (r == 0)
        r = open_service(server, error);
    if (r == 0)
        r = open_api(server, error);
    if (r == 0)
        server->port = api_port(server->api);
    else
        snprintf(server->failure, sizeof server->failure, "%s", error->message);
    if (write(server->ready[1], "", 1) != 1 || r < 0)
        return;
    sd_event_loop(server->event);
}

static void *run(void *context)
{
    struct server *server = context;
    struct culprit_error error = {0};

    serve(server, &error);
    api_free(server->api);
    service_free(server->service);
    catalogue_free(server->catalogue);
    blobs_close(server->blobs);
    store_close(server->store);
    sd_event_unref(server->event);
    return NULL;
}

struct server *server_start(const struct server_options *options)
{
    struct server *server = calloc(1, sizeof *server);
    char byte;

    assert_non_null(server);
    server->options = *options;
    log_set_level(LOG_ERR);
    scripted_work_init(&server->work);
    server->work.hold = options->hold;
    snprintf(server->directory, sizeof server->directory, "/tmp/culprit-api-XXXXXX");
    assert_non_null(mkdtemp(server->directory));
    snprintf(server->state, sizeof server->state, "%s/state", server->directory);
    assert_int_equal(pipe(server->ready), 0);
    server->stop = eventfd(0, EFD_CLOEXEC);
    assert_true(server->stop >= 0);
    assert_int_equal(pthread_create(&server->thread, NULL, run, server), 0);
    assert_int_equal(read(server->ready[0], &byte, 1), 1);
    if (!server->port)
        fail_msg("the server did not start: %s", server->failure);
    return server;
}

void server_stop(struct server *server)
{
    uint64_t one = 1;

    assert_int_equal(write(server->stop, &one, sizeof one), sizeof one);
    assert_int_equal(pthread_join(server->thread, NULL), 0);
    close(server->ready[0]);
    close(server->ready[1]);
    close(server->stop);
    assert_int_equal(file_remove_tree(server->directory, NULL), 0);
    free(server);
}

uint16_t server_port(const struct server *server)
{
    return server->port;
}

const char *server_token(const struct server *server, const char *scope)
{
    for (size_t i = 0; i < 3; i++)
        if (strcmp(scope_names[i], scope) == 0)
            return server->tokens[i];
    return NULL;
}
