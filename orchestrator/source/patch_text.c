/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/patch_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"

/*
 * What a patch looks like, line by line:
 *
 *     diff --git a/f b/f       begins a file (git)
 *     index 1..2 100644        extended headers: until "--- ", "@@ ", "GIT binary" or the next file
 *     --- a/f                  names; without a "diff --git" before them they begin the file
 *     +++ b/f
 *     @@ -1,3 +1,4 @@          a hunk, whose counts say how many lines follow
 */
enum { NAME_MAXIMUM = 4096 };

struct splitter {
    const char *at; /* the next line */
    struct buffer part;
    struct strv *parts;
    struct strv files;       /* of the current part */
    char file[NAME_MAXIMUM]; /* of the current diff; "" outside */
    unsigned hunk;           /* of the current file, from 1 */
    bool git_header;         /* a "diff --git" was seen, its "---" not yet */
    bool crlf;
};

static void splitter_clear(struct splitter *splitter)
{
    buffer_free(&splitter->part);
    strv_free(&splitter->files);
}

static inline void splitter_clear_cleanup(struct splitter *splitter)
{
    splitter_clear(splitter);
}

static bool starts(const char *line, const char *prefix)
{
    return strncmp(line, prefix, strlen(prefix)) == 0;
}

static const char *line_end(const char *line)
{
    const char *end = strchr(line, '\n');

    return end ? end + 1 : line + strlen(line);
}

static void emit_line(struct splitter *splitter)
{
    const char *end = line_end(splitter->at);
    size_t length = (size_t)(end - splitter->at);

    if (splitter->crlf && length >= 2 && end[-1] == '\n' && end[-2] == '\r')
        length -= 2;
    else if (length > 0 && end[-1] == '\n')
        length--;
    buffer_append(&splitter->part, splitter->at, length);
    buffer_puts(&splitter->part, "\n");
    splitter->at = end;
}

static int finish_part(struct splitter *splitter, struct culprit_error *error)
{
    int result = buffer_status(&splitter->part, "a patch", error);

    if (result < 0)
        return result;
    if (splitter->part.length > 0) {
        if (splitter->parts->count == PATCH_PARTS_MAXIMUM)
            return culprit_fail(error, CULPRIT_LIMIT, "it holds more than %d mails",
                                PATCH_PARTS_MAXIMUM);
        if (!strv_append(splitter->parts, splitter->part.data))
            return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a patch");
    }
    buffer_reset(&splitter->part);
    strv_free(&splitter->files);
    splitter->files = (struct strv){0};
    splitter->file[0] = '\0';
    return 0;
}

/* A file that already stands in this part begins the next. */
static int begin_file(struct splitter *splitter, const char *name, size_t length,
                      struct culprit_error *error)
{
    char file[NAME_MAXIMUM];

    if (length == 0 || length >= sizeof(file))
        return culprit_fail(error, CULPRIT_FAILED, "a file name in it is empty or too long");
    memcpy(file, name, length);
    file[length] = '\0';
    if (strv_contains(&splitter->files, file)) {
        int result = finish_part(splitter, error);

        if (result < 0)
            return result;
    }
    if (!strv_append(&splitter->files, file))
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a patch");
    memcpy(splitter->file, file, length + 1);
    splitter->hunk = 0;
    return 0;
}

/* "diff --git a/NAME b/NAME": the second name is the half after " b/" when both agree, else what
 * follows the last " b/". */
static int git_file(struct splitter *splitter, struct culprit_error *error)
{
    const char *names = splitter->at + strlen("diff --git ");
    size_t length = strcspn(names, "\r\n");
    const char *name = NULL;
    int result;

    for (size_t i = 0; i + 3 < length; i++)
        if (starts(names + i, " b/"))
            name = names + i + 3;
    if (length % 2 == 1 && length > 4 && starts(names + length / 2, " b/"))
        name = names + length / 2 + 3;
    if (!name) /* quoted or prefixless names: libgit2 reads them, here they only tell files apart */
        name = names;
    result = begin_file(splitter, name, (size_t)(names + length - name), error);
    if (result < 0)
        return result;
    splitter->git_header = true;
    emit_line(splitter);
    return 0;
}

/* The name in a "--- " or "+++ " line: up to a tab (diff appends the time after one), without its
 * first directory. NULL for /dev/null. */
static const char *plain_name(const char *line, size_t *ret_length)
{
    const char *name = line + 4;
    size_t length = strcspn(name, "\t\r\n");
    const char *slash = memchr(name, '/', length);

    if (length == strlen("/dev/null") && starts(name, "/dev/null"))
        return NULL;
    if (slash) {
        length -= (size_t)(slash + 1 - name);
        name = slash + 1;
    }
    *ret_length = length;
    return name;
}

/* "--- a/f" and "+++ b/f" without a git header before them: one is made from the names. */
static int plain_file(struct splitter *splitter, struct culprit_error *error)
{
    const char *second = line_end(splitter->at);
    size_t old_length = 0, new_length = 0, length;
    const char *old = plain_name(splitter->at, &old_length);
    const char *new = plain_name(second, &new_length);
    const char *name = new ? new : old;
    int result;

    if (!name)
        return culprit_fail(error, CULPRIT_FAILED, "a diff in it is from /dev/null to /dev/null");
    length = new ? new_length : old_length;
    result = begin_file(splitter, name, length, error);
    if (result < 0)
        return result;
    buffer_printf(&splitter->part, "diff --git a/%s b/%s\n", splitter->file, splitter->file);
    if (!old)
        buffer_puts(&splitter->part, "new file mode 100644\n");
    if (!new)
        buffer_puts(&splitter->part, "deleted file mode 100644\n");
    buffer_printf(&splitter->part, "--- %s%s\n+++ %s%s\n", old ? "a/" : "",
                  old ? splitter->file : "/dev/null", new ? "b/" : "",
                  new ? splitter->file : "/dev/null");
    splitter->at = line_end(second);
    return 0;
}

