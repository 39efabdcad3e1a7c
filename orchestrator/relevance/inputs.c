/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "relevance/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "relevance/string_set.h"

#define HEADER      "culprit-inputs 1 "
#define END_OF_LIST "\n.\n"

enum { ARCHITECTURE_MAXIMUM = 32 };

struct inputs {
    char architecture[ARCHITECTURE_MAXIMUM];
    struct string_set paths;
    struct string_set names; /* last components */
    struct string_set stems; /* paths up to the first dot of the last component */
};

void inputs_free(struct inputs *inputs)
{
    if (!inputs)
        return;
    string_set_clear(&inputs->paths);
    string_set_clear(&inputs->names);
    string_set_clear(&inputs->stems);
    free(inputs);
}

static bool name_is_plain(const char *name, size_t length)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_";

    return length > 0 && length < ARCHITECTURE_MAXIMUM && strspn(name, allowed) >= length;
}

static int new_inputs(const char *architecture, size_t length, struct inputs **ret,
                      struct culprit_error *error)
{
    struct inputs *inputs;

    if (!name_is_plain(architecture, length))
        return culprit_fail(error, CULPRIT_INVALID, "a list of build inputs names no architecture");
    inputs = calloc(1, sizeof *inputs);
    if (!inputs)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a list of build inputs");
    memcpy(inputs->architecture, architecture, length);
    *ret = inputs;
    return 0;
}

int inputs_new(const char *architecture, struct inputs **ret, struct culprit_error *error)
{
    return new_inputs(architecture, strlen(architecture), ret, error);
}

/* Drops the last component of a path of `length` bytes; false when there is none. */
static bool step_back(const char *path, size_t *length)
{
    if (*length == 0)
        return false;
    while (*length > 0 && path[*length - 1] != '/')
        --*length;
    if (*length > 0)
        --*length; /* the slash */
    return true;
}

/* Resolves what the file system would; symbolic links apart, which kernel trees do not have in
 * paths of sources. False: it leads out of the tree. */
static bool normalise(const char *path, size_t length, char ret[INPUT_PATH_MAXIMUM],
                      size_t *ret_length)
{
    size_t written = 0;

    for (size_t begin = 0, end; begin < length; begin = end + 1) {
        for (end = begin; end < length && path[end] != '/';)
            end++;
        size_t size = end - begin;
        if (size == 0 || (size == 1 && path[begin] == '.'))
            continue;
        if (size == 2 && path[begin] == '.' && path[begin + 1] == '.') {
            if (!step_back(ret, &written))
                return false;
            continue;
        }
        if (written > 0)
            ret[written++] = '/';
        memcpy(ret + written, path + begin, size);
        written += size;
    }
    ret[written] = '\0';
    *ret_length = written;
    return true;
}

static const char *last_component(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static size_t stem_length(const char *path)
{
    const char *name = last_component(path);

    return (size_t)(name - path) + strcspn(name, ".");
}

static int add_plain(struct inputs *inputs, const char *path, struct culprit_error *error)
{
    const char *name = last_component(path);

    if (inputs->paths.count >= INPUTS_MAXIMUM)
        return culprit_fail(error, CULPRIT_LIMIT, "a build read more than %d files",
                            INPUTS_MAXIMUM);
    if (!string_set_add(&inputs->paths, path, strlen(path)) ||
        !string_set_add(&inputs->names, name, strlen(name)) ||
        !string_set_add(&inputs->stems, path, stem_length(path)))
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a list of build inputs");
    return 0;
}

int inputs_add(struct inputs *inputs, const char *path, size_t length, struct culprit_error *error)
{
    char plain[INPUT_PATH_MAXIMUM];
    size_t plain_length;

    if (length >= INPUT_PATH_MAXIMUM)
        return culprit_fail(error, CULPRIT_LIMIT, "a build read a file with a name of %zu bytes",
                            length);
    if (memchr(path, '\n', length) || memchr(path, '\0', length))
        return culprit_fail(error, CULPRIT_INVALID,
                            "a build read a file with a line end in its name");
    if (!normalise(path, length, plain, &plain_length) || plain_length == 0 ||
        string_set_has(&inputs->paths, plain, plain_length))
        return 0;
    return add_plain(inputs, plain, error);
}

/* A list that was cut short would call files unread that were read: so its end is marked. */
static int check_ends(const char *text, size_t length, struct culprit_error *error)
{
    size_t mark = strlen(END_OF_LIST);

    if (length > INPUTS_TEXT_MAXIMUM)
        return culprit_fail(error, CULPRIT_LIMIT, "a list of build inputs has %zu bytes", length);
    if (length < strlen(HEADER) || memcmp(text, HEADER, strlen(HEADER)) != 0)
        return culprit_fail(error, CULPRIT_INVALID,
                            "this is no list of build inputs, or of another version");
    if (length < strlen(HEADER) + mark || memcmp(text + length - mark, END_OF_LIST, mark) != 0)
        return culprit_fail(error, CULPRIT_INVALID, "a list of build inputs was cut short");
    return 0;
}

int inputs_parse(const char *text, size_t length, struct inputs **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(inputs_free) struct inputs *inputs = NULL;
    const char *line, *next, *end;
    int r = check_ends(text, length, error);

    if (r < 0)
        return r;
    end = text + length - strlen(END_OF_LIST) + 1;
    line = text + strlen(HEADER);
    next = memchr(line, '\n', (size_t)(text + length - line));
    r = new_inputs(line, (size_t)(next - line), &inputs, error);
    for (line = next + 1; r == 0 && line < end; line = next + 1) {
        next = memchr(line, '\n', (size_t)(text + length - line));
        r = inputs_add(inputs, line, (size_t)(next - line), error);
    }
    if (r < 0)
        return r;
    *ret = take(inputs);
    return 0;
}

int inputs_write(const struct inputs *inputs, struct buffer *text, struct culprit_error *error)
{
    _cleanup_free_ const char **sorted = string_set_sorted(&inputs->paths);

    if (!sorted)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a list of build inputs");
    buffer_printf(text, HEADER "%s\n", inputs->architecture);
    for (size_t i = 0; i < inputs->paths.count; i++) {
        buffer_puts(text, sorted[i]);
        buffer_append(text, "\n", 1);
    }
    buffer_puts(text, END_OF_LIST + 1);
    return buffer_status(text, "the list of build inputs", error);
}

int inputs_merge(struct inputs *inputs, const struct inputs *from, struct culprit_error *error)
{
    int r = 0;

    if (strcmp(inputs->architecture, from->architecture) != 0)
        return culprit_fail(error, CULPRIT_CONFLICT, "one build is for %s, the other for %s",
                            inputs->architecture, from->architecture);
    for (size_t i = 0; r == 0 && i < from->paths.capacity; i++)
        if (from->paths.slots[i])
            r = inputs_add(inputs, from->paths.slots[i], strlen(from->paths.slots[i]), error);
    return r;
}

const char *inputs_architecture(const struct inputs *inputs)
{
    return inputs->architecture;
}

size_t inputs_count(const struct inputs *inputs)
{
    return inputs->paths.count;
}

bool inputs_has(const struct inputs *inputs, const char *path)
{
    return string_set_has(&inputs->paths, path, strlen(path));
}

bool inputs_has_name(const struct inputs *inputs, const char *path)
{
    const char *name = last_component(path);

    return string_set_has(&inputs->names, name, strlen(name));
}

bool inputs_has_stem(const struct inputs *inputs, const char *path)
{
    return string_set_has(&inputs->stems, path, stem_length(path));
}
