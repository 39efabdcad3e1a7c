/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/client.h"

#include <curl/curl.h>
#include <stdbool.h>
#include <string.h>

#include "base/clock.h"
#include "base/path.h"

enum {
    CONNECT_TIMEOUT_MS = 10000,
    REQUEST_TIMEOUT_MS = 120000,
    SILENCE_SECONDS = 90, /* the server sends a comment more often than that */
    RETRY_MS = 1000,
    RETRY_MAXIMUM_MS = 10000,
};
#define GIVE_UP_NS UINT64_C(60000000000)

struct client {
    const struct settings *settings;
    struct cancel *cancel;
    CURL *easy;
    CURLM *multi;
    struct curl_slist *headers;
    bool header_failed;
    char curl_error[CURL_ERROR_SIZE];
};

static int no_memory(struct culprit_error *error)
{
    return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot ask the server: no memory");
}

int client_new(const struct settings *settings, struct cancel *cancel, struct client **ret,
               struct culprit_error *error)
{
    CULPRIT_CLEANUP(client_free) struct client *client = calloc(1, sizeof *client);

    if (!client || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return no_memory(error);
    client->settings = settings;
    client->cancel = cancel;
    client->easy = curl_easy_init();
    client->multi = curl_multi_init();
    if (!client->easy || !client->multi)
        return no_memory(error);
    *ret = take(client);
    return 0;
}

void client_free(struct client *client)
{
    if (!client)
        return;
    if (client->easy)
        curl_easy_cleanup(client->easy);
    if (client->multi)
        curl_multi_cleanup(client->multi);
    curl_slist_free_all(client->headers);
    free(client);
}

static void add_header(struct client *client, const char *name, const char *value)
{
    _cleanup_free_ char *line = value ? text_format("%s: %s", name, value) : NULL;
    struct curl_slist *headers = line ? curl_slist_append(client->headers, line) : NULL;

    if (headers)
        client->headers = headers;
    else if (value)
        client->header_failed = true;
}

/* What every request has; the handle is used again for the next, with its connection. */
static int prepare(struct client *client, const char *path, const char *accept,
                   struct culprit_error *error)
{
    _cleanup_free_ char *url = text_format("%s/api/v1%s", client->settings->server, path);
    _cleanup_free_ char *bearer = client->settings->token
                                      ? text_format("Bearer %s", client->settings->token)
                                      : NULL;

