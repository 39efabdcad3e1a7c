/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event streams: whole, resumed, kept alive, limited, and ended with the server. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "client.h"
#include "documents.h"
#include "server.h"

enum { PATIENCE_SECONDS = 20 };

static json_int_t submit_run(const struct server *server)
{
    _cleanup_answer_ struct answer answer = ask(
        server_port(server),
        &(struct question){
            .method = "POST", .path = "/api/v1/jobs", .headers = {YAML_TYPE}, .body = RUN_YAML});

    assert_int_equal(answer.status, 201);
    return answer_integer(&answer, "id");
}

static struct answer watch(const struct server *server, json_int_t id, const char *query,
                           const char *header)
{
    char path[128];

    snprintf(path, sizeof path, "/api/v1/jobs/%" JSON_INTEGER_FORMAT "/events%s", id, query);
    return ask(server_port(server), &(struct question){.path = path, .headers = {header}});
}

/* Checks that sequence numbers rise and data agree with them; gives the last. */
static uint64_t check_stream(const char *text, uint64_t after, size_t *ret_count)
{
    uint64_t last = after;

    *ret_count = 0;
    for (const char *line = strstr(text, "id: "); line; line = strstr(line + 1, "\nid: ")) {
        const char *data = strstr(line, "\ndata: ");
        uint64_t sequence = strtoull(line + (*line == '\n') + 4, NULL, 10);
        json_t *event;

        assert_non_null(data);
        assert_true(sequence > last);
        event = json_loads(data + 7, JSON_DISABLE_EOF_CHECK, NULL);
        assert_non_null(event);
        assert_int_equal(json_integer_value(json_object_get(event, "sequence")), sequence);
        assert_true(json_is_object(json_object_get(event, "data")));
        json_decref(event);
        last = sequence;
        ++*ret_count;
    }
    return last;
}

static void test_whole_and_resumed(void **state)
{
    struct server *server = server_start(&(struct server_options){0});
    json_int_t id = submit_run(server);
    _cleanup_answer_ struct answer whole = watch(server, id, "", NULL);
    _cleanup_answer_ struct answer rest = {0}, same = {0}, nothing = {0}, wrong = {0};
    size_t count, rest_count;
    char header[64], query[64];
    uint64_t last;

    (void)state;
    assert_int_equal(whole.status, 200);
    assert_string_equal(answer_header(&whole, "Content-Type"), "text/event-stream");
    assert_non_null(strstr(whole.body.data, "retry: "));
    assert_non_null(strstr(whole.body.data, "event: verdict\n"));
    assert_non_null(strstr(whole.body.data, "event: end\n"));
    last = check_stream(whole.body.data, 0, &count);
    assert_true(count > 3);
    snprintf(header, sizeof header, "Last-Event-ID: %" PRIu64, last - 1);
    rest = watch(server, id, "", header);
    assert_int_equal(check_stream(rest.body.data, last - 1, &rest_count), last);
    assert_int_equal(rest_count, 1);
    snprintf(query, sizeof query, "?after=%" PRIu64, last - 1);
    same = watch(server, id, query, NULL);
    assert_string_equal(same.body.data, rest.body.data);
    snprintf(header, sizeof header, "Last-Event-ID: %" PRIu64, last);
    nothing = watch(server, id, "", header);
    assert_int_equal(nothing.status, 204);
    wrong = watch(server, id, "", "Last-Event-ID: x");
    assert_int_equal(wrong.status, 400);
    server_stop(server);
}

static int open_stream(const struct server *server, json_int_t id)
{
    char request[256];
    int fd = client_connect(server_port(server));
    int length = snprintf(request, sizeof request,
                          "GET /api/v1/jobs/%" JSON_INTEGER_FORMAT "/events HTTP/1.1\r\n"
                          "Host: localhost\r\n\r\n",
                          id);

    assert_int_equal(write(fd, request, (size_t)length), length);
    return fd;
}

