/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A server that stops speaking in the middle of a delivery: a cancellation does not wait for it. */
#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "notify/smtp.h"
#include "scratch.h"

#define SECOND UINT64_C(1000000000)

/* What it says in its turns: to the connection, EHLO, MAIL, RCPT, DATA and the message. */
static const char *const replies[] = {
    "220 hello\r\n", "250 ok\r\n",       "250 sender ok\r\n",
    "250 ok\r\n",    "354 go ahead\r\n", "250 taken\r\n",
};

enum { REPLIES = sizeof replies / sizeof *replies };

struct silent_server {
    int listener;
    unsigned port;
    unsigned silent_after; /* replies */
    struct cancel *cancel; /* requested once it falls silent */
};

static void server_open(struct silent_server *server)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;

    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(server->listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(server->listener, 1), 0);
    assert_int_equal(getsockname(server->listener, (struct sockaddr *)&address, &size), 0);
    server->port = ntohs(address.sin_port);
}

/* The client's turn: a command, or the message up to its dot. */
static bool hear(FILE *stream, bool message)
{
    char line[1024];

    do {
        if (!fgets(line, sizeof line, stream))
            return false;
    } while (message && strcmp(line, ".\r\n") != 0);
    return true;
}

/* Keeps the connection open until the client closes it. */
static void *serve(void *context)
{
    struct silent_server *server = context;
    FILE *stream = fdopen(accept(server->listener, NULL, NULL), "r+");
    bool heard = stream != NULL;

    for (unsigned i = 0; heard && i < server->silent_after; i++) {
        fputs(replies[i], stream);
        fflush(stream);
        heard = hear(stream, i == 4);
    }
    cancel_request(server->cancel);
    while (stream && hear(stream, false))
        ;
    if (stream)
        fclose(stream);
    return NULL;
}

static int deliver(const struct silent_server *server, struct cancel *cancel,
                   struct culprit_error *error)
{
    char item[] = "sched@example.org";
    char *items[] = {item, NULL};
    struct strv to = {.items = items, .count = 1};
    struct smtp_options options = {
        .host = "127.0.0.1", .port = server->port, .timeout_ns = 40 * SECOND};

    return smtp_deliver(&options, "culprit@example.org", &to, "Subject: x\n\ny\n", cancel, error);
}

static int deliver_to_silence(unsigned silent_after, bool cancelled, uint64_t *ret_ns)
{
    struct silent_server server = {.silent_after = silent_after};
    CULPRIT_CLEANUP(cancel_free) struct cancel *cancel = NULL;
    struct culprit_error error = {0};
    pthread_t thread;

    server_open(&server);
    assert_success(cancel_new(&cancel, &error));
    server.cancel = cancelled ? cancel : NULL;
    assert_int_equal(pthread_create(&thread, NULL, serve, &server), 0);
    uint64_t start = clock_monotonic(&clock_system);
    int status = deliver(&server, cancel, &error);
    *ret_ns = clock_monotonic(&clock_system) - start;
    pthread_join(thread, NULL);
    close(server.listener);
    return status;
}

static void cancelling_does_not_wait(void **state)
{
    (void)state;
    for (unsigned i = 0; i < REPLIES; i++) {
        uint64_t took = 0;
        int status = deliver_to_silence(i, true, &took);
        if (status != -CULPRIT_CANCELLED || took > 10 * SECOND)
            fail_msg("silent after %u replies, the delivery ends with %d after %llu ms", i, status,
                     (unsigned long long)took / 1000000);
    }
}

/* QUIT is a courtesy: the message is the server's by then. */
static void nobody_waits_for_the_answer_to_quit(void **state)
{
    uint64_t took = 0;

    (void)state;
    int status = deliver_to_silence(REPLIES, false, &took);
    if (status != 0 || took > 10 * SECOND)
        fail_msg("the delivery ends with %d after %llu ms", status,
                 (unsigned long long)took / 1000000);
}

static void a_cancelled_delivery_does_not_begin(void **state)
{
    struct silent_server server = {0};
    CULPRIT_CLEANUP(cancel_free) struct cancel *cancel = NULL;
    struct culprit_error error = {0};

    (void)state;
    server_open(&server);
    assert_success(cancel_new(&cancel, &error));
    cancel_request(cancel);
    assert_failure(deliver(&server, cancel, &error), CULPRIT_CANCELLED);
    close(server.listener);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cancelling_does_not_wait),
        cmocka_unit_test(nobody_waits_for_the_answer_to_quit),
        cmocka_unit_test(a_cancelled_delivery_does_not_begin),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
