/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program culpritd as its users see it: start, refusals, end. Guests and builds are not for
 * here. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "scratch.h"

static struct culprit_error error;

struct program {
    pid_t process;
    int output; /* of both streams */
    char text[16384];
    size_t length;
};

static char *write_config(const char *directory, const char *extra)
{
    char *path = path_join(directory, "culpritd.yaml");
    _cleanup_free_ char *text = text_format("listen: 127.0.0.1:0\n"
                                            "state_directory: %s/state\n"
                                            "cache_directory: %s/cache\n"
                                            "repositories: {linux: /srv/linux}\n%s",
                                            directory, directory, extra);

    assert_non_null(path);
    assert_success(file_write_atomic(path, text, strlen(text), 0600, &error));
    return path;
}

static void start(struct program *program, const char *config, const char *option)
{
    int ends[2];

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    *program = (struct program){.output = ends[0]};
    program->process = fork();
    if (program->process == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        execl(CULPRITD, CULPRITD, "--config", config, option, NULL);
        _exit(127);
    }
    close(ends[1]);
}

/* Reads until the text is there, or the end; fails the test after a minute. */
static bool read_until(struct program *program, const char *part)
{
    struct pollfd wait = {.fd = program->output, .events = POLLIN};

    while (!part || !strstr(program->text, part)) {
        if (poll(&wait, 1, 60000) != 1) {
            kill(program->process, SIGKILL);
            fail_msg("culpritd says nothing more after: %s", program->text);
        }
        ssize_t length = read(program->output, program->text + program->length,
                              sizeof program->text - 1 - program->length);
        if (length <= 0)
            return false;
        program->length += (size_t)length;
        program->text[program->length] = '\0';
    }
    return true;
}

static int finish(struct program *program)
{
    int status = 0;

    read_until(program, NULL);
    waitpid(program->process, &status, 0);
    close(program->output);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void expect_refusal(const char *config, const char *option, int status, const char *part)
{
    struct program program;

    start(&program, config, option);
    int found = finish(&program);
    if (found != status || !strstr(program.text, part))
        fail_msg("culpritd ends with %d: %s", found, program.text);
}

static void get(unsigned port, const char *path, char *ret, size_t size)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    _cleanup_close_ int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    _cleanup_free_ char *request = text_format(
        "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nConnection: close\r\n\r\n", path, port);
    size_t used = 0;
    ssize_t length;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(write(fd, request, strlen(request)), strlen(request));
    while ((length = read(fd, ret + used, size - 1 - used)) > 0)
        used += (size_t)length;
    ret[used] = '\0';
}

static unsigned port_of(const struct program *program)
{
    const char *at = strstr(program->text, "LISTEN=127.0.0.1:");

    return at ? (unsigned)strtoul(at + strlen("LISTEN=127.0.0.1:"), NULL, 10) : 0;
}

static void it_serves_and_ends(void **state)
{
    _cleanup_free_ char *config = write_config(*state, "");
    static const int signals[] = {SIGTERM, SIGINT};
    char answer[8192];

    for (size_t i = 0; i < 2; i++) {
        struct program program;
        start(&program, config, NULL);
        if (!read_until(&program, "STATE_DIRECTORY="))
            fail_msg("culpritd did not start: %s", program.text);
        get(port_of(&program), "/api/v1/healthz", answer, sizeof answer);
        assert_contains(answer, "200 OK");
        assert_contains(answer, "\"status\": \"ok\"");
        expect_refusal(config, NULL, 3, "in use by another culpritd");
        kill(program.process, signals[i]);
        assert_int_equal(finish(&program), 0);
        assert_contains(program.text, "ended");
    }
}

static void a_kill_leaves_nothing_in_the_way(void **state)
{
    _cleanup_free_ char *config = write_config(*state, "");

    for (int i = 0; i < 3; i++) {
        struct program program;
        start(&program, config, NULL);
        if (!read_until(&program, "STATE_DIRECTORY="))
            fail_msg("culpritd did not start: %s", program.text);
        kill(program.process, SIGKILL);
        assert_int_equal(finish(&program), -SIGKILL);
    }
}

static void faults_are_sentences(void **state)
{
    _cleanup_free_ char *faulty = write_config(*state, "build: {}\n");

    expect_refusal(faulty, "--check", 4, "culpritd.yaml:5:1: unknown key \"build\"");
    expect_refusal("/does/not/exist", "--check", 5, "/does/not/exist");
    _cleanup_free_ char *good = write_config(*state, "");
    expect_refusal(good, "--check", 0, "is good");
    expect_refusal(good, "--no-such-option", 4, "usage: culpritd");
}

/* A libvirt that is not there, or does not answer. */
static void libvirt_that_is_away_is_said(void **state)
{
    _cleanup_free_ char *uri = text_format(
        "guests: {uri: 'qemu+unix:///system?socket=%s/no-socket'}\n", (char *)*state);
    _cleanup_free_ char *config = write_config(*state, uri);

    expect_refusal(config, NULL, 6, "libvirt");
}

static void tokens_are_made(void **state)
{
    _cleanup_free_ char *config = write_config(*state, "tokens: true\n");
    char answer[8192];
    struct program program;
    const char *arguments[] = {"--add-token=ci", "--list-tokens", "--remove-token=ci"};
    static const char *const parts[] = {"cpt_", "ci", ""};

    for (size_t i = 0; i < 3; i++)
        expect_refusal(config, arguments[i], 0, parts[i]);
    start(&program, config, NULL);
    assert_true(read_until(&program, "STATE_DIRECTORY="));
    get(port_of(&program), "/api/v1/jobs", answer, sizeof answer);
    assert_contains(answer, "401");
    kill(program.process, SIGTERM);
    assert_int_equal(finish(&program), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(it_serves_and_ends),   scratch_test(a_kill_leaves_nothing_in_the_way),
        scratch_test(faults_are_sentences), scratch_test(libvirt_that_is_away_is_said),
        scratch_test(tokens_are_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
