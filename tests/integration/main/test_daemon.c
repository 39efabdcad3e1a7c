/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program culpritd as its users see it: start, refusals, end. Guests and builds are not for
 * here. */
#include <arpa/inet.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "daemon.h"
#include "scratch.h"

static struct culprit_error error;

static const char repositories[] = "linux: /srv/linux";

static void expect_refusal(const char *config, const char *option, int status, const char *part)
{
    struct daemon daemon;

    daemon_start(&daemon, config, option);
    int found = daemon_finish(&daemon, 0);
    if (found != status || !strstr(daemon.text, part))
        fail_msg("culpritd ends with %d: %s", found, daemon.text);
}

static void it_serves_and_ends(void **state)
{
    _cleanup_free_ char *config = daemon_configure(*state, repositories, "");
    static const int signals[] = {SIGTERM, SIGINT};
    char answer[8192];

    for (size_t i = 0; i < 2; i++) {
        struct daemon daemon;
        daemon_start(&daemon, config, NULL);
        daemon_expect_ready(&daemon);
        assert_int_equal(daemon_ask(&daemon, "/api/v1/healthz", NULL, answer, sizeof answer), 200);
        assert_contains(answer, "\"status\": \"ok\"");
        expect_refusal(config, NULL, 3, "in use by another culpritd");
        assert_int_equal(daemon_finish(&daemon, signals[i]), 0);
        assert_contains(daemon.text, "ended");
    }
}

static void a_kill_leaves_nothing_in_the_way(void **state)
{
    _cleanup_free_ char *config = daemon_configure(*state, repositories, "");

    for (int i = 0; i < 3; i++) {
        struct daemon daemon;
        daemon_start(&daemon, config, NULL);
        daemon_expect_ready(&daemon);
        assert_int_equal(daemon_finish(&daemon, SIGKILL), -SIGKILL);
    }
}

static void faults_are_sentences(void **state)
{
    _cleanup_free_ char *faulty = daemon_configure(*state, repositories, "build: {}\n");

    expect_refusal(faulty, "--check", 4, "culpritd.yaml:5:1: build: unknown key \"build\"");
    expect_refusal("/does/not/exist", "--check", 5, "/does/not/exist");
    _cleanup_free_ char *head = path_join(*state, "HEAD");
    _cleanup_free_ char *here = text_format("linux: %s", (char *)*state);
    assert_success(file_write_atomic(head, "", 0, 0644, &error));
    _cleanup_free_ char *open = daemon_configure(*state, here, "hosts: [proxy:80]\n");
    expect_refusal(open, "--check", 4, "culpritd.yaml:5:9: hosts[0]");
    _cleanup_free_ char *compiler = daemon_configure(*state, here, "builds: {compiler: no-cc}\n");
    expect_refusal(compiler, "--check", 4, "culpritd.yaml:5:20: builds.compiler: there is no");
    _cleanup_free_ char *good = daemon_configure(*state, here, "");
    expect_refusal(good, "--check", 0, "is good");
    expect_refusal(good, "--no-such-option", 4, "usage: culpritd");
}

/* Without topologies, fragments or images no job could be taken: that is said at the start. */
static void data_that_are_not_there_are_missed(void **state)
{
    static const char *const missing[] = {"no topology", "no fragment", "no guest image"};
    static const char *const files[] = {"topologies/pair.yaml", "fragments/sched.config",
                                        "images/minimal.cpio"};
    static const char *const sources[] = {CULPRIT_SOURCE_DIR "/images/topologies/pair.yaml",
                                          CULPRIT_SOURCE_DIR "/kernels/fragments/sched.config",
                                          CULPRIT_SOURCE_DIR "/README.md"};
    _cleanup_free_ char *head = path_join(*state, "HEAD");
    _cleanup_free_ char *here = text_format("linux: %s", (char *)*state);
    _cleanup_free_ char *config = daemon_configure(*state, here, "");
    _cleanup_free_ char *data = path_join(*state, "data");

    assert_success(file_write_atomic(head, "", 0, 0644, &error));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        _cleanup_free_ char *file = path_join(data, files[i]);
        _cleanup_free_ char *directory = path_directory(file);
        assert_success(file_make_directories(directory, 0755, &error));
    }
    setenv("CULPRIT_DATA_DIR", data, 1);
    for (size_t i = 0; i <= sizeof missing / sizeof *missing; i++) {
        if (i == sizeof missing / sizeof *missing) {
            expect_refusal(config, "--check", 0, "is good");
            break;
        }
        _cleanup_free_ char *file = path_join(data, files[i]);

        expect_refusal(config, "--check", 5, missing[i]);
        expect_refusal(config, NULL, 5, missing[i]);
        assert_success(file_copy(sources[i], file, 0644, &error));
    }
    unsetenv("CULPRIT_DATA_DIR");
}