    if (!url || (client->settings->token && !bearer))
        return no_memory(error);
    curl_easy_reset(client->easy);
    curl_slist_free_all(client->headers);
    client->headers = NULL;
    client->header_failed = false;
    client->curl_error[0] = '\0';
    add_header(client, "Accept", accept ? accept : "application/json");
    add_header(client, "Authorization", bearer);
    if (client->header_failed || curl_easy_setopt(client->easy, CURLOPT_URL, url) != CURLE_OK)
        return no_memory(error);
    curl_easy_setopt(client->easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(client->easy, CURLOPT_USERAGENT, "culprit/" CULPRIT_VERSION);
    curl_easy_setopt(client->easy, CURLOPT_ERRORBUFFER, client->curl_error);
    curl_easy_setopt(client->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(client->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_TIMEOUT_MS);
    return 0;
}

/* One transfer to its end, or until somebody asks to stop. */
static int transfer(struct client *client, CURLcode *ret_result, struct culprit_error *error)
{
    struct curl_waitfd stop = {.fd = cancel_fd(client->cancel), .events = CURL_WAIT_POLLIN};
    unsigned fds = stop.fd >= 0 ? 1 : 0;
    bool cancelled = false;
    int running = 1;
    int left;

    if (curl_multi_add_handle(client->multi, client->easy) != CURLM_OK)
        return no_memory(error);
    while (!cancelled) {
        if (curl_multi_perform(client->multi, &running) != CURLM_OK || running == 0)
            break;
        if (curl_multi_poll(client->multi, fds ? &stop : NULL, fds, 60000, NULL) != CURLM_OK)
            break;
        cancelled = cancel_requested(client->cancel);
    }
    *ret_result = CURLE_ABORTED_BY_CALLBACK;
    for (CURLMsg *message; (message = curl_multi_info_read(client->multi, &left)) != NULL;) {
        if (message->msg == CURLMSG_DONE)
            *ret_result = message->data.result;
    }
    curl_multi_remove_handle(client->multi, client->easy);
    return cancelled ? culprit_fail(error, CULPRIT_CANCELLED, "stopped") : 0;
}

static int fail_transfer(const struct client *client, CURLcode result, struct culprit_error *error)
{
    const char *reason = client->curl_error[0] ? client->curl_error : curl_easy_strerror(result);

    if (result == CURLE_OPERATION_TIMEDOUT)
        return culprit_fail(error, CULPRIT_TIMED_OUT, "the server %s did not answer in time: %s",
                            client->settings->server, reason);
    return culprit_fail(error, CULPRIT_UNAVAILABLE,
                        "cannot reach the server %s: %s; is culpritd running there?",
                        client->settings->server, reason);
}

static size_t take_bytes(char *bytes, size_t size, size_t count, void *context)
{
    struct buffer *body = context;

    buffer_append(body, bytes, size * count);
    return body->status == CULPRIT_OK ? size * count : 0;
}

static void set_method(struct client *client, const struct client_request *request)
{
    if (request->body) {
        curl_easy_setopt(client->easy, CURLOPT_POSTFIELDSIZE_LARGE,
                         (curl_off_t)request->body_length);
        curl_easy_setopt(client->easy, CURLOPT_POSTFIELDS, request->body);
        add_header(client, "Content-Type", request->content_type);
    } else if (strcmp(request->method, "POST") == 0) {
        curl_easy_setopt(client->easy, CURLOPT_POSTFIELDS, "");
    }
    if (strcmp(request->method, "GET") != 0)
        curl_easy_setopt(client->easy, CURLOPT_CUSTOMREQUEST, request->method);
    add_header(client, "Idempotency-Key", request->idempotency_key);
    curl_easy_setopt(client->easy, CURLOPT_HTTPHEADER, client->headers);
    curl_easy_setopt(client->easy, CURLOPT_TIMEOUT_MS, (long)REQUEST_TIMEOUT_MS);
}

int client_request(struct client *client, const struct client_request *request, char **ret_body,
                   size_t *ret_length, struct culprit_error *error)
{
    _cleanup_buffer_ struct buffer body = BUFFER_INIT(CLIENT_ANSWER_MAXIMUM);
    CURLcode result;
    long status = 0;
    int r;

    r = prepare(client, request->path, request->accept, error);
    if (r < 0)
        return r;
    set_method(client, request);
    if (client->header_failed)
        return no_memory(error);
    curl_easy_setopt(client->easy, CURLOPT_WRITEFUNCTION, take_bytes);
    curl_easy_setopt(client->easy, CURLOPT_WRITEDATA, &body);
    r = transfer(client, &result, error);
    if (r == 0)
        r = buffer_status(&body, "the server's answer", error);
    if (r < 0)
        return r;
    if (result != CURLE_OK)
        return fail_transfer(client, result, error);
    curl_easy_getinfo(client->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status < 200 || status > 299)
        return client_problem(status, body.data ? body.data : "", body.length, error);
    if (ret_length)
        *ret_length = body.length;
    *ret_body = buffer_take(&body);
    return *ret_body ? 0 : no_memory(error);
}

int client_request_json(struct client *client, const struct client_request *request, json_t **ret,
                        struct culprit_error *error)
{
    _cleanup_free_ char *body = NULL;
    json_error_t where;
    size_t length;
    int r = client_request(client, request, &body, &length, error);

    if (r < 0)
        return r;
    *ret = NULL;
    if (length == 0)
        return 0;
    *ret = json_loadb(body, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &where);
    if (!*ret)
        return culprit_fail(error, CULPRIT_FAILED,
                            "cannot read the server's answer to %s: not JSON (%.100s)",
                            request->path, where.text);
    return 0;
}

int client_get_json(struct client *client, const char *path, json_t **ret,
                    struct culprit_error *error)
{
    const struct client_request request = {.method = "GET", .path = path};
    int r = client_request_json(client, &request, ret, error);

    if (r == 0 && !*ret)
        return culprit_fail(error, CULPRIT_FAILED, "the server's answer to %s is empty", path);
    return r;
}

/* A connection that carries events: the body goes to the parser only if the status is good. */
struct stream {
    struct client *client;
    struct sse sse;
    struct buffer refusal; /* body of an answer that is an error */
    struct culprit_error error;
    int r; /* what the handler said */
    bool received;
};

static size_t take_events(char *bytes, size_t size, size_t count, void *context)
{
    struct stream *stream = context;
    long status = 0;

    curl_easy_getinfo(stream->client->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status < 200 || status > 299) {
        buffer_append(&stream->refusal, bytes, size * count);
        return size * count;
    }
    stream->received = true;
    stream->r = sse_feed(&stream->sse, bytes, size * count, &stream->error);
    return stream->r != 0 ? 0 : size * count;
}

/* 0: the connection ended and may be made again. */
static int follow_once(struct stream *stream, const char *path, struct culprit_error *error)
{
    struct client *client = stream->client;
    CURLcode result;
    long status = 0;
    int r = prepare(client, path, "text/event-stream", error);

    if (r < 0)
        return r;
    sse_restart(&stream->sse);
    buffer_reset(&stream->refusal);
    add_header(client, "Last-Event-ID", stream->sse.last_id[0] ? stream->sse.last_id : NULL);
    curl_easy_setopt(client->easy, CURLOPT_HTTPHEADER, client->headers);
    curl_easy_setopt(client->easy, CURLOPT_WRITEFUNCTION, take_events);
    curl_easy_setopt(client->easy, CURLOPT_WRITEDATA, stream);
    curl_easy_setopt(client->easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(client->easy, CURLOPT_LOW_SPEED_TIME, (long)SILENCE_SECONDS);
    r = transfer(client, &result, error);
    if (r < 0)
        return r;
    if (stream->r != 0) {
        if (error && stream->r < 0)
            *error = stream->error;
        return stream->r;
    }
    curl_easy_getinfo(client->easy, CURLINFO_RESPONSE_CODE, &status);
    if (result == CURLE_OK && (status < 200 || status > 299) && status != 503)
        return client_problem(status, stream->refusal.data ? stream->refusal.data : "",
                              stream->refusal.length, error);
    fail_transfer(client, result, error);
    return 0;
}

/* Waits before the next connection; the wait ends at once when somebody asks to stop. */
static int pause_stream(struct client *client, unsigned long wait_ms, struct culprit_error *error)
{
    struct curl_waitfd stop = {.fd = cancel_fd(client->cancel), .events = CURL_WAIT_POLLIN};
    unsigned fds = stop.fd >= 0 ? 1 : 0;

    curl_multi_poll(client->multi, fds ? &stop : NULL, fds, (int)wait_ms, NULL);
    return cancel_requested(client->cancel) ? culprit_fail(error, CULPRIT_CANCELLED, "stopped") : 0;
}

static int follow(struct stream *stream, const char *path, struct culprit_error *error)
{
    uint64_t silent_since = clock_monotonic(&clock_system);
    unsigned long wait_ms = RETRY_MS;

    for (;;) {
        struct culprit_error failure = {0};
        int r;

        stream->received = false;
        r = follow_once(stream, path, &failure);
        if (r != 0) {
            if (error && r < 0)
                *error = failure;
            return r;
        }
        if (stream->received) {
            silent_since = clock_monotonic(&clock_system);
            wait_ms = stream->sse.retry_ms ? stream->sse.retry_ms : RETRY_MS;
        } else if (clock_monotonic(&clock_system) - silent_since > GIVE_UP_NS) {
            if (error)
                *error = failure;
            return -(int)failure.code;
        }
        r = pause_stream(stream->client, wait_ms, error);
        if (r < 0)
            return r;
        wait_ms = wait_ms * 2 < RETRY_MAXIMUM_MS ? wait_ms * 2 : RETRY_MAXIMUM_MS;
    }
}

int client_events(struct client *client, const char *path, sse_handler handler, void *context,
                  struct culprit_error *error)
{
    struct stream stream = {.client = client, .refusal = BUFFER_INIT(64 * 1024)};
    int r;

    sse_init(&stream.sse, handler, context);
    r = follow(&stream, path, error);
    sse_clear(&stream.sse);
    buffer_free(&stream.refusal);
    return r;
}
