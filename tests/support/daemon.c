/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/buffer.h"
#include "scratch.h"

enum { SILENCE_MS = 60000, STREAM_MS = 600000 };

static struct culprit_error error;

char *daemon_configure(const char *directory, const char *repositories, const char *extra)
{
    char *path = path_join(directory, "culpritd.yaml");
    _cleanup_free_ char *text = text_format("listen: 127.0.0.1:0\n"
                                            "state_directory: %s/state\n"
                                            "cache_directory: %s/cache\n"
                                            "repositories: {%s}\n%s",
                                            directory, directory, repositories, extra);

    assert_non_null(path);
    assert_success(file_write_atomic(path, text, strlen(text), 0600, &error));
    return path;
}

void daemon_start(struct daemon *daemon, const char *config, const char *option)
{
    int ends[2];

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    *daemon = (struct daemon){.output = ends[0]};
    daemon->process = fork();
    if (daemon->process == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        execl(CULPRITD, CULPRITD, "--config", config, option, NULL);
        _exit(127);
    }
    close(ends[1]);
}

bool daemon_read_until(struct daemon *daemon, const char *part)
{
    struct pollfd wait = {.fd = daemon->output, .events = POLLIN};

    while (!part || !strstr(daemon->text, part)) {
        if (poll(&wait, 1, SILENCE_MS) != 1) {
            kill(daemon->process, SIGKILL);
            fail_msg("culpritd says nothing more after: %s", daemon->text);
        }
        ssize_t length = read(daemon->output, daemon->text + daemon->length,
                              sizeof daemon->text - 1 - daemon->length);
        if (length <= 0)
            return false;
        daemon->length += (size_t)length;
        daemon->text[daemon->length] = '\0';
    }
    return true;
}

void daemon_expect_ready(struct daemon *daemon)
{
    if (!daemon_read_until(daemon, "STATE_DIRECTORY="))
        fail_msg("culpritd did not start: %s", daemon->text);
}

int daemon_finish(struct daemon *daemon, int signal)
{
    int status = 0;

    if (signal)
        kill(daemon->process, signal);
    daemon_read_until(daemon, NULL);
    waitpid(daemon->process, &status, 0);
    close(daemon->output);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void daemon_expect_end(struct daemon *daemon)
{
    int status = daemon_finish(daemon, SIGTERM);

    if (status != 0)
        fail_msg("culpritd ends with %d: %s", status, daemon->text);
}

static int connect_to(const struct daemon *daemon)
{
    static const char mark[] = "LISTEN=127.0.0.1:";
    struct sockaddr_in address = {.sin_family = AF_INET};
    const char *at = strstr(daemon->text, mark);

    assert_non_null(at);
    address.sin_port = htons((uint16_t)strtoul(at + strlen(mark), NULL, 10));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static void send_request(int fd, const char *path, const char *body)
{
    _cleanup_buffer_ struct buffer request = BUFFER_INIT(1024 * 1024);

    buffer_printf(&request, "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n",
                  body ? "POST" : "GET", path);
    if (body)
        buffer_printf(&request, "Content-Type: application/yaml\r\nContent-Length: %zu\r\n",
                      strlen(body));
    buffer_printf(&request, "\r\n%s", body ? body : "");
    assert_int_equal(write(fd, request.data, request.length), request.length);
}

unsigned daemon_ask(const struct daemon *daemon, const char *path, const char *body, char *ret,
                    size_t size)
{
    _cleanup_close_ int fd = connect_to(daemon);
    unsigned status = 0;
    size_t used = 0;
    ssize_t length;

    send_request(fd, path, body);
    while ((length = read(fd, ret + used, size - 1 - used)) > 0)
        used += (size_t)length;
    ret[used] = '\0';
    assert_int_equal(sscanf(ret, "HTTP/1.1 %u", &status), 1);
    const char *end = strstr(ret, "\r\n\r\n");
    if (end)
        memmove(ret, end + 4, strlen(end + 4) + 1);
    return status;
}

void daemon_watch(const struct daemon *daemon, int job, const char *part)
{
    _cleanup_buffer_ struct buffer stream = BUFFER_INIT(16 * 1024 * 1024);
    _cleanup_free_ char *path = text_format("/api/v1/jobs/%d/events", job);
    _cleanup_close_ int fd = connect_to(daemon);
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    char chunk[4096];

    send_request(fd, path, NULL);
    while (!stream.data || !strstr(stream.data, part)) {
        if (poll(&wait, 1, STREAM_MS) != 1)
            fail_msg("no \"%s\" in ten minutes of events: %s", part, stream.data);
        ssize_t length = read(fd, chunk, sizeof chunk);
        if (length <= 0)
            fail_msg("the events end without \"%s\": %s", part, stream.data);
        buffer_append(&stream, chunk, (size_t)length);
    }
}
