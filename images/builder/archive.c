/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "builder/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/file.h"

DEFINE_CLEANUP(struct archive *, archive_write_free);
DEFINE_CLEANUP(struct archive_entry *, archive_entry_free);

static int fail(struct archive *archive, const char *path, struct culprit_error *error)
{
    return culprit_fail(error, CULPRIT_IO, "cannot write %s: %s", path,
                        archive_error_string(archive));
}

static mode_t file_type(enum entry_kind kind)
{
    switch (kind) {
    case ENTRY_DIRECTORY:
        return AE_IFDIR;
    case ENTRY_DEVICE:
        return AE_IFCHR;
    case ENTRY_FILE:
    case ENTRY_TEXT:
        return AE_IFREG;
    case ENTRY_LINK:
        return AE_IFLNK;
    }
    return AE_IFREG;
}

/* What a regular file holds; NULL and 0 for the others. */
static int read_content(const struct entry *entry, char **ret, size_t *ret_length,
                        struct culprit_error *error)
{
    *ret = NULL;
    *ret_length = 0;
    if (entry->kind == ENTRY_FILE)
        return file_read(entry->value, IMAGE_FILE_MAXIMUM, ret, ret_length, error);
    if (entry->kind != ENTRY_TEXT)
        return 0;
    *ret = text_format("%s\n", entry->value);
    if (!*ret)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for %s", entry->path);
    *ret_length = strlen(*ret);
    return 0;
}

static int write_entry(struct archive *archive, const struct entry *entry, size_t number,
                       const char *path, struct culprit_error *error)
{
    CULPRIT_CLEANUP(archive_entry_free) struct archive_entry *header = archive_entry_new();
    _cleanup_free_ char *content = NULL;
    size_t length;

    if (!header)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for %s", entry->path);
    int result = read_content(entry, &content, &length, error);
    if (result < 0)
        return result;
    archive_entry_set_pathname(header, entry->path + 1); /* relative to the root */
    archive_entry_set_mode(header, file_type(entry->kind) | entry->mode);
    archive_entry_set_size(header, (la_int64_t)length);
    archive_entry_set_ino64(header, (la_int64_t)number + 1);
    archive_entry_set_nlink(header, 1);
    archive_entry_set_mtime(header, 0, 0);
    if (entry->kind == ENTRY_LINK)
        archive_entry_set_symlink(header, entry->value);
    if (entry->kind == ENTRY_DEVICE)
        archive_entry_set_rdev(header, makedev(entry->major, entry->minor));
    if (archive_write_header(archive, header) != ARCHIVE_OK ||
        archive_write_data(archive, content, length) != (la_ssize_t)length)
        return fail(archive, path, error);
    return 0;
}

int archive_write_image(const struct manifest *manifest, const char *path,
                        struct culprit_error *error)
{
    CULPRIT_CLEANUP(archive_write_free) struct archive *archive = archive_write_new();

    if (!archive)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for %s", path);
    if (archive_write_set_format_cpio_newc(archive) != ARCHIVE_OK ||
        archive_write_set_bytes_per_block(archive, 512) != ARCHIVE_OK ||
        archive_write_set_bytes_in_last_block(archive, 512) != ARCHIVE_OK ||
        archive_write_open_filename(archive, path) != ARCHIVE_OK)
        return fail(archive, path, error);
    for (size_t i = 0; i < manifest->entry_count; i++) {
        int result = write_entry(archive, &manifest->entries[i], i, path, error);
        if (result < 0)
            return result;
    }
    if (archive_write_close(archive) != ARCHIVE_OK)
        return fail(archive, path, error);
    return 0;
}
