/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "archive_source.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

enum { BLOCK_SIZE = 1 << 18, FILE_MAXIMUM = 256 << 20 };

struct archive_source {
    struct archive *archive;
    char *path; /* as given, for messages */
    char *name; /* of the file at hand */
    char *data;
    size_t capacity;
    bool unpacked;
};

int archive_source_path(const char *name, char **ret_path, struct culprit_error *error)
{
    _cleanup_free_ char *path = NULL;

    if (strchr(name, '/')) {
        path = strdup(name);
        if (path && !file_exists(path))
            return culprit_fail(error, CULPRIT_NOT_FOUND, "there is no kernel source at %s", path);
    } else {
        path = text_format("/usr/src/%s.tar.xz", name);
        if (path && !file_exists(path))
            return culprit_fail(error, CULPRIT_NOT_FOUND,
                                "there is no %s: install it with: apt-get install %s", path, name);
    }
    if (!path)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to find %s", name);
    *ret_path = take(path);
    return 0;
}

static int archive_fail(const struct archive_source *source, struct culprit_error *error)
{
    const char *text = archive_error_string(source->archive);

    return culprit_fail(error, CULPRIT_IO, "cannot read kernel source from %s: %s", source->path,
                        text ? text : "unknown error");
}

static int open_tree(struct archive_source *source)
{
    source->archive = archive_read_disk_new();
    if (!source->archive)
        return ARCHIVE_FATAL;
    archive_read_disk_set_symlink_physical(source->archive);
    archive_read_disk_set_behavior(source->archive, ARCHIVE_READDISK_NO_XATTR |
                                                        ARCHIVE_READDISK_NO_ACL |
                                                        ARCHIVE_READDISK_NO_FFLAGS);
    return archive_read_disk_open(source->archive, source->path);
}

static int open_archive(struct archive_source *source)
{
    source->archive = archive_read_new();
    if (!source->archive)
        return ARCHIVE_FATAL;
    archive_read_support_format_tar(source->archive);
    archive_read_support_filter_xz(source->archive);
    archive_read_support_filter_gzip(source->archive);
    archive_read_support_filter_zstd(source->archive);
    return archive_read_open_filename(source->archive, source->path, BLOCK_SIZE);
}

int archive_source_open(const char *path, struct archive_source **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(archive_source_free) struct archive_source *source = calloc(1, sizeof(*source));
    struct stat status;
    int result;

    if (source)
        source->path = strdup(path);
    if (!source || !source->path)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to read %s", path);
    if (stat(path, &status) < 0)
        return culprit_fail_errno(error, errno, "cannot read kernel source from %s", path);
    source->unpacked = S_ISDIR(status.st_mode);
    result = source->unpacked ? open_tree(source) : open_archive(source);
    if (result != ARCHIVE_OK)
        return source->archive ? archive_fail(source, error)
                               : culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for %s", path);
    *ret = take(source);
    return 0;
}

/* Without the archive's first directory, or the tree's own path; NULL for that itself. */
static const char *relative_path(const struct archive_source *source, const char *path)
{
    size_t length = strlen(source->path);

    if (source->unpacked) {
        if (strncmp(path, source->path, length) != 0)
            return NULL;
        path += length;
        path += strspn(path, "/");
    } else {
        while (strncmp(path, "./", 2) == 0)
            path += 2;
        path = strchr(path, '/');
        if (path)
            path++;
    }
    return path && *path ? path : NULL;
}

static int read_content(struct archive_source *source, size_t size, struct culprit_error *error)
{
    size_t have = 0;

    if (size > FILE_MAXIMUM)
        return culprit_fail(error, CULPRIT_LIMIT, "%s in %s is too large", source->name,
                            source->path);
    if (size + 1 > source->capacity) {
        char *data = realloc(source->data, size + 1);

        if (!data)
            return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to read %s", source->path);
        source->data = data;
        source->capacity = size + 1;
    }
    while (have < size) {
        la_ssize_t got = archive_read_data(source->archive, source->data + have, size - have);

        if (got < 0)
            return archive_fail(source, error);
        if (got == 0)
            return culprit_fail(error, CULPRIT_IO, "%s in %s is cut short", source->name,
                                source->path);
        have += (size_t)got;
    }
    return 0;
}

static int take_entry(struct archive_source *source, struct archive_entry *entry,
                      struct source_file *ret, struct culprit_error *error)
{
    mode_t type = archive_entry_filetype(entry);
    size_t size = (size_t)archive_entry_size(entry);
    int result;

    free(source->name);
    source->name = strdup(relative_path(source, archive_entry_pathname(entry)));
    if (!source->name)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to read %s", source->path);
    ret->path = source->name;
    if (archive_entry_hardlink(entry) || (type != AE_IFREG && type != AE_IFLNK))
        return culprit_fail(error, CULPRIT_UNSUPPORTED,
                            "%s in %s is neither a file nor a symbolic link", source->name,
                            source->path);
    if (type == AE_IFLNK) {
        ret->mode = "120000";
        ret->data = archive_entry_symlink(entry);
        ret->length = strlen(ret->data);
        return 1;
    }
    result = read_content(source, size, error);
    if (result < 0)
        return result;
    ret->mode = archive_entry_perm(entry) & S_IXUSR ? "100755" : "100644";
    ret->data = source->data;
    ret->length = size;
    return 1;
}

int archive_source_next(struct archive_source *source, struct source_file *ret,
                        struct culprit_error *error)
{
    for (;;) {
        struct archive_entry *entry = NULL;
        const char *path;
        int status = archive_read_next_header(source->archive, &entry);

        if (status == ARCHIVE_EOF)
            return 0;
        if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
            return archive_fail(source, error);
        if (source->unpacked && archive_read_disk_can_descend(source->archive))
            archive_read_disk_descend(source->archive);
        path = relative_path(source, archive_entry_pathname(entry));
        if (!path || strcmp(path, ".git") == 0 || strncmp(path, ".git/", 5) == 0 ||
            archive_entry_filetype(entry) == AE_IFDIR)
            continue;
        return take_entry(source, entry, ret, error);
    }
}

void archive_source_free(struct archive_source *source)
{
    if (!source)
        return;
    if (source->archive)
        archive_read_free(source->archive);
    free(source->path);
    free(source->name);
    free(source->data);
    free(source);
}
