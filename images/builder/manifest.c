/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "builder/manifest.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

enum { MANIFEST_MAXIMUM = 1024 * 1024 };

struct reader {
    struct manifest *manifest;
    const char *path;
    unsigned line;
    char *cursor; /* what is left of the line */
    struct culprit_error *error;
};

static int refuse(struct reader *reader, const char *reason)
{
    return culprit_fail_at(reader->error, reader->line, 0, reader->path, "%s:%u: %s", reader->path,
                           reader->line, reason);
}

static int no_memory(struct reader *reader)
{
    return culprit_fail(reader->error, CULPRIT_NO_MEMORY, "no memory for %s", reader->path);
}

/* The next word of the line, or NULL. */
static char *next_word(struct reader *reader)
{
    return strtok_r(NULL, " \t", &reader->cursor);
}

static bool read_number(struct reader *reader, int base, unsigned long maximum, unsigned *ret)
{
    const char *word = next_word(reader);
    char *end;

    if (!word || *word < '0' || *word > '9')
        return false;
    unsigned long number = strtoul(word, &end, base);
    if (*end != '\0' || number > maximum)
        return false;
    *ret = (unsigned)number;
    return true;
}

/* Everything up to the end of the line, without the blanks before it. */
static const char *rest_of_line(struct reader *reader)
{
    return reader->cursor + strspn(reader->cursor, " \t");
}

static bool is_path(const char *path)
{
    return path && path[0] == '/' && path[1] != '\0' && !strstr(path, "//") && !strstr(path, "/.");
}

static bool is_known(const struct manifest *manifest, const char *path)
{
    for (size_t i = 0; i < manifest->entry_count; i++)
        if (strcmp(manifest->entries[i].path, path) == 0)
            return true;
    return false;
}

/* Adds an entry with copies of `path` and `value` (NULL: none). */
static int add(struct reader *reader, struct entry entry, const char *path, const char *value)
{
    struct manifest *manifest = reader->manifest;

    if (!is_path(path))
        return refuse(reader, "the path must be absolute and plain");
    if (is_known(manifest, path))
        return refuse(reader, "the path is there already");
    struct entry *larger = reallocarray(manifest->entries, manifest->entry_count + 1,
                                        sizeof(*larger));
    if (!larger)
        return no_memory(reader);
    manifest->entries = larger;
    entry.path = strdup(path);
    entry.value = value ? strdup(value) : NULL;
    larger[manifest->entry_count++] = entry;
    return entry.path && (entry.value || !value) ? 0 : no_memory(reader);
}

static int read_component(struct reader *reader)
{
    struct manifest *manifest = reader->manifest;
    const char *name = next_word(reader);
    const char *version = rest_of_line(reader);

    if (!name || !*version)
        return refuse(reader, "component takes a name and a version");
    struct component *larger = reallocarray(manifest->components, manifest->component_count + 1,
                                            sizeof(*larger));
    if (!larger)
        return no_memory(reader);
    manifest->components = larger;
    struct component component = {strdup(name), strdup(version)};
    larger[manifest->component_count++] = component;
    return component.name && component.version ? 0 : no_memory(reader);
}

static int read_links(struct reader *reader)
{
    const char *directory = next_word(reader), *target = next_word(reader);

    if (!directory || !target)
        return refuse(reader, "links takes a directory, a target and names");
    for (const char *name; (name = next_word(reader));) {
        if (strcmp(name, target) == 0)
            continue;
        _cleanup_free_ char *path = path_join(directory, name);
        if (!path)
            return no_memory(reader);
        int result = add(reader, (struct entry){.kind = ENTRY_LINK, .mode = 0777}, path, target);
        if (result < 0)
            return result;
    }
    return 0;
}

/* The items that begin with a path and a mode. */
static int read_entry(struct reader *reader, enum entry_kind kind)
{
    struct entry entry = {.kind = kind};
    const char *path = next_word(reader), *value = NULL;

    if (!path || !read_number(reader, 8, 07777, &entry.mode))
        return refuse(reader, "a path and an octal mode are wanted");
    if (kind == ENTRY_DEVICE && (!read_number(reader, 10, 4095, &entry.major) ||
                                 !read_number(reader, 10, 1048575, &entry.minor)))
        return refuse(reader, "device takes a path, a mode, a major and a minor number");
    if (kind == ENTRY_FILE || kind == ENTRY_TEXT) {
        value = rest_of_line(reader);
        if (!*value)
            return refuse(reader, "a path, a mode and what the file holds are wanted");
    }
    return add(reader, entry, path, value);
}

static int read_line(struct reader *reader, char *line)
{
    const char *item = strtok_r(line, " \t", &reader->cursor);

    if (!item || *item == '#')
        return 0;
    if (strcmp(item, "component") == 0)
        return read_component(reader);
    if (strcmp(item, "links") == 0)
        return read_links(reader);
    if (strcmp(item, "directory") == 0)
        return read_entry(reader, ENTRY_DIRECTORY);
    if (strcmp(item, "device") == 0)
        return read_entry(reader, ENTRY_DEVICE);
    if (strcmp(item, "file") == 0)
        return read_entry(reader, ENTRY_FILE);
    if (strcmp(item, "text") == 0)
        return read_entry(reader, ENTRY_TEXT);
    return refuse(reader, "unknown item");
}

int manifest_read(const char *path, struct manifest **ret, struct culprit_error *error)
{
    _cleanup_free_ char *text = NULL;
    CULPRIT_CLEANUP(manifest_free) struct manifest *manifest = calloc(1, sizeof(*manifest));
    struct reader reader = {.manifest = manifest, .path = path, .error = error};

    if (!manifest)
        return no_memory(&reader);
    int result = file_read(path, MANIFEST_MAXIMUM, &text, NULL, error);
    if (result < 0)
        return result;
    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        reader.line++;
        result = read_line(&reader, line);
        if (result < 0)
            return result;
    }
    *ret = take(manifest);
    return 0;
}

void manifest_free(struct manifest *manifest)
{
    if (!manifest)
        return;
    for (size_t i = 0; i < manifest->entry_count; i++) {
        free(manifest->entries[i].path);
        free(manifest->entries[i].value);
    }
    for (size_t i = 0; i < manifest->component_count; i++) {
        free(manifest->components[i].name);
        free(manifest->components[i].version);
    }
    free(manifest->entries);
    free(manifest->components);
    free(manifest);
}
