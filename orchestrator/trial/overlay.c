/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trial/overlay.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

enum { COPY_BUFFER = 64 * 1024, ALIGNMENT = 4 };

static void archive_free_cleanup(struct archive **archive)
{
    if (*archive)
        archive_write_free(*archive);
}

static void archive_entry_free_cleanup(struct archive_entry **entry)
{
    archive_entry_free(*entry);
}

static int archive_fail(struct archive *archive, const char *path, struct culprit_error *error)
{
    int errnum = archive ? archive_errno(archive) : ENOMEM;

    return culprit_fail_errno(error, errnum > 0 ? errnum : EIO, "cannot write %s", path);
}

/* Whatever differs between two hosts is left at zero: owner, times, device. */
static int add_entry(struct archive *archive, const char *name, mode_t mode, const char *data,
                     size_t length)
{
    CULPRIT_CLEANUP(archive_entry_free) struct archive_entry *entry = archive_entry_new();

    if (!entry)
        return -1;
    archive_entry_set_pathname(entry, name);
    archive_entry_set_mode(entry, mode);
    archive_entry_set_nlink(entry, S_ISDIR(mode) ? 2 : 1);
    archive_entry_set_size(entry, (la_int64_t)length);
    archive_entry_set_mtime(entry, 0, 0);
    archive_entry_set_uid(entry, 0);
    archive_entry_set_gid(entry, 0);
    if (archive_write_header(archive, entry) != ARCHIVE_OK)
        return -1;
    if (length > 0 && archive_write_data(archive, data, length) != (la_ssize_t)length)
        return -1;
    return 0;
}

int overlay_write(const char *path, const char *plan, size_t plan_length,
                  struct culprit_error *error)
{
    CULPRIT_CLEANUP(archive_free) struct archive *archive = archive_write_new();

    if (!archive || archive_write_set_format_cpio_newc(archive) != ARCHIVE_OK ||
        archive_write_set_bytes_in_last_block(archive, 1) != ARCHIVE_OK ||
        archive_write_open_filename(archive, path) != ARCHIVE_OK ||
        add_entry(archive, "culprit", S_IFDIR | 0755, NULL, 0) < 0 ||
        add_entry(archive, "culprit/plan", S_IFREG | 0600, plan, plan_length) < 0 ||
        archive_write_close(archive) != ARCHIVE_OK)
        return archive_fail(archive, path, error);
    return 0;
}

static int write_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(fd, bytes, length);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return -errno;
        bytes += written;
        length -= (size_t)written;
    }
    return 0;
}

/* Appends a whole file; ret_length gets its size. */
static int append_file(int to, const char *initrd, const char *from, size_t *ret_length,
                       struct culprit_error *error)
{
    _cleanup_close_ int fd = open(from, O_RDONLY | O_CLOEXEC);
    char bytes[COPY_BUFFER];
    size_t total = 0;

    if (fd < 0)
        return culprit_fail_errno(error, errno, "cannot read %s", from);
    for (;;) {
        ssize_t length = read(fd, bytes, sizeof bytes);
        int r;

        if (length < 0 && errno == EINTR)
            continue;
        if (length < 0)
            return culprit_fail_errno(error, errno, "cannot read %s", from);
        if (length == 0)
            break;
        r = write_all(to, bytes, (size_t)length);
        if (r < 0)
            return culprit_fail_errno(error, -r, "cannot write %s", initrd);
        total += (size_t)length;
    }
    *ret_length = total;
    return 0;
}

int overlay_append(const char *image, const char *overlay, const char *initrd,
                   struct culprit_error *error)
{
    static const char zeros[ALIGNMENT];
    _cleanup_close_ int fd = open(initrd, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    size_t length;
    int r;

    if (fd < 0)
        return culprit_fail_errno(error, errno, "cannot create %s", initrd);
    r = append_file(fd, initrd, image, &length, error);
    if (r < 0)
        return r;
    if (length == 0)
        return culprit_fail(error, CULPRIT_INVALID, "cannot use the guest image %s: it is empty",
                            image);
    r = write_all(fd, zeros, (ALIGNMENT - length % ALIGNMENT) % ALIGNMENT);
    if (r < 0)
        return culprit_fail_errno(error, -r, "cannot write %s", initrd);
    return append_file(fd, initrd, overlay, &length, error);
}
