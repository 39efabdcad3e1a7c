/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <curl/curl.h>

#include "base/cleanup.h"
#include "base/path.h"

enum { ANSWER_MAXIMUM = 8 << 20, PATIENCE_SECONDS = 30 };

static size_t receive(char *data, size_t size, size_t count, void *context)
{
    buffer_append(context, data, size * count);
    return size * count;
}

static void set_request(CURL *curl, const struct question *question)
{
    const char *method = question->method ? question->method : "GET";

    if (question->body) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, question->body);
        curl_easy_setopt(
            curl, CURLOPT_POSTFIELDSIZE_LARGE,
            (curl_off_t)(question->body_length ? question->body_length : strlen(question->body)));
    } else if (strcmp(method, "POST") == 0) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, "");
    }
    if (strcmp(method, "HEAD") == 0)
        curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
    else
        curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
}

struct answer ask(uint16_t port, const struct question *question)
{
    struct answer answer = {.headers = BUFFER_INIT(ANSWER_MAXIMUM),
                            .body = BUFFER_INIT(ANSWER_MAXIMUM)};
    struct curl_slist *headers = NULL;
    CURL *curl = curl_easy_init();
    _cleanup_free_ char *url = text_format("http://127.0.0.1:%u%s", port, question->path);
    CURLcode code;

    assert_non_null(curl);
    assert_non_null(url);
    for (size_t i = 0; i < 6 && question->headers[i]; i++)
        headers = curl_slist_append(headers, question->headers[i]);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)PATIENCE_SECONDS);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer.body);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, receive);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, &answer.headers);
    set_request(curl, question);
    code = curl_easy_perform(curl);
    if (code != CURLE_OK)
        fail_msg("%s %s: %s", question->method ? question->method : "GET", question->path,
                 curl_easy_strerror(code));
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer.status);
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    if (answer.body.data)
        answer.json = json_loadb(answer.body.data, answer.body.length, 0, NULL);
    return answer;
}

struct answer get(uint16_t port, const char *path)
{
    return ask(port, &(struct question){.path = path});
}

void answer_clear(struct answer *answer)
{
    buffer_free(&answer->headers);
    buffer_free(&answer->body);
    json_decref(answer->json);
}

const char *answer_header(const struct answer *answer, const char *name)
{
    static char value[512];
    size_t length = strlen(name);

    for (const char *line = answer->headers.data; line && *line;) {
        const char *end = strstr(line, "\r\n");

        if (!end)
            break;
        if (strncasecmp(line, name, length) == 0 && line[length] == ':') {
            line += length + 1 + strspn(line + length + 1, " ");
            snprintf(value, sizeof value, "%.*s", (int)(end - line), line);
            return value;
        }
        line = end + 2;
    }
    return "";
}

const char *answer_text(const struct answer *answer, const char *member)
{
    const char *text = json_string_value(json_object_get(answer->json, member));

    return text ? text : "";
}

json_int_t answer_integer(const struct answer *answer, const char *member)
{
    return json_integer_value(json_object_get(answer->json, member));
}

int client_connect(uint16_t port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

bool client_read_until(int fd, struct buffer *buffer, const char *needle)
{
    char block[4096];

    while (!buffer->data || !strstr(buffer->data, needle)) {
        ssize_t got = read(fd, block, sizeof block);

        if (got < 0)
            fail_msg("nothing came within %d s; until then: %s", PATIENCE_SECONDS,
                     buffer->data ? buffer->data : "");
        if (got == 0)
            return false;
        buffer_append(buffer, block, (size_t)got);
    }
    return true;
}
