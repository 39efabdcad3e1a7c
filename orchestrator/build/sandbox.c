/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "build/sandbox.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/path.h"

static void append_all(struct strv *argv, const char *const *words)
{
    for (; *words; words++)
        strv_append(argv, *words);
}

static void append_three(struct strv *argv, const char *option, const char *from, const char *to)
{
    strv_append(argv, option);
    strv_append(argv, from);
    strv_append(argv, to);
}

/* /bin, /lib and others are links into /usr on merged systems and directories on older ones. */
static void append_system_directory(struct strv *argv, const char *path)
{
    char target[PATH_MAX];
    ssize_t length = readlink(path, target, sizeof target - 1);

    if (length > 0) {
        target[length] = '\0';
        append_three(argv, "--symlink", target, path);
    } else {
        append_three(argv, "--ro-bind-try", path, path);
    }
}

static void append_system(struct strv *argv)
{
    static const char *const directories[] = {"/bin",   "/sbin",  "/lib",
                                              "/lib32", "/lib64", "/libx32"};
    /* What the loader reads, and where Debian says which awk is awk. */
    static const char *const files[] = {"/etc/ld.so.cache", "/etc/alternatives"};

    append_three(argv, "--ro-bind", "/usr", "/usr");
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++)
        append_system_directory(argv, directories[i]);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        append_three(argv, "--ro-bind-try", files[i], files[i]);
}

/* /opt/gcc-14/bin/gcc needs /opt/gcc-14. */
static void append_compiler(struct strv *argv, const char *compiler)
{
    _cleanup_free_ char *programs = NULL, *installation = NULL;

    if (compiler[0] != '/' || strncmp(compiler, "/usr/", 5) == 0)
        return;
    programs = path_directory(compiler);
    installation = programs ? path_directory(programs) : NULL;
    if (!installation)
        argv->failed = true;
    else if (strcmp(installation, "/") != 0)
        append_three(argv, "--ro-bind", installation, installation);
}

/* Everything that kbuild would otherwise take from the host: time, user, name, language. */
static void append_environment(struct strv *argv)
{
    static const char *const variables[][2] = {
        {"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
        {"HOME", "/tmp"},
        {"TMPDIR", "/tmp"},
        {"LC_ALL", "C"},
        {"TZ", "UTC"},
        {"SOURCE_DATE_EPOCH", "0"},
        {"KBUILD_BUILD_TIMESTAMP", "Thu Jan  1 00:00:00 UTC 1970"},
        {"KBUILD_BUILD_USER", "culprit"},
        {"KBUILD_BUILD_HOST", "culprit"},
        {"KBUILD_BUILD_VERSION", "1"},
    };

    strv_append(argv, "--clearenv");
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        append_three(argv, "--setenv", variables[i][0], variables[i][1]);
}

int sandbox_append(struct strv *argv, const struct sandbox *sandbox, struct culprit_error *error)
{
    static const char *const start[] = {
        "bwrap",         "--unshare-all", "--die-with-parent",
        "--new-session", "--cap-drop",    "ALL",
        "--hostname",    "culprit",       NULL,
    };
    static const char *const fresh[] = {"--proc",  "/proc", "--dev", "/dev",
                                        "--tmpfs", "/tmp",  NULL};

    append_all(argv, start);
    append_environment(argv);
    append_system(argv);
    append_compiler(argv, sandbox->compiler);
    append_all(argv, fresh);
    append_three(argv, "--ro-bind", sandbox->source, SANDBOX_SOURCE);
    append_three(argv, "--bind", sandbox->build, SANDBOX_BUILD);
    append_three(argv, "--bind", sandbox->config, SANDBOX_CONFIG);
    strv_append(argv, "--chdir");
    strv_append(argv, SANDBOX_BUILD);
    strv_append(argv, "--");
    if (argv->failed)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a command line");
    return 0;
}