/* "@@ -A[,B] +C[,D] @@"; a count that is left out is 1. */
static bool hunk_counts(const char *line, unsigned *ret_old, unsigned *ret_new)
{
    unsigned start;
    int used = 0;

    *ret_old = *ret_new = 1;
    if (sscanf(line, "@@ -%9u%n", &start, &used) != 1)
        return false;
    line += used;
    if (*line == ',' && (sscanf(line, ",%9u%n", ret_old, &used) != 1 || !(line += used)))
        return false;
    if (sscanf(line, " +%9u%n", &start, &used) != 1)
        return false;
    line += used;
    if (*line == ',' && (sscanf(line, ",%9u%n", ret_new, &used) != 1 || !(line += used)))
        return false;
    return starts(line, " @@");
}

static int hunk(struct splitter *splitter, struct culprit_error *error)
{
    unsigned old, new;

    splitter->hunk++;
    if (!hunk_counts(splitter->at, &old, &new))
        return culprit_fail(error, CULPRIT_FAILED, "%s: hunk %u has a malformed header",
                            splitter->file, splitter->hunk);
    emit_line(splitter);
    while (old > 0 || new > 0) {
        char kind = *splitter->at;
        bool blank = kind == '\n' || starts(splitter->at, "\r\n"); /* a mailer ate the space */
        bool fits = (kind == '+' && new > 0) || (kind == '-' && old > 0) || kind == '\\' ||
                    ((kind == ' ' || blank) && old > 0 && new > 0);

        if (!fits)
            return culprit_fail(error, CULPRIT_FAILED, "%s: hunk %u is malformed or cut short",
                                splitter->file, splitter->hunk);
        old -= kind == '-' || kind == ' ' || blank;
        new -= kind == '+' || kind == ' ' || blank;
        if (blank)
            buffer_puts(&splitter->part, " ");
        emit_line(splitter);
    }
    if (*splitter->at == '\\')
        emit_line(splitter);
    return 0;
}

static bool is_extended_header(const char *line)
{
    static const char *const words[] = {
        "index ",         "old mode ",   "new mode ",      "deleted file mode ",
        "new file mode ", "copy from ",  "copy to ",       "rename from ",
        "rename to ",     "similarity ", "dissimilarity ",
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (starts(line, words[i]))
            return true;
    return false;
}

static bool is_mbox_separator(const char *line)
{
    return starts(line, "From ") && strspn(line + 5, "0123456789abcdef") == 40 && line[45] == ' ';
}

/* The base-85 lines of a binary patch: each begins with a letter, blank lines end the halves. */
static void binary(struct splitter *splitter)
{
    do {
        emit_line(splitter);
    } while (*splitter->at && !starts(splitter->at, "diff --git ") &&
             !is_mbox_separator(splitter->at) && *splitter->at != '-');
}

/* "--- " and "+++ " lines with a hunk behind them; a message may quote the first alone. */
static bool is_name_pair(const char *line)
{
    const char *second = line_end(line);

    return starts(line, "--- ") && starts(second, "+++ ") && starts(line_end(second), "@@ -");
}

static int next_line(struct splitter *splitter, struct culprit_error *error)
{
    const char *line = splitter->at;

    if (is_mbox_separator(line)) {
        splitter->at = line_end(line);
        return finish_part(splitter, error);
    }
    if (starts(line, "diff --git "))
        return git_file(splitter, error);
    if (is_name_pair(line)) {
        if (!splitter->git_header)
            return plain_file(splitter, error);
        splitter->git_header = false;
        emit_line(splitter);
        emit_line(splitter);
        return 0;
    }
    if (splitter->file[0] && starts(line, "@@ -"))
        return hunk(splitter, error);
    if (splitter->git_header && starts(line, "GIT binary patch"))
        binary(splitter);
    else if (splitter->git_header && is_extended_header(line))
        emit_line(splitter);
    else
        splitter->at = line_end(line);
    return 0;
}

int patch_text_split(const char *text, struct strv *ret_parts, struct culprit_error *error)
{
    CULPRIT_CLEANUP(splitter_clear)
    struct splitter splitter = {
        .at = text,
        .part = BUFFER_INIT(2 * (size_t)PATCH_TEXT_MAXIMUM),
    };
    _cleanup_strv_ struct strv parts = {0};
    const char *first_end = strchr(text, '\n');
    int result = 0;

    if (strnlen(text, PATCH_TEXT_MAXIMUM + 1) > PATCH_TEXT_MAXIMUM)
        return culprit_fail(error, CULPRIT_LIMIT, "it is longer than %d MiB",
                            PATCH_TEXT_MAXIMUM >> 20);
    splitter.parts = &parts;
    splitter.crlf = first_end && first_end > text && first_end[-1] == '\r';
    while (result == 0 && *splitter.at)
        result = next_line(&splitter, error);
    if (result == 0)
        result = finish_part(&splitter, error);
    if (result < 0)
        return result;
    if (parts.count == 0)
        return culprit_fail(error, CULPRIT_FAILED, "there is no diff in it");
    *ret_parts = parts;
    parts = (struct strv){0};
    return 0;
}
