/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "git_fixture.h"

#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/process.h"
#include "scratch.h"

enum { STREAM_MAXIMUM = 64 << 20, FIRST_TIME = 1600000000 };

char *fixture_shell(const char *format, ...)
{
    static const char prologue[] =
        "export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=A"
        " GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=C GIT_COMMITTER_EMAIL=c@example.org"
        " GIT_AUTHOR_DATE='1600000000 +0000' GIT_COMMITTER_DATE='1600000000 +0000'; set -e; ";
    _cleanup_buffer_ struct buffer line = BUFFER_INIT(1 << 20);
    _cleanup_strv_ struct strv argv = {0};
    struct culprit_error error = {0};
    char *output = NULL;
    va_list arguments;

    buffer_puts(&line, prologue);
    va_start(arguments, format);
    buffer_vprintf(&line, format, arguments);
    va_end(arguments);
    strv_append(&argv, "sh");
    strv_append(&argv, "-c");
    strv_append(&argv, line.data);
    if (process_capture(&argv, &(struct process_options){0}, 1 << 20, &output, &error) < 0)
        fail_msg("%s: %s", line.data + strlen(prologue), error.message);
    return output;
}

static void put_file(struct buffer *stream, const struct fixture_file *file)
{
    if (file->content)
        buffer_printf(stream, "M %s inline %s\ndata %zu\n%s\n", file->mode ? file->mode : "100644",
                      file->path, strlen(file->content), file->content);
    else
        buffer_printf(stream, "D %s\n", file->path);
}

static size_t mark_of(const struct fixture_commit *commits, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(commits[i].name, name) == 0)
            return i + 1;
    fail_msg("the fixture has no commit %s before its child", name);
    return 0;
}

static void put_commit(struct buffer *stream, const struct fixture_commit *commits, size_t index,
                       int64_t time)
{
    const struct fixture_commit *commit = &commits[index];

    buffer_printf(stream,
                  "reset refs/tags/%s\ncommit refs/tags/%s\nmark :%zu\n"
                  "author A <a@example.org> %" PRId64 " +0000\n"
                  "committer C <c@example.org> %" PRId64 " +0000\ndata %zu\n%s\n",
                  commit->name, commit->name, index + 1, time, time, strlen(commit->name),
                  commit->name);
    for (int i = 0; i < FIXTURE_PARENTS_MAXIMUM && commit->parents[i]; i++)
        buffer_printf(stream, "%s :%zu\n", i == 0 ? "from" : "merge",
                      mark_of(commits, index, commit->parents[i]));
    for (int i = 0; i < FIXTURE_FILES_MAXIMUM && commit->files[i].path; i++)
        put_file(stream, &commit->files[i]);
    if (!commit->files[0].path)
        put_file(stream, &(struct fixture_file){commit->name, commit->name, NULL});
    buffer_puts(stream, "\n");
}

void fixture_repository(const char *directory, const struct fixture_commit *commits, size_t count)
{
    _cleanup_buffer_ struct buffer stream = BUFFER_INIT(STREAM_MAXIMUM);
    _cleanup_free_ char *path = text_format("%s.stream", directory);
    struct culprit_error error = {0};
    int64_t time = FIRST_TIME;

    for (size_t i = 0; i < count; i++) {
        time = commits[i].time ? commits[i].time : time + 1;
        put_commit(&stream, commits, i, time);
    }
    assert_success(buffer_status(&stream, "the fixture", &error));
    assert_success(file_write_atomic(path, stream.data, stream.length, 0644, &error));
    free(fixture_shell("git init -q --bare '%s'; git --git-dir '%s' fast-import --quiet < '%s'",
                       directory, directory, path));
}

struct repository *fixture_open(const char *location, const char *cache)
{
    struct repository *repository = NULL;
    struct culprit_error error = {0};

    assert_success(repository_open("fixture", location, cache, NULL, &repository, &error));
    return repository;
}

void fixture_id(struct repository *repository, const char *name, char ret_id[COMMIT_ID_SIZE])
{
    struct culprit_error error = {0};

    assert_success(repository_resolve(repository, name, ret_id, &error));
}
