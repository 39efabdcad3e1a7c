/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>
#include <syslog.h>

#include "base/path.h"
#include "main/config_rules.h"
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
    config = parse("listen: '[::]:80'\n"
                   "tokens: true\n"
                   "log_level: debug\n"
                   "repositories: {a: 'https://git.example.org/a.git', b: /b, c: 'git@x:c.git'}\n"
                   "builds: {slots: 2, jobs: 3, timeout: 30m, nice: 0, compiler: gcc-12}\n"
                   "guests: {slots: 7, uri: 'qemu:///system', owner: me}\n"
                   "mail: {host: mx, security: tls, from: A B <a@b.example>}\n"
                   "keep: {size: 2GiB, age: 7d}\n");
    assert_string_equal(config->address, "::");
    assert_int_equal(config->port, 80);
    assert_true(config->tokens);
    assert_int_equal(config->log_level, LOG_DEBUG);
    assert_int_equal(config->repository_count, 3);
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
        {"repositories: {a: /a}\nmail: {host: x, user: y}\n", 2, "password_file"},
        {"repositories: {a: /a}\nmail: {user: y, password_file: /p}\n", 2, "mail.host"},
        {"repositories: {a: /a}\nlisten: 0.0.0.0:8470\n", 2, "tokens: true"},
        {"repositories: {a: /a}\nlisten: '[::]:8470'\ntokens: false\n", 2, "[::1]"},
        {"repositories: {a: /a}\nlisten: 192.0.2.1:1\n", 2, "192.0.2.1"},
        {"repositories: {a: /a}\nlisten: 'localhost:8470'\n", 2, "localhost:8470"},
        {"repositories: {a: /a}\nlisten: '::1:8470'\n", 2, "[::1]:8470"},
        {"repositories: {a: /a}\nlisten: '[127.0.0.1]:8470'\n", 2, "numeric"},
        {"repositories: {a: /a}\nhosts: [proxy, 'https://proxy.example.org']\n", 2, "scheme"},
        {"repositories: {a: /a}\nhosts: ['proxy.example.org:80']\n", 2, "a port"},
        {"repositories:\n  a: /a\n  b: ../linux\n", 3, "../linux"},
        {"repositories:\n  a: linux.git\n", 2, "absolute"},
        {"repositories:\n  a: 'htps://git.example.org/a.git'\n", 2, "https, http, ssh, git"},
        {"repositories: {a: /a}\nmail: {host: mx, from: culprit}\n", 2, "culprit@example.org"},
        {"repositories: {a: /a}\nmail: {host: mx, from: 'a@b>'}\n", 2, "a@b>"},
        {"repositories: {a: /a}\nmail:\n  host: smtp://mx\n", 3, "smtp://mx"},
        {"repositories: {a: /a}\nmail:\n  domain: a/b\n", 3, "a/b"},
        {"repositories: {a: /a}\nmail:\n  host: mx\n  user: u\n  password_file: /p\n"
         "  security: plain\n",
         6, "starttls"},
        {"name: a<b\nrepositories: {a: /a}\nmail: {host: mx}\n", 0, "give one here"},
        {"repositories: {a: /a}\nguests: {owner: Me}\n", 2, "a-z, 0-9"},
        {"repositories: {a: /a}\nguests: {uri: 'xen:///'}\n", 2, "qemu:///system"},
        {"repositories: {a: /a}\nstate_directory: /x\ncache_directory: /x\n", 3, "/x"},
        {"repositories: {a: /a}\nstate_directory: /x/y/z\ncache_directory: /x/y/\n", 3, "is in"},
        {"repositories: {a: /a}\nguests: {uri: 'qemu:///sytem'}\n", 2, "qemu:///system"},
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

/* What is there, of which each case replaces one thing. */
static void make_host(const char *directory)
{
    static const char *const files[] = {"clone.git/HEAD", "ca.pem", "secret", "open-secret"};
    _cleanup_free_ char *clone = path_join(directory, "clone.git");
    _cleanup_free_ char *work = path_join(directory, "home/work");

    assert_success(file_make_directories(clone, 0755, &error));
    assert_success(file_make_directories(work, 0755, &error));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        _cleanup_free_ char *path = path_join(directory, files[i]);
        assert_success(file_write_atomic(path, "x\n", 2, i == 3 ? 0644 : 0600, &error));
    }
}

static struct config *parse_for(const char *directory, const char *const values[8])
{
    _cleanup_free_ char *text = text_format(
        "listen: %s\ntokens: true\nstate_directory: %s/%s\ncache_directory: %s/%s\n"
        "repositories: {u: 'https://git.example.org/u.git', a: %s/%s}\n"
        "builds: {compiler: %s}\nmail: {password_file: %s/%s, ca_file: %s/%s, host: mx}\n",
        values[0], directory, values[1], directory, values[2], directory, values[3], values[4],
        directory, values[5], directory, values[6]);

    assert_non_null(text);
    return parse(text);
}

static void the_host_is_looked_at(void **state)
{
    enum { LISTEN, STATE, CACHE, CLONE, COMPILER, PASSWORD, CA, COUNT };
    static const char *const good[COUNT + 1] = {
        "127.0.0.1:0", "new/state", "new/cache", "clone.git", "sh", "secret", "ca.pem"};
    static const struct {
        int what;
        const char *value;
        unsigned line;
        const char *where, *part;
    } cases[] = {
        {LISTEN, "192.0.2.1:0", 1, "listen", "192.0.2.1"},
        {STATE, "secret/state", 3, "state_directory", "secret"},
        {STATE, "home", 3, "state_directory", "somebody else's"},
        {CACHE, "ca.pem", 4, "cache_directory", "no directory"},
        {CLONE, "nowhere", 5, "repositories.a", "No such file"},
        {CLONE, "ca.pem", 5, "repositories.a", "neither HEAD nor .git"},
        {COMPILER, "no-such-gcc", 6, "builds.compiler", "no-such-gcc"},
        {COMPILER, "/no/such/gcc", 6, "builds.compiler", "on PATH"},
        {COMPILER, "/tmp", 6, "builds.compiler", "on PATH"},
        {PASSWORD, "open-secret", 7, "mail.password_file", "mode 644"},
        {PASSWORD, "nowhere", 7, "mail.password_file", "No such file"},
        {CA, "nowhere", 7, "mail.ca_file", "nowhere"},
    };

    make_host(*state);
    CULPRIT_CLEANUP(config_free) struct config *fine = parse_for(*state, good);
    assert_success(config_check_host(fine, &error));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *values[COUNT + 1];
        memcpy(values, good, sizeof values);
        values[cases[i].what] = cases[i].value;
        CULPRIT_CLEANUP(config_free) struct config *config = parse_for(*state, values);
        assert_failure(config_check_host(config, &error), CULPRIT_INVALID);
        if (error.line != cases[i].line || strcmp(error.where, cases[i].where) != 0 ||
            !strstr(error.message, cases[i].part))
            fail_msg("%s is refused in line %u, %s: %s", cases[i].value, error.line, error.where,
                     error.message);
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
        cmocka_unit_test(defaults_are_filled_in),      cmocka_unit_test(keys_are_read),
        cmocka_unit_test(faults_name_their_place),     scratch_test(the_host_is_looked_at),
        cmocka_unit_test(the_documented_file_is_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
