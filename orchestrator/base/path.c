/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/path.h"

#include <errno.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

char *text_format(const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    int length;

    va_start(arguments, format);
    length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return length < 0 ? NULL : text;
}

char *path_join(const char *directory, const char *name)
{
    size_t length = strlen(directory);

    while (length > 0 && directory[length - 1] == '/')
        length--;
    while (*name == '/')
        name++;
    if (length == 0 && directory[0] != '/')
        return strdup(name);
    return text_format("%.*s/%s", (int)length, directory, name);
}

char *path_directory(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

/* $HOME, or what the user database says: services may run without the variable. */
static char *home_directory(void)
{
    const char *home = secure_getenv("HOME");
    struct passwd entry, *found = NULL;
    char strings[4096];

    if (home && home[0] == '/')
        return strdup(home);
    if (getpwuid_r(geteuid(), &entry, strings, sizeof strings, &found) != 0 || !found)
        return NULL;
    return strdup(found->pw_dir);
}

/* $variable/culprit if it is set and absolute (XDG Base Directory Specification), else
 * the user's home/fallback/culprit. */
static char *home_path(const char *variable, const char *fallback)
{
    const char *base = secure_getenv(variable);
    _cleanup_free_ char *home = NULL;

    if (base && base[0] == '/')
        return path_join(base, "culprit");
    home = home_directory();
    return home ? text_format("%s/%s/culprit", home, fallback) : NULL;
}

char *path_cache_home(void)
{
    return home_path("XDG_CACHE_HOME", ".cache");
}

char *path_state_home(void)
{
    return home_path("XDG_STATE_HOME", ".local/state");
}

/* A directory that only this user can reach, or nothing: somebody else could have made it first in
 * the shared temporary directory. */
static bool private_directory(const char *path)
{
    struct stat status;

    if (mkdir(path, 0700) < 0 && errno != EEXIST)
        return false;
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           (status.st_mode & 0077) == 0;
}

char *path_runtime_home(void)
{
    const char *base = secure_getenv("XDG_RUNTIME_DIR");
    const char *temporary = secure_getenv("TMPDIR");
    _cleanup_free_ char *path = NULL;

    if (base && base[0] == '/')
        return path_join(base, "culprit");
    if (!temporary || temporary[0] != '/')
        temporary = "/tmp";
    path = text_format("%s/culprit-%lu", temporary, (unsigned long)geteuid());
    return path && private_directory(path) ? take(path) : NULL;
}
