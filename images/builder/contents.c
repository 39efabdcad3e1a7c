/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "builder/contents.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/file.h"

static int no_memory(struct culprit_error *error)
{
    return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the description of an image");
}

static const char *type_name(enum entry_kind kind)
{
    static const char *const names[] = {
        [ENTRY_DIRECTORY] = "directory", [ENTRY_DEVICE] = "device", [ENTRY_FILE] = "file",
        [ENTRY_TEXT] = "file",           [ENTRY_LINK] = "link",
    };

    return names[kind];
}

static int add_source(json_t *object, const char *source, struct culprit_error *error)
{
    char digest[DIGEST_HEX_SIZE];
    uint64_t size;

    int result = file_size(source, &size, error);
    if (result == 0)
        result = digest_file(source, digest, error);
    if (result < 0)
        return result;
    if (json_object_set_new(object, "size", json_integer((json_int_t)size)) < 0 ||
        json_object_set_new(object, "sha256", json_string(digest)) < 0)
        return no_memory(error);
    return 0;
}

static int add_entry(json_t *array, const struct entry *entry, struct culprit_error *error)
{
    char mode[8];

    snprintf(mode, sizeof(mode), "%04o", (unsigned)entry->mode);
    json_t *object = json_pack("{s:s, s:s, s:s}", "path", entry->path, "type",
                               type_name(entry->kind), "mode", mode);
    if (json_array_append_new(array, object) < 0)
        return no_memory(error);
    if (entry->kind == ENTRY_FILE)
        return add_source(object, entry->value, error);
    if (entry->kind == ENTRY_LINK &&
        json_object_set_new(object, "target", json_string(entry->value)) < 0)
        return no_memory(error);
    return 0;
}

static json_t *components(const struct manifest *manifest)
{
    json_t *object = json_object();

    for (size_t i = 0; i < manifest->component_count; i++)
        if (json_object_set_new(object, manifest->components[i].name,
                                json_string(manifest->components[i].version)) < 0) {
            json_decref(object);
            return NULL;
        }
    return object;
}

static int describe(const char *name, const struct manifest *manifest, const char *image,
                    json_t **ret, struct culprit_error *error)
{
    char digest[DIGEST_HEX_SIZE];
    uint64_t size;

    int result = file_size(image, &size, error);
    if (result == 0)
        result = digest_file(image, digest, error);
    if (result < 0)
        return result;
    json_t *entries = json_array();
    *ret = json_pack("{s:s, s:s, s:s, s:I, s:o, s:o}", "name", name, "format", "newc", "sha256",
                     digest, "size", (json_int_t)size, "components", components(manifest),
                     "contents", entries);
    if (!*ret)
        return no_memory(error);
    for (size_t i = 0; i < manifest->entry_count && result == 0; i++)
        result = add_entry(entries, &manifest->entries[i], error);
    return result;
}

int contents_write(const char *name, const struct manifest *manifest, const char *image,
                   const char *path, struct culprit_error *error)
{
    json_t *description = NULL;

    int result = describe(name, manifest, image, &description, error);
    if (result == 0 && json_dump_file(description, path, JSON_INDENT(2)) < 0)
        result = culprit_fail(error, CULPRIT_IO, "cannot write %s", path);
    json_decref(description);
    return result;
}
