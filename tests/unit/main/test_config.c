/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>
#include <syslog.h>

#include "main/config.h"
#include "scratch.h"

static struct culprit_error error;

static struct config *parse(const char *text)
{
    struct config *config = NULL;

    assert_success(config_parse(text, strlen(text), &config, &error));
    return config;
}

static void defaults_are_filled_in(void **state)
{
    CULPRIT_CLEANUP(config_free) struct config *config = NULL;

    (void)state;
    setenv("STATE_DIRECTORY", "/state", 1);
    unsetenv("CACHE_DIRECTORY");
    setenv("XDG_CACHE_HOME", "/home/cache", 1);
    config = parse("repositories: {linux: /srv/linux}\nname: host.example.org\n");
    assert_string_equal(config->address, "127.0.0.1");
    assert_int_equal(config->port, 8470);
    assert_string_equal(config->state_directory, "/state");
    assert_string_equal(config->cache_directory,
                        geteuid() == 0 ? "/var/cache/culprit" : "/home/cache/culprit");
    assert_int_equal(config->repository_count, 1);
    assert_string_equal(config->repositories[0].name, "linux");
    assert_string_equal(config->repositories[0].location, "/srv/linux");
    assert_true(config->guests.slots >= 1 && config->builds.jobs >= 1);
    assert_string_equal(config->mail.from, "culprit <culprit@host.example.org>");
    assert_null(config->mail.host);
    assert_false(config->tokens);
    assert_int_equal(config->log_level, LOG_INFO);
}

static void keys_are_read(void **state)
{
    CULPRIT_CLEANUP(config_free) struct config *config = NULL;

    (void)state;
    config = parse("listen: '[::1]:80'\n"
                   "tokens: true\n"
                   "log_level: debug\n"
                   "repositories: {a: 'https://git.example.org/a.git', b: /b}\n"
                   "builds: {slots: 2, jobs: 3, timeout: 30m, nice: 0, compiler: gcc-12}\n"
                   "guests: {slots: 7, uri: 'qemu:///system', owner: me}\n"
                   "mail: {host: mx, security: tls, from: A B <a@b.example>}\n"
                   "keep: {size: 2GiB, age: 7d}\n");
    assert_string_equal(config->address, "::1");
    assert_int_equal(config->port, 80);
    assert_true(config->tokens);
    assert_int_equal(config->log_level, LOG_DEBUG);
    assert_int_equal(config->repository_count, 2);
    assert_int_equal(config->builds.slots, 2);
    assert_int_equal(config->builds.jobs, 3);
    assert_int_equal(config->builds.timeout_ns, 1800000000000);
    assert_string_equal(config->builds.compiler, "gcc-12");
    assert_int_equal(config->guests.slots, 7);
    assert_string_equal(config->guests.uri, "qemu:///system");
    assert_int_equal(config->mail.security, SMTP_TLS);
    assert_string_equal(config->mail.from, "A B <a@b.example>");
    assert_int_equal(config->keep.size, 2ull << 30);
    assert_int_equal(config->keep.age_ns, 7ull * 24 * 3600 * 1000000000);
}

static void faults_name_their_place(void **state)
{
    static const struct {
        const char *text;
        unsigned line;
        const char *part;
    } cases[] = {
        {"name: x\n", 1, "repositories"},
        {"repositories: {a: /a}\nbuild: {}\n", 2, "did you mean \"builds\""},
        {"repositories: {a: /a}\nbuilds: {slots: 10x}\n", 2, "10x"},
        {"repositories: {a: /a}\nbuilds:\n  slots: 0\n", 3, "1 to 64"},
        {"repositories: {a: /a, a: /b}\n", 1, "a"},
        {"repositories: {a: }\n", 1, ""},
        {"repositories: [a]\n", 1, "mapping"},
        {"repositories: {a: /a}\nlisten: localhost\n", 2, "127.0.0.1:8470"},
        {"repositories: {a: /a}\nlisten: 127.0.0.1:99999\n", 2, "port"},
        {"repositories: {a: /a}\nstate_directory: var\n", 2, "absolute"},
        {"repositories: {a: /a}\nlog_level: loud\n", 2, "warning"},
        {"repositories: {a: /a}\nmail: {security: ssl}\n", 2, "starttls"},
        {"repositories: {a: /a}\nkeep: {size: 2GB}\n", 2, "2GB"},
        {"repositories: {a: /a}\nmail: {host: x, user: y}\n", 0, "password_file"},
        {"repositories: {a: /a}\n...\n---\n", 3, ""},
        {"\t", 1, ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct config *config = NULL;
        error = (struct culprit_error){0};
        if (config_parse(cases[i].text, strlen(cases[i].text), &config, &error) != -CULPRIT_INVALID)
            fail_msg("\"%s\" is taken", cases[i].text);
        if (error.line != cases[i].line || !strstr(error.message, cases[i].part))
            fail_msg("\"%s\" is refused in line %u: %s", cases[i].text, error.line, error.message);
    }
}

/* The commented file says the truth about the keys there are. */
static void the_documented_file_is_good(void **state)
{
    CULPRIT_CLEANUP(config_free) struct config *config = NULL;

    (void)state;
    assert_success(config_read(CULPRIT_SOURCE_DIR "/docs/culpritd.conf.yaml", &config, &error));
    assert_string_equal(config->name, "culprit.example.org");
    assert_int_equal(config->port, 8470);
    assert_int_equal(config->mail.port, 587);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_filled_in),
        cmocka_unit_test(keys_are_read),
        cmocka_unit_test(faults_name_their_place),
        cmocka_unit_test(the_documented_file_is_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
