/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "build/slot/finished.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "build/slot/build_tree.h"

enum { COMMAND_MAXIMUM = 4 << 20 };

struct member {
    char *path;
    struct timespec before; /* when the archive was done */
};

struct finished {
    struct member *members; /* by path */
    size_t count, capacity;
};

struct search {
    struct finished *finished;
    const struct timespec *since;
};

void finished_free(struct finished *finished)
{
    if (!finished)
        return;
    for (size_t i = 0; i < finished->count; i++)
        free(finished->members[i].path);
    free(finished->members);
    free(finished);
}

static bool add_member(struct finished *finished, char *path, const struct timespec *before)
{
    if (path && finished->count == finished->capacity) {
        size_t capacity = finished->capacity ? 2 * finished->capacity : 256;
        struct member *members = reallocarray(finished->members, capacity, sizeof *members);

        if (!members) {
            free(path);
            return false;
        }
        finished->members = members;
        finished->capacity = capacity;
    }
    if (path)
        finished->members[finished->count++] = (struct member){.path = path, .before = *before};
    return path != NULL;
}

/*
 * Three ways in which kbuild has named the members of an archive, the oldest first:
 *     ld -r -o kernel/built-in.o kernel/fork.o …
 *     ar … kernel/built-in.a kernel/fork.o …
 *     printf "kernel/%s " fork.o … | xargs ar … kernel/built-in.a
 */
static int read_members(struct finished *finished, char *text, const struct timespec *time,
                        struct culprit_error *error)
{
    char *rest = NULL, *prefix = strstr(text, "printf \"");
    char *format = prefix ? strstr(prefix, "%s") : NULL;

    if (format) {
        text = format + strlen("%s");
        *format = '\0';
        prefix += strlen("printf \"");
    }
    for (char *word = strtok_r(text, " \"\n", &rest); word; word = strtok_r(NULL, " \"\n", &rest)) {
        size_t length = strlen(word);

        if (length > 2 && strcmp(word + length - 2, ".o") == 0 &&
            !add_member(finished, text_format("%s%s", format ? prefix : "", word), time))
            return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the members of archives");
    }
    return 0;
}

static bool is_archive_command(const char *name)
{
    return strcmp(name, ".built-in.a.cmd") == 0 || strcmp(name, ".lib.a.cmd") == 0 ||
           strcmp(name, ".built-in.o.cmd") == 0;
}

static int visit(void *context, const struct build_file *file, struct culprit_error *error)
{
    const struct search *search = context;
    _cleanup_free_ char *text = NULL;
    size_t length = 0;
    int r;

    if (!is_archive_command(file->name) || time_before(&file->modified, search->since))
        return 0;
    r = file_read(file->full_path, COMMAND_MAXIMUM, &text, &length, error);
    /* One that was cut short ends in half a name. */
    if (r < 0 || length == 0 || text[length - 1] != '\n')
        return r == -CULPRIT_LIMIT ? 0 : r;
    return read_members(search->finished, text, &file->modified, error);
}

static int compare_members(const void *a, const void *b)
{
    return strcmp(((const struct member *)a)->path, ((const struct member *)b)->path);
}

int finished_find(const char *directory, const struct timespec *since, struct finished **ret,
                  struct culprit_error *error)
{
    CULPRIT_CLEANUP(finished_free) struct finished *finished = calloc(1, sizeof *finished);
    struct search search = {.finished = finished, .since = since};
    int r;

    if (!finished)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the members of archives");
    r = build_tree_walk(directory, visit, &search, error);
    if (r < 0)
        return r;
    if (finished->count > 0)
        qsort(finished->members, finished->count, sizeof *finished->members, compare_members);
    *ret = take(finished);
    return 0;
}

/* "kernel/fork.o" of itself and of "kernel/.fork.o.cmd"; false when there is no such. */
static bool object_of(const char *path, char object[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t length = strlen(name), directory = (size_t)(name - path);

    if (strlen(path) >= PATH_MAX)
        return false;
    if (name[0] == '.' && length > 5 && strcmp(name + length - 4, ".cmd") == 0)
        snprintf(object, PATH_MAX, "%.*s%.*s", (int)directory, path, (int)length - 5, name + 1);
    else
        snprintf(object, PATH_MAX, "%s", path);
    return true;
}

bool finished_has(const struct finished *finished, const char *path,
                  const struct timespec *modified)
{
    char object[PATH_MAX];
    struct member wanted = {.path = object};
    const struct member *found;

    if (finished->count == 0 || !object_of(path, object))
        return false;
    found = bsearch(&wanted, finished->members, finished->count, sizeof wanted, compare_members);
    return found && time_before(modified, &found->before);
}
