/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/settings.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/path.h"

enum { SETTINGS_MAXIMUM = 64 * 1024, TOKEN_MAXIMUM = 4096 };

static int no_memory(struct culprit_error *error)
{
    return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot read the settings: no memory");
}

static char *settings_path(void)
{
    const char *config = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");

    if (config && *config == '/')
        return text_format("%s/culprit/config", config);
    return home && *home ? text_format("%s/.config/culprit/config", home) : NULL;
}

/* Cuts white space at both ends, in place. */
static char *trim(char *text)
{
    size_t length;

    while (isspace((unsigned char)*text))
        text++;
    length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    return text;
}

struct settings_file {
    char *server;
    char *token_file;
};

static int take_line(char *line, const char *path, unsigned number, struct settings_file *file,
                     struct culprit_error *error)
{
    char *equals;
    char *key = trim(line);
    char **target = NULL;

    if (*key == '\0' || *key == '#')
        return 0;
    equals = strchr(key, '=');
    if (!equals)
        return culprit_fail(error, CULPRIT_INVALID, "%s:%u: not a line of \"key = value\"", path,
                            number);
    *equals = '\0';
    key = trim(key);
    if (strcmp(key, "server") == 0)
        target = &file->server;
    else if (strcmp(key, "token_file") == 0)
        target = &file->token_file;
    if (!target)
        return culprit_fail(error, CULPRIT_INVALID,
                            "%s:%u: there is no setting \"%s\": server or token_file", path, number,
                            key);
    free(*target);
    *target = strdup(trim(equals + 1));
    return *target ? 0 : no_memory(error);
}

/* A file that is not there says nothing. */
static int read_file(struct settings_file *file, struct culprit_error *error)
{
    _cleanup_free_ char *path = settings_path();
    _cleanup_free_ char *text = NULL;
    unsigned number = 1;
    char *rest;
    int r;

    if (!path || !file_exists(path))
        return 0;
    r = file_read(path, SETTINGS_MAXIMUM, &text, NULL, error);
    rest = text;
    for (char *line; r == 0 && (line = strsep(&rest, "\n")) != NULL; number++)
        r = take_line(line, path, number, file, error);
    return r;
}

static int read_token(const char *path, char **ret, struct culprit_error *error)
{
    _cleanup_free_ char *text = NULL;
    struct stat status;
    int r;

    if (stat(path, &status) < 0)
        return culprit_fail_errno(error, errno, "cannot read the token in %s", path);
    if (status.st_mode & (S_IRWXG | S_IRWXO))
        return culprit_fail(error, CULPRIT_DENIED,
                            "cannot use the token in %s: others may read it (mode %04o); "
                            "chmod 600 it",
                            path, status.st_mode & 07777U);
    r = file_read(path, TOKEN_MAXIMUM, &text, NULL, error);
    if (r < 0)
        return r;
    *ret = strdup(trim(text));
    return *ret ? 0 : no_memory(error);
}

/* A line break in a token would begin another header of the request. */
static int check_token(const char *token, struct culprit_error *error)
{
    for (const char *c = token; *c; c++) {
        if ((unsigned char)*c <= 0x20 || (unsigned char)*c >= 0x7f)
            return culprit_fail(error, CULPRIT_INVALID,
                                "cannot use the token: it holds a byte (0x%02x) that no token has",
                                (unsigned)(unsigned char)*c);
    }
    return 0;
}

static int find_token(const struct settings_file *file, char **ret, struct culprit_error *error)
{
    const char *token = getenv("CULPRIT_TOKEN");
    const char *path = getenv("CULPRIT_TOKEN_FILE");
    int r = 0;

    if (token && *token) {
        *ret = strdup(token);
        r = *ret ? 0 : no_memory(error);
    } else if (path && *path) {
        r = read_token(path, ret, error);
    } else if (file->token_file) {
        r = read_token(file->token_file, ret, error);
    }
    return r == 0 && *ret ? check_token(*ret, error) : r;
}

int settings_load(const char *server, struct settings *ret, struct culprit_error *error)
{
    struct settings_file file = {0};
    _cleanup_free_ char *file_server = NULL;
    _cleanup_free_ char *file_token = NULL;
    const char *environment = getenv("CULPRIT_SERVER");
    size_t length;
    int r;

    r = read_file(&file, error);
    file_server = file.server;
    file_token = file.token_file;
    if (r < 0)
        return r;
    if (!server)
        server = environment && *environment ? environment : file_server;
    ret->server = strdup(server ? server : SETTINGS_DEFAULT_SERVER);
    if (!ret->server)
        return no_memory(error);
    if (strncmp(ret->server, "http://", 7) != 0 && strncmp(ret->server, "https://", 8) != 0)
        return culprit_fail(error, CULPRIT_INVALID,
                            "the server must be an http:// or https:// URL, not \"%.200s\"",
                            ret->server);
    length = strlen(ret->server);
    while (length > 8 && ret->server[length - 1] == '/')
        ret->server[--length] = '\0';
    return find_token(&file, &ret->token, error);
}

void settings_clear(struct settings *settings)
{
    free(settings->server);
    free(settings->token);
}
