/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Workers that open repositories side by side, one of which is on a server that says nothing. */
#include <arpa/inet.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>

#include "../source/git_fixture.h"
#include "sched/clones.h"
#include "scratch.h"

static const struct fixture_commit graph[] = {{.name = "v1"}};

/* A silent server, a repository on this host, and the catalogue that names both. */
struct place {
    struct catalogue *catalogue;
    struct clones *clones;
    char *cache;
    int listener;
};

static unsigned listen_silently(int *ret_fd)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;

    *ret_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(*ret_fd, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(*ret_fd, 8), 0);
    assert_int_equal(getsockname(*ret_fd, (struct sockaddr *)&address, &size), 0);
    return ntohs(address.sin_port);
}

static void place_open(struct place *place, const char *scratch)
{
    const struct catalogue_directories directories = {
        .topologies = CULPRIT_SOURCE_DIR "/images/topologies",
        .fragments = CULPRIT_SOURCE_DIR "/kernels/fragments",
        .images = scratch,
    };
    _cleanup_free_ char *local = path_join(scratch, "local.git");
    _cleanup_free_ char *url = text_format("http://127.0.0.1:%u/x.git",
                                           listen_silently(&place->listener));
    struct culprit_error error = {0};

    fixture_repository(local, graph, 1);
    place->cache = path_join(scratch, "cache");
    assert_success(catalogue_new(&directories, &place->catalogue, &error));
    assert_success(catalogue_add_repository(place->catalogue, "local", local, &error));
    assert_success(catalogue_add_repository(place->catalogue, "silent", url, &error));
    assert_success(clones_new(place->catalogue, place->cache, &place->clones, &error));
}

static void place_close(struct place *place)
{
    clones_free(place->clones);
    catalogue_free(place->catalogue);
    free(place->cache);
    close(place->listener);
}

/* A worker that opens the silent repository, until it is cancelled. */
struct opener {
    struct clones *clones;
    struct cancel *cancel;
    pthread_t thread;
    int status;
};

static void *open_silent(void *context)
{
    struct opener *opener = context;
    struct repository *repository = NULL;

    opener->status = clones_open(opener->clones, "silent", true, opener->cancel, &repository, NULL);
    repository_free(repository);
    return NULL;
}

static void opener_start(struct opener *opener, const struct place *place)
{
    struct culprit_error error = {0};

    *opener = (struct opener){.clones = place->clones};
    assert_success(cancel_new(&opener->cancel, &error));
    assert_int_equal(pthread_create(&opener->thread, NULL, open_silent, opener), 0);
}

static void opener_expect_cancelled(struct opener *opener)
{
    cancel_request(opener->cancel);
    pthread_join(opener->thread, NULL);
    assert_int_equal(opener->status, -CULPRIT_CANCELLED);
    cancel_free(opener->cancel);
}

static void one_repository_does_not_wait_for_another(void **state)
{
    struct culprit_error error = {0};
    struct place place;
    struct opener slow;

    place_open(&place, *state);
    opener_start(&slow, &place);
    int connection = accept(place.listener, NULL, NULL); /* it is on its way from here on */
    for (int fetch = 0; fetch < 2; fetch++) {
        CULPRIT_CLEANUP(repository_free) struct repository *repository = NULL;
        char id[COMMIT_ID_SIZE];
        assert_success(clones_open(place.clones, "local", fetch, NULL, &repository, &error));
        assert_success(repository_resolve(repository, "v1", id, &error));
    }
    opener_expect_cancelled(&slow);
    close(connection);
    place_close(&place);
}

/* The one that waits for the mirror gives up; the one that makes it is not disturbed. */
static void waiting_for_ones_turn_can_be_cancelled(void **state)
{
    struct place place;
    struct opener first, second;

    place_open(&place, *state);
    opener_start(&first, &place);
    int connection = accept(place.listener, NULL, NULL);
    opener_start(&second, &place);
    opener_expect_cancelled(&second);
    assert_false(cancel_requested(first.cancel));
    opener_expect_cancelled(&first);
    close(connection);
    place_close(&place);
}

static void a_name_that_is_gone_is_said(void **state)
{
    struct repository *repository = NULL;
    struct culprit_error error = {0};
    struct place place;

    place_open(&place, *state);
    assert_failure(clones_open(place.clones, "linux", false, NULL, &repository, &error),
                   CULPRIT_NOT_FOUND);
    assert_contains(error.message, "linux");
    place_close(&place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(one_repository_does_not_wait_for_another),
        scratch_test(waiting_for_ones_turn_can_be_cancelled),
        scratch_test(a_name_that_is_gone_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
