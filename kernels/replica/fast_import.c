/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fast_import.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "archive_source.h"
#include "base/file.h"

/* Fixed, so that the same source gives the same commit everywhere. */
static const char IMPORTER[] = "Replica Import <import@replica.example.org>";
enum {
    IMPORT_TIME = 1672531200, /* 2023-01-01 00:00:00 UTC */
    STREAM_BUFFER = 1 << 20,
    VERSION_SIZE = 48,
};

extern char **environ;

struct child {
    pid_t pid;
    FILE *stream; /* its standard input */
};

/* Always one pack, which can be linked into histories; speed before size. */
static int spawn_git(char *directory, int input, pid_t *ret_pid)
{
    char git[] = "git", option_c[] = "-c", level[] = "core.compression=1",
         pack[] = "fastimport.unpackLimit=1", at[] = "--git-dir", command[] = "fast-import",
         quiet[] = "--quiet", date[] = "--date-format=raw", done[] = "--done";
    char *argv[] = {git,       option_c, level, option_c, pack, at,
                    directory, command,  quiet, date,     done, NULL};
    posix_spawn_file_actions_t actions;
    int errnum = posix_spawn_file_actions_init(&actions);

    if (errnum)
        return errnum;
    errnum = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    if (!errnum)
        errnum = posix_spawnp(ret_pid, git, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return errnum;
}

static int start(const char *directory, struct child *ret, struct culprit_error *error)
{
    _cleanup_free_ char *own = strdup(directory);
    _cleanup_close_ int input = -1;
    int ends[2], errnum;

    if (!own)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to start git");
    if (pipe2(ends, O_CLOEXEC) < 0)
        return culprit_fail_errno(error, errno, "cannot make a pipe");
    input = ends[0];
    ret->stream = fdopen(ends[1], "w");
    if (!ret->stream) {
        errnum = errno;
        close(ends[1]);
        return culprit_fail_errno(error, errnum, "cannot write to git");
    }
    setvbuf(ret->stream, NULL, _IOFBF, STREAM_BUFFER);
    errnum = spawn_git(own, input, &ret->pid);
    if (errnum) {
        fclose(ret->stream);
        return culprit_fail_errno(error, errnum, "cannot start git fast-import");
    }
    return 0;
}

static int finish(struct child *child, struct culprit_error *error)
{
    bool written = !ferror(child->stream);
    int status = 0;

    written = fclose(child->stream) == 0 && written;
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (!written || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return culprit_fail(error, CULPRIT_FAILED, "git fast-import failed (status %d)",
                            WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return 0;
}

/* Quoted as fast-import wants it: a path may hold a quote or a backslash, and control characters.
 */
static void put_path(FILE *stream, const char *path)
{
    fputc('"', stream);
    for (const unsigned char *p = (const unsigned char *)path; *p; p++) {
        if (*p == '"' || *p == '\\')
            fprintf(stream, "\\%c", *p);
        else if (*p < ' ')
            fprintf(stream, "\\%03o", *p);
        else
            fputc(*p, stream);
    }
    fputc('"', stream);
}

/* "VERSION = 6" of the kernel's Makefile. */
static unsigned makefile_number(const char *makefile, size_t length, const char *key)
{
    size_t key_length = strlen(key);
    unsigned number = 0;

    for (const char *line = makefile; line && line < makefile + length;) {
        if (strncmp(line, key, key_length) == 0 &&
            sscanf(line + key_length, " = %9u", &number) == 1)
            return number;
        line = memchr(line, '\n', (size_t)(makefile + length - line));
        if (line)
            line++;
    }
    return 0;
}

/* Blobs first, each with a mark; the list of files and the version, which the commit wants, come
 * together meanwhile. */
static int feed_blobs(struct archive_source *source, FILE *stream, FILE *list, char version[],
                      struct culprit_error *error)
{
    struct source_file file;
    size_t mark = 0;
    int result;

    while ((result = archive_source_next(source, &file, error)) > 0) {
        fprintf(stream, "blob\nmark :%zu\ndata %zu\n", ++mark, file.length);
        fwrite(file.data, 1, file.length, stream);
        fputc('\n', stream);
        fprintf(list, "M %s :%zu ", file.mode, mark);
        put_path(list, file.path);
        fputc('\n', list);
        if (strcmp(file.path, "Makefile") == 0)
            snprintf(version, VERSION_SIZE, "%u.%u.%u",
                     makefile_number(file.data, file.length, "VERSION"),
                     makefile_number(file.data, file.length, "PATCHLEVEL"),
                     makefile_number(file.data, file.length, "SUBLEVEL"));
        if (ferror(stream) || ferror(list))
            return culprit_fail(error, CULPRIT_FAILED, "git fast-import stopped reading");
    }
    if (result == 0 && !version[0])
        return culprit_fail(error, CULPRIT_INVALID,
                            "there is no Makefile in it: that is not kernel source");
    return result;
}

static int feed(struct archive_source *source, FILE *stream, struct culprit_error *error)
{
    char version[VERSION_SIZE] = "", message[VERSION_SIZE + 16];
    _cleanup_free_ char *files = NULL;
    size_t length = 0;
    FILE *list = open_memstream(&files, &length);
    int result;

    if (!list)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the list of files");
    result = feed_blobs(source, stream, list, version, error);
    if (fclose(list) != 0 && result == 0)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the list of files");
    if (result < 0)
        return result;
    snprintf(message, sizeof(message), "Linux %s\n", version);
    fprintf(stream, "commit refs/heads/main\nauthor %s %d +0000\ncommitter %s %d +0000\n", IMPORTER,
            IMPORT_TIME, IMPORTER, IMPORT_TIME);
    fprintf(stream, "data %zu\n%s", strlen(message), message);
    fwrite(files, 1, length, stream);
    /* Without "done" git refuses what it got: a cut-off import leaves no branch behind. */
    fputs("\ndone\n", stream);
    return 0;
}

int fast_import_source(const char *path, const char *directory, struct culprit_error *error)
{
    CULPRIT_CLEANUP(archive_source_free) struct archive_source *source = NULL;
    struct child child = {0};
    int result, finished;

    result = archive_source_open(path, &source, error);
    if (result == 0)
        result = start(directory, &child, error);
    if (result < 0)
        return result;
    result = feed(source, child.stream, error);
    finished = finish(&child, result == 0 ? error : NULL);
    return result < 0 ? result : finished;
}
