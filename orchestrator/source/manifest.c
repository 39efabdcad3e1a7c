/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/manifest.h"

#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/digest.h"
#include "base/file.h"

enum { MANIFEST_SIZE_MAXIMUM = 512 << 20 };

static const char MAGIC[] = "culprit check-out 1\n";

/* One file in the saved form, followed by its path and a NUL. Host byte order: it never leaves the
 * host. The whole is MAGIC, the records, and the SHA-256 (hexadecimal) of what went before. */
struct record {
    uint64_t size, inode;
    int64_t mtime_ns, ctime_ns;
    uint32_t mode;
    uint32_t path_length;
    unsigned char id[GIT_OID_RAWSZ];
    unsigned char padding[4];
};

static bool component_is_safe(const char *name)
{
    return name[0] && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
           strcasecmp(name, ".git") != 0 && !strchr(name, '/');
}

static struct manifest_file *append(struct manifest *manifest)
{
    if (manifest->count == manifest->capacity) {
        size_t capacity = manifest->capacity ? manifest->capacity * 2 : 4096;
        struct manifest_file *files = reallocarray(manifest->files, capacity,
                                                   sizeof(struct manifest_file));

        if (!files)
            return NULL;
        manifest->files = files;
        manifest->capacity = capacity;
    }
    manifest->files[manifest->count] = (struct manifest_file){0};
    return &manifest->files[manifest->count];
}

struct tree_walk {
    struct manifest *manifest;
    struct culprit_error *error;
    int result;
};

static int stop(struct tree_walk *walk, int result)
{
    walk->result = result;
    return GIT_EUSER;
}

static int on_entry(const char *root, const git_tree_entry *entry, void *payload)
{
    struct tree_walk *walk = payload;
    const char *name = git_tree_entry_name(entry);
    git_filemode_t mode = git_tree_entry_filemode(entry);
    struct manifest_file *file;

    if (!component_is_safe(name) || strlen(root) + strlen(name) > MANIFEST_PATH_MAXIMUM)
        return stop(walk,
                    culprit_fail(walk->error, CULPRIT_INVALID,
                                 "the tree has a path that is not safe to write: %.200s%.200s",
                                 root, name));
    if (mode == GIT_FILEMODE_TREE || mode == GIT_FILEMODE_COMMIT)
        return 0;
    if (walk->manifest->count == MANIFEST_FILES_MAXIMUM)
        return stop(walk, culprit_fail(walk->error, CULPRIT_LIMIT,
                                       "the tree has more than %d files", MANIFEST_FILES_MAXIMUM));
    file = append(walk->manifest);
    if (file)
        file->path = text_format("%s%s", root, name);
    if (!file || !file->path)
        return stop(
            walk, culprit_fail(walk->error, CULPRIT_NO_MEMORY, "no memory for the list of files"));
    file->id = *git_tree_entry_id(entry);
    file->mode = mode;
    walk->manifest->count++;
    return 0;
}

/* Trees are sorted as if directories ended in '/', so a walk gives full paths in byte order. */
int manifest_from_tree(struct repository *repository, git_tree *tree, struct manifest *ret,
                       struct culprit_error *error)
{
    struct manifest manifest = {0};
    struct tree_walk walk = {.manifest = &manifest, .error = error};
    int status = git_tree_walk(tree, GIT_TREEWALK_PRE, on_entry, &walk);
    int result = walk.result;

    if (status < 0 && result == 0)
        result = git_fail_object(error, repository, status, "cannot read a tree of repository %s",
                                 repository->name);
    for (size_t i = 1; result == 0 && i < manifest.count; i++)
        if (strcmp(manifest.files[i - 1].path, manifest.files[i].path) >= 0)
            result = culprit_fail(error, CULPRIT_INVALID, "the tree is not sorted at %s",
                                  manifest.files[i].path);
    if (result < 0) {
        manifest_clear(&manifest);
        return result;
    }
    *ret = manifest;
    return 0;
}

static bool load_record(const char **at, const char *end, struct manifest *manifest)
{
    struct manifest_file *file = append(manifest);
    struct record record;

    if (!file || (size_t)(end - *at) < sizeof(record))
        return false;
    memcpy(&record, *at, sizeof(record));
    *at += sizeof(record);
    if (record.path_length > MANIFEST_PATH_MAXIMUM ||
        (size_t)(end - *at) < (size_t)record.path_length + 1)
        return false;
    file->path = strndup(*at, record.path_length);
    if (!file->path)
        return false;
    *at += record.path_length + 1;
    memcpy(file->id.id, record.id, sizeof(record.id));
    file->mode = record.mode;
    file->size = record.size;
    file->inode = record.inode;
    file->mtime_ns = record.mtime_ns;
    file->ctime_ns = record.ctime_ns;
    manifest->count++;
    return true;
}