/* A home with a directory work, named by mistake, is left as it was. */
static void what_is_not_its_own_is_not_touched(void **state)
{
    static const char *const options[] = {NULL, "--check", "--list-tokens"};
    _cleanup_free_ char *config = daemon_configure(*state, repositories, "");
    _cleanup_free_ char *work = path_join(*state, "state/work");
    _cleanup_free_ char *file = path_join(work, "thesis");
    _cleanup_free_ char *store = path_join(*state, "state/culprit.db");

    assert_success(file_make_directories(work, 0755, &error));
    assert_success(file_write_atomic(file, "x", 1, 0644, &error));
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        expect_refusal(config, options[i], 4, "state_directory: ");
    assert_true(file_exists(file));
    assert_false(file_exists(store));
}

static const char document[] =
    "version: 1\nname: x\nkind: run\nsource: {repository: linux, commit: v1}\n"
    "guest: {topology: pair}\nworkloads: [{exec: {command: \"true\"}}]\n"
    "notify: {mail: [ada@example.org]}\n";

/* A libvirt that is not there: the daemon serves, says so, and a job waits for it until somebody
 * cancels it. */
static void without_libvirt_it_serves(void **state)
{
    _cleanup_free_ char *uri = text_format(
        "guests: {uri: 'qemu+unix:///system?socket=%s/no-socket'}\n", (char *)*state);
    _cleanup_free_ char *config = daemon_configure(*state, repositories, uri);
    char answer[8192];
    struct daemon daemon;

    daemon_start(&daemon, config, NULL);
    daemon_expect_ready(&daemon);
    assert_true(daemon_read_until(&daemon, "there are no guests"));
    assert_int_equal(daemon_ask(&daemon, "/api/v1/healthz", NULL, answer, sizeof answer), 503);
    assert_contains(answer, "guests cannot be run");
    assert_contains(answer, "no-socket");
    assert_int_equal(daemon_ask(&daemon, "/api/v1/jobs", document, answer, sizeof answer), 201);
    daemon_watch(&daemon, 1, "guests cannot be run");
    assert_int_equal(daemon_ask(&daemon, "/api/v1/jobs/1", NULL, answer, sizeof answer), 200);
    assert_contains(answer, "\"state\": \"preparing\"");
    daemon_expect_end(&daemon);
}

static unsigned listen_silently(int *ret_fd)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;

    *ret_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(*ret_fd, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(*ret_fd, 1), 0);
    assert_int_equal(getsockname(*ret_fd, (struct sockaddr *)&address, &size), 0);
    return ntohs(address.sin_port);
}

/* The job ends at once, for its repository is not there, and its report is on the way to a server
 * that takes the connection and says nothing. */
static void a_silent_mail_server_does_not_hold_its_end(void **state)
{
    int listener = -1;
    _cleanup_free_ char *mail = text_format("mail: {host: 127.0.0.1, port: %u, security: plain}\n",
                                            listen_silently(&listener));
    _cleanup_free_ char *config = daemon_configure(*state, repositories, mail);
    char answer[8192];
    struct daemon daemon;

    for (int round = 0; round < 2; round++) {
        daemon_start(&daemon, config, NULL);
        daemon_expect_ready(&daemon);
        if (round == 0)
            assert_int_equal(daemon_ask(&daemon, "/api/v1/jobs", document, answer, sizeof answer),
                             201);
        int connection = accept(listener, NULL, NULL); /* in the second round from the outbox */
        assert_true(connection >= 0);
        uint64_t start = clock_monotonic(&clock_system);
        daemon_expect_end(&daemon);
        assert_in_range(clock_monotonic(&clock_system) - start, 0, 20000000000);
        close(connection);
    }
    close(listener);
}

static void tokens_are_made(void **state)
{
    _cleanup_free_ char *config = daemon_configure(*state, repositories, "tokens: true\n");
    char answer[8192];
    struct daemon daemon;
    const char *arguments[] = {"--add-token=ci", "--list-tokens", "--remove-token=ci"};
    static const char *const parts[] = {"cpt_", "ci", ""};

    for (size_t i = 0; i < 3; i++)
        expect_refusal(config, arguments[i], 0, parts[i]);
    daemon_start(&daemon, config, NULL);
    daemon_expect_ready(&daemon);
    assert_int_equal(daemon_ask(&daemon, "/api/v1/jobs", NULL, answer, sizeof answer), 401);
    daemon_expect_end(&daemon);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(it_serves_and_ends),
        scratch_test(a_kill_leaves_nothing_in_the_way),
        scratch_test(what_is_not_its_own_is_not_touched),
        scratch_test(data_that_are_not_there_are_missed),
        scratch_test(faults_are_sentences),
        scratch_test(without_libvirt_it_serves),
        scratch_test(a_silent_mail_server_does_not_hold_its_end),
        scratch_test(tokens_are_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
