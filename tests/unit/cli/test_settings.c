/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which server and token win, and which are refused. */
#include "scratch.h"

#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "cli/settings.h"

/* An environment of the test's own: the scratch directory is the configuration's home. */
static int set_up(void **state)
{
    if (scratch_setup(state) < 0)
        return -1;
    setenv("XDG_CONFIG_HOME", *state, 1);
    unsetenv("CULPRIT_SERVER");
    unsetenv("CULPRIT_TOKEN");
    unsetenv("CULPRIT_TOKEN_FILE");
    return 0;
}

static void write_file(const char *directory, const char *name, const char *text, mode_t mode)
{
    _cleanup_free_ char *path = path_join(directory, name);
    _cleanup_free_ char *parent = path_directory(path);
    struct culprit_error error = {0};

    assert_success(file_make_directories(parent, 0700, &error));
    assert_success(file_write_atomic(path, text, strlen(text), mode, &error));
    assert_int_equal(chmod(path, mode), 0);
}

static void expect(const char *server, const char *wanted_server, const char *wanted_token)
{
    CULPRIT_CLEANUP(settings_clear) struct settings settings = {0};
    struct culprit_error error = {0};

    assert_success(settings_load(server, &settings, &error));
    assert_string_equal(settings.server, wanted_server);
    if (wanted_token) {
        assert_non_null(settings.token);
        assert_string_equal(settings.token, wanted_token);
    } else {
        assert_null(settings.token);
    }
}

static void expect_error(const char *server, enum culprit_code code, const char *sentence)
{
    CULPRIT_CLEANUP(settings_clear) struct settings settings = {0};
    struct culprit_error error = {0};

    assert_failure(settings_load(server, &settings, &error), code);
    assert_contains(error.message, sentence);
}

static void test_precedence(void **state)
{
    _cleanup_free_ char *file = text_format("server = https://file/\n# a comment\n\n"
                                            "token_file=%s/token\n",
                                            (char *)*state);
    _cleanup_free_ char *other = path_join(*state, "other");

    expect(NULL, "http://127.0.0.1:8470", NULL);
    write_file(*state, "culprit/config", file, 0644);
    write_file(*state, "token", " secret-of-file \n", 0600);
    expect(NULL, "https://file", "secret-of-file");
    setenv("CULPRIT_SERVER", "http://environment//", 1);
    expect(NULL, "http://environment", "secret-of-file");
    expect("http://line:1", "http://line:1", "secret-of-file");
    write_file(*state, "other", "secret-of-other", 0600);
    setenv("CULPRIT_TOKEN_FILE", other, 1);
    expect(NULL, "http://environment", "secret-of-other");
    setenv("CULPRIT_TOKEN", "secret", 1);
    expect(NULL, "http://environment", "secret");
}

static void test_bad_files(void **state)
{
    _cleanup_free_ char *token = path_join(*state, "token");

    write_file(*state, "culprit/config", "server = http://a\nserve = http://b\n", 0644);
    expect_error(NULL, CULPRIT_INVALID, "config:2: there is no setting \"serve\"");
    write_file(*state, "culprit/config", "\n\nnonsense\n", 0644);
    expect_error(NULL, CULPRIT_INVALID, "config:3: not a line of \"key = value\"");
    write_file(*state, "culprit/config", "", 0644);
    setenv("CULPRIT_TOKEN_FILE", token, 1);
    expect_error(NULL, CULPRIT_NOT_FOUND, token);
    write_file(*state, "token", "secret", 0640);
    expect_error(NULL, CULPRIT_DENIED, "others may read it (mode 0640)");
    write_file(*state, "token", "two\nlines", 0600);
    expect_error(NULL, CULPRIT_INVALID, "holds a byte (0x0a)");
}

static void test_servers(void **state)
{
    static const char *const refused[] = {"", "127.0.0.1:8470", "ftp://host", "file:///etc/passwd"};

    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        expect_error(refused[i], CULPRIT_INVALID, "must be an http:// or https:// URL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_precedence, set_up, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_bad_files, set_up, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_servers, set_up, scratch_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