/* A job that does not end: signs of life come, a cancelled job's end comes, streams are limited. */
static void test_live(void **state)
{
    struct server *server = server_start(
        &(struct server_options){.hold = true, .streams = 2, .heartbeat_ns = UINT64_C(50000000)});
    json_int_t id = submit_run(server);
    _cleanup_close_ int one = open_stream(server, id);
    _cleanup_close_ int two = open_stream(server, id);
    _cleanup_buffer_ struct buffer first = BUFFER_INIT(1 << 20), second = BUFFER_INIT(1 << 20);
    _cleanup_answer_ struct answer third = {0}, cancelled = {0}, head = {0};
    char path[64];

    (void)state;
    assert_true(client_read_until(one, &first, ": alive\n"));
    assert_true(client_read_until(two, &second, ": alive\n"));
    third = watch(server, id, "", NULL);
    assert_int_equal(third.status, 503);
    assert_string_equal(answer_text(&third, "code"), "unavailable");
    assert_string_not_equal(answer_header(&third, "Retry-After"), "");
    snprintf(path, sizeof path, "/api/v1/jobs/%" JSON_INTEGER_FORMAT "/events", id);
    head = ask(server_port(server), &(struct question){.method = "HEAD", .path = path});
    assert_int_equal(head.status, 200);
    assert_string_equal(answer_header(&head, "Content-Type"), "text/event-stream");
    snprintf(path, sizeof path, "/api/v1/jobs/%" JSON_INTEGER_FORMAT, id);
    cancelled = ask(server_port(server), &(struct question){.method = "DELETE", .path = path});
    assert_int_equal(cancelled.status, 202);
    assert_true(client_read_until(one, &first, "event: end\n"));
    assert_true(client_read_until(two, &second, "event: end\n"));
    server_stop(server);
}

/* Opens a stream and reads the beginning of the answer; -1 when there is no place. */
static int take_place(const struct server *server, json_int_t id)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(1 << 20);
    _cleanup_close_ int fd = open_stream(server, id);

    assert_true(client_read_until(fd, &text, "\r\n\r\n"));
    if (strstr(text.data, "HTTP/1.1 503"))
        return -1;
    assert_non_null(strstr(text.data, "HTTP/1.1 200"));
    assert_true(client_read_until(fd, &text, "event: state\n"));
    return take_fd(&fd);
}

/* A client that goes away gives its place back at once: long before a sign of life is due. */
static void test_places_come_back(void **state)
{
    struct server *server = server_start(&(struct server_options){
        .hold = true, .streams = 1, .heartbeat_ns = UINT64_C(3600000000000)});
    json_int_t id = submit_run(server);

    (void)state;
    for (int client = 0; client < 20; client++) {
        time_t start = time(NULL);
        int fd;

        while ((fd = take_place(server, id)) < 0) {
            if (time(NULL) - start > PATIENCE_SECONDS)
                fail_msg("client %d went away and its place did not come back", client - 1);
        }
        assert_int_equal(take_place(server, id), -1);
        close(fd);
    }
    server_stop(server);
}

/* One that has only closed its sending side goes on reading, and its place is taken. */
static void test_half_closed_client_reads_on(void **state)
{
    struct server *server = server_start(&(struct server_options){
        .hold = true, .streams = 1, .heartbeat_ns = UINT64_C(3600000000000)});
    json_int_t id = submit_run(server);
    _cleanup_close_ int fd = take_place(server, id);
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(1 << 20);
    _cleanup_answer_ struct answer cancelled = {0};
    char path[64];

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(shutdown(fd, SHUT_WR), 0);
    assert_true(client_read_until(fd, &text, ": alive\n"));
    assert_int_equal(take_place(server, id), -1);
    snprintf(path, sizeof path, "/api/v1/jobs/%" JSON_INTEGER_FORMAT, id);
    cancelled = ask(server_port(server), &(struct question){.method = "DELETE", .path = path});
    assert_int_equal(cancelled.status, 202);
    assert_true(client_read_until(fd, &text, "event: end\n"));
    server_stop(server);
}

static void test_server_ends_with_streams_open(void **state)
{
    struct server *server = server_start(&(struct server_options){.hold = true});
    json_int_t id = submit_run(server);
    _cleanup_close_ int fd = open_stream(server, id);
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(1 << 20);

    (void)state;
    assert_true(client_read_until(fd, &text, "event: state\n"));
    server_stop(server);
    assert_false(client_read_until(fd, &text, "never said"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_and_resumed),
        cmocka_unit_test(test_live),
        cmocka_unit_test(test_places_come_back),
        cmocka_unit_test(test_half_closed_client_reads_on),
        cmocka_unit_test(test_server_ends_with_streams_open),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