int manifest_load(const char *path, struct manifest *ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(manifest_clear) struct manifest manifest = {0};
    _cleanup_free_ char *data = NULL;
    const char *at, *end;
    char digest[DIGEST_HEX_SIZE];
    size_t length;
    int result = file_read(path, MANIFEST_SIZE_MAXIMUM, &data, &length, error);

    if (result < 0)
        return result;
    if (length < strlen(MAGIC) + DIGEST_HEX_SIZE - 1 || memcmp(data, MAGIC, strlen(MAGIC)) != 0)
        return culprit_fail(error, CULPRIT_INVALID, "%s is not the state of a check-out", path);
    end = data + length - (DIGEST_HEX_SIZE - 1);
    digest_bytes(data, (size_t)(end - data), digest);
    if (memcmp(end, digest, DIGEST_HEX_SIZE - 1) != 0)
        return culprit_fail(error, CULPRIT_INVALID, "the state of a check-out, %s, is torn", path);
    for (at = data + strlen(MAGIC); at < end;)
        if (!load_record(&at, end, &manifest))
            return culprit_fail(error, CULPRIT_INVALID, "cannot read the state of a check-out, %s",
                                path);
    *ret = manifest;
    manifest = (struct manifest){0};
    return 0;
}

int manifest_save(const struct manifest *manifest, const char *path, struct culprit_error *error)
{
    _cleanup_buffer_ struct buffer buffer = BUFFER_INIT(MANIFEST_SIZE_MAXIMUM);
    char digest[DIGEST_HEX_SIZE];
    int result;

    buffer_puts(&buffer, MAGIC);
    for (size_t i = 0; i < manifest->count; i++) {
        const struct manifest_file *file = &manifest->files[i];
        struct record record = {
            .size = file->size,
            .inode = file->inode,
            .mtime_ns = file->mtime_ns,
            .ctime_ns = file->ctime_ns,
            .mode = file->mode,
            .path_length = (uint32_t)strlen(file->path),
        };

        memcpy(record.id, file->id.id, sizeof(record.id));
        buffer_append(&buffer, &record, sizeof(record));
        buffer_append(&buffer, file->path, record.path_length + 1);
    }
    result = buffer_status(&buffer, "the state of a check-out", error);
    if (result < 0)
        return result;
    digest_bytes(buffer.data, buffer.length, digest);
    buffer_puts(&buffer, digest);
    result = buffer_status(&buffer, "the state of a check-out", error);
    if (result < 0)
        return result;
    return file_write_atomic(path, buffer.data, buffer.length, 0644, error);
}

/* The first file whose path is not below `path` in byte order. */
static size_t lower_bound(const struct manifest *manifest, const char *path)
{
    size_t low = 0, high = manifest->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(manifest->files[middle].path, path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct manifest_file *manifest_find(const struct manifest *manifest, const char *path)
{
    size_t at = lower_bound(manifest, path);

    if (at < manifest->count && strcmp(manifest->files[at].path, path) == 0)
        return &manifest->files[at];
    return NULL;
}

bool manifest_has_directory(const struct manifest *manifest, const char *path)
{
    char prefix[MANIFEST_PATH_MAXIMUM + 2];
    size_t length = strlen(path), at;

    if (length + 2 > sizeof(prefix))
        return false;
    memcpy(prefix, path, length);
    memcpy(prefix + length, "/", 2);
    at = lower_bound(manifest, prefix);
    return at < manifest->count && strncmp(manifest->files[at].path, prefix, length + 1) == 0;
}

static int64_t nanoseconds(const struct timespec *time)
{
    return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

void manifest_file_saw(struct manifest_file *file, const struct stat *seen)
{
    file->size = (uint64_t)seen->st_size;
    file->inode = (uint64_t)seen->st_ino;
    file->mtime_ns = nanoseconds(&seen->st_mtim);
    file->ctime_ns = nanoseconds(&seen->st_ctim);
}

bool manifest_file_matches(const struct manifest_file *file, const struct stat *seen)
{
    return file->inode != 0 && file->inode == (uint64_t)seen->st_ino &&
           file->size == (uint64_t)seen->st_size && file->mtime_ns == nanoseconds(&seen->st_mtim) &&
           file->ctime_ns == nanoseconds(&seen->st_ctim);
}

void manifest_clear(struct manifest *manifest)
{
    for (size_t i = 0; i < manifest->count; i++)
        free(manifest->files[i].path);
    free(manifest->files);
    *manifest = (struct manifest){0};
}
