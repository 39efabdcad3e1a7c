/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program culpritd as its users see it: start, refusals, end. Guests and builds are not for
 * here. */
#include <signal.h>
#include <string.h>

#include "daemon.h"
#include "scratch.h"

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

    expect_refusal(faulty, "--check", 4, "culpritd.yaml:5:1: unknown key \"build\"");
    expect_refusal("/does/not/exist", "--check", 5, "/does/not/exist");
    _cleanup_free_ char *good = daemon_configure(*state, repositories, "");
    expect_refusal(good, "--check", 0, "is good");
    expect_refusal(good, "--no-such-option", 4, "usage: culpritd");
}

/* A libvirt that is not there, or does not answer. */
static void libvirt_that_is_away_is_said(void **state)
{
    _cleanup_free_ char *uri = text_format(
        "guests: {uri: 'qemu+unix:///system?socket=%s/no-socket'}\n", (char *)*state);
    _cleanup_free_ char *config = daemon_configure(*state, repositories, uri);

    expect_refusal(config, NULL, 6, "libvirt");
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
        scratch_test(it_serves_and_ends),   scratch_test(a_kill_leaves_nothing_in_the_way),
        scratch_test(faults_are_sentences), scratch_test(libvirt_that_is_away_is_said),
        scratch_test(tokens_are_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
