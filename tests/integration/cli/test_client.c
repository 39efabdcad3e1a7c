/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The client against servers that misbehave: cut connections, no HTTP, no JSON, endless answers. */
#include "scratch.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/client.h"

enum { EXCHANGES_MAXIMUM = 4, REQUEST_MAXIMUM = 8192 };

/* Answers one connection after the other with what it was told, and keeps the requests. */
struct crooked_server {
    const char *answers[EXCHANGES_MAXIMUM]; /* NULL: says nothing until it is stopped */
    size_t repeat;                          /* the answer's last byte is sent so often */
    char requests[EXCHANGES_MAXIMUM][REQUEST_MAXIMUM];
    unsigned count;
    int fd;
    pthread_t thread;
    struct settings settings;
    char address[64];
};

static bool read_request(int fd, char *request)
{
    size_t length = 0;

    while (length + 1 < REQUEST_MAXIMUM) {
        ssize_t got = read(fd, request + length, REQUEST_MAXIMUM - 1 - length);

        if (got <= 0)
            return false;
        length += (size_t)got;
        request[length] = '\0';
        if (strstr(request, "\r\n\r\n"))
            return true;
    }
    return false;
}

static void send_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t sent = send(fd, bytes, length, MSG_NOSIGNAL);

        if (sent <= 0)
            return;
        bytes += sent;
        length -= (size_t)sent;
    }
}

static void send_answer(const struct crooked_server *server, int fd, const char *answer)
{
    char block[4096];

    send_all(fd, answer, strlen(answer));
    memset(block, answer[strlen(answer) - 1], sizeof block);
    for (size_t sent = 0; sent < server->repeat; sent += sizeof block)
        send_all(fd, block, sizeof block);
}

static void *serve(void *argument)
{
    struct crooked_server *server = argument;

    for (unsigned i = 0; i < EXCHANGES_MAXIMUM; i++) {
        int fd = accept(server->fd, NULL, NULL);
        char rest[64];

        if (fd < 0)
            break;
        if (read_request(fd, server->requests[i])) {
            server->count = i + 1;
            if (server->answers[i])
                send_answer(server, fd, server->answers[i]);
            else
                while (read(fd, rest, sizeof rest) > 0)
                    ;
        }
        close(fd);
    }
    return NULL;
}

static void server_start(struct crooked_server *server)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;

    server->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(server->fd, (struct sockaddr *)&address, length), 0);
    assert_int_equal(getsockname(server->fd, (struct sockaddr *)&address, &length), 0);
    assert_int_equal(listen(server->fd, 4), 0);
    snprintf(server->address, sizeof server->address, "http://127.0.0.1:%u",
             ntohs(address.sin_port));
    server->settings.server = server->address;
    assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
}

static void server_stop(struct crooked_server *server)
{
    shutdown(server->fd, SHUT_RDWR);
    pthread_join(server->thread, NULL);
    close(server->fd);
}

static struct client *client_of(struct crooked_server *server, struct cancel *cancel)
{
    struct client *client = NULL;
    struct culprit_error error = {0};

    assert_success(client_new(&server->settings, cancel, &client, &error));
    return client;
}

static const struct {
    const char *answer;
    size_t repeat;
    enum culprit_code code;
    const char *sentence;
} answers[] = {
    {"no HTTP at all\n", 0, CULPRIT_UNAVAILABLE, "cannot reach the server http://127.0.0.1:"},
    {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nnot JSON!", 0, CULPRIT_FAILED,
     "cannot read the server's answer to /jobs/1: not JSON"},
    {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 0, CULPRIT_FAILED,
     "the server's answer to /jobs/1 is empty"},
    {"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{\"cut\"", 0, CULPRIT_UNAVAILABLE,
     "cannot reach the server"},
    {"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[ ", CLIENT_ANSWER_MAXIMUM + 65536,
     CULPRIT_LIMIT, "the server's answer"},
    {"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", 0,
     CULPRIT_FAILED, "HTTP status 302"},
    {"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 4\r\n\r\n<h1>", 0, CULPRIT_FAILED,
     "HTTP status 502"},
    {"HTTP/1.1 404 Not Found\r\nContent-Length: 44\r\n\r\n"
     "{\"title\":\"Not Found\",\"detail\":\"no job 1 here\"}",
     0, CULPRIT_NOT_FOUND, "HTTP status 404"},
    {"HTTP/1.1 404 Not Found\r\nContent-Length: 46\r\n\r\n"
     "{\"title\":\"Not Found\",\"detail\":\"no job 1 here\"}",
     0, CULPRIT_NOT_FOUND, "no job 1 here"},
};

static void test_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct crooked_server server = {.answers = {answers[i].answer},
                                        .repeat = answers[i].repeat};
        CULPRIT_CLEANUP(client_free) struct client *client = NULL;
        struct culprit_error error = {0};
        json_t *value = NULL;
        int r;

        server_start(&server);
        client = client_of(&server, NULL);
        r = client_get_json(client, "/jobs/1", &value, &error);
        server_stop(&server);
        if (r != -(int)answers[i].code || !strstr(error.message, answers[i].sentence))
            fail_msg("answer %zu: %d \"%s\"", i, r, error.message);
        assert_null(value);
    }
}

static void test_problem_with_its_place(void **state)
{
    const char *problem = "{\"type\":\"about:blank\",\"title\":\"Bad Request\",\"status\":400,"
                          "\"detail\":\"unknown size\",\"code\":\"invalid\","
                          "\"key\":\"guest.memory\",\"line\":3,\"column\":17}";
    struct culprit_error error = {0};

    (void)state;
    assert_int_equal(client_problem(400, problem, strlen(problem), &error), -CULPRIT_INVALID);
    assert_string_equal(error.message, "unknown size");
    assert_string_equal(error.where, "guest.memory");
    assert_int_equal(error.line, 3);
    assert_int_equal(error.column, 17);
}

static void test_headers(void **state)
{
    struct crooked_server server = {
        .answers = {"HTTP/1.1 201 Created\r\nContent-Length: 8\r\n\r\n{\"id\":1}"}};
    char token[] = "the-token";
    const struct client_request request = {.method = "POST",
                                           .path = "/jobs",
                                           .body = "version: 1\n",
                                           .body_length = 11,
                                           .content_type = "application/yaml",
                                           .idempotency_key = "the-key"};
    CULPRIT_CLEANUP(client_free) struct client *client = NULL;
    struct culprit_error error = {0};
    json_t *value = NULL;

    (void)state;
    server.settings.token = token;
    server_start(&server);
    client = client_of(&server, NULL);
    assert_success(client_request_json(client, &request, &value, &error));
    server_stop(&server);
    json_decref(value);
    assert_contains(server.requests[0], "POST /api/v1/jobs HTTP/1.1\r\n");
    assert_contains(server.requests[0], "\r\nAuthorization: Bearer the-token\r\n");
    assert_contains(server.requests[0], "\r\nContent-Type: application/yaml\r\n");
    assert_contains(server.requests[0], "\r\nIdempotency-Key: the-key\r\n");
}

#define STREAM_HEAD "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

static int collect(const struct sse_event *event, void *context, struct culprit_error *error)
{
    char *text = context;

    (void)error;
    if (strcmp(event->type, "end") == 0)
        return 1;
    strcat(text, event->data);
    return 0;
}

/* Each event arrives once, whatever becomes of the connections. */
static void test_events_across_cut_connections(void **state)
{
    struct crooked_server server = {
        .answers = {STREAM_HEAD "retry: 10\n\nid: 1\ndata: a\n\nid: 2\ndata: b\n\nid: 3\nda",
                    "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n",
                    STREAM_HEAD "id: 3\ndata: c\n\nevent: end\ndata: {}\n\n"}};
    CULPRIT_CLEANUP(client_free) struct client *client = NULL;
    struct culprit_error error = {0};
    char text[64] = "";

    (void)state;
    server_start(&server);
    client = client_of(&server, NULL);
    assert_int_equal(client_events(client, "/jobs/1/events", collect, text, &error), 1);
    server_stop(&server);
    assert_string_equal(text, "abc");
    assert_int_equal(server.count, 3);
    assert_null(strstr(server.requests[0], "Last-Event-ID"));
    assert_contains(server.requests[1], "\r\nLast-Event-ID: 2\r\n");
    assert_contains(server.requests[2], "\r\nLast-Event-ID: 2\r\n");
}

static void test_events_that_are_refused(void **state)
{
    struct crooked_server server = {
        .answers = {"HTTP/1.1 404 Not Found\r\nContent-Length: 19\r\n\r\n{\"detail\":\"no job\"}"}};
    CULPRIT_CLEANUP(client_free) struct client *client = NULL;
    struct culprit_error error = {0};
    char text[64] = "";

    (void)state;
    server_start(&server);
    client = client_of(&server, NULL);
    assert_failure(client_events(client, "/jobs/1/events", collect, text, &error),
                   CULPRIT_NOT_FOUND);
    server_stop(&server);
    assert_string_equal(error.message, "no job");
}

/* A server that says nothing is left at once when somebody asks to stop. */
static void test_cancelled(void **state)
{
    struct crooked_server server = {.answers = {NULL}};
    CULPRIT_CLEANUP(client_free) struct client *client = NULL;
    struct culprit_error error = {0};
    struct cancel *cancel = NULL;
    json_t *value = NULL;

    (void)state;
    assert_success(cancel_new(&cancel, &error));
    server_start(&server);
    client = client_of(&server, cancel);
    cancel_request(cancel);
    assert_failure(client_get_json(client, "/jobs", &value, &error), CULPRIT_CANCELLED);
    client_free(client);
    client = NULL;
    server_stop(&server);
    cancel_free(cancel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_problem_with_its_place),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_events_across_cut_connections),
        cmocka_unit_test(test_events_that_are_refused),
        cmocka_unit_test(test_cancelled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
