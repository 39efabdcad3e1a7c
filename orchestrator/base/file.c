/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/path.h"

enum { CHUNK = 64 * 1024, COPY_AT_ONCE = 1 << 30 };

/* Waits until a read would not block. */
static int wait_readable(int fd, const char *path, const struct cancel *cancel,
                         struct culprit_error *error)
{
    struct pollfd fds[] = {{.fd = fd, .events = POLLIN},
                           {.fd = cancel_fd(cancel), .events = POLLIN}};

    while (poll(fds, 2, -1) < 0) {
        if (errno != EINTR)
            return culprit_fail_errno(error, errno, "cannot read %s", path);
    }
    if (cancel_requested(cancel))
        return culprit_fail(error, CULPRIT_CANCELLED, "cancelled while %s was read", path);
    return 0;
}

/* Reads to the end of the file, one byte past the maximum at most: that tells "too long". */
static int read_all(int fd, const char *path, struct buffer *content, size_t maximum,
                    const struct cancel *cancel, struct culprit_error *error)
{
    char chunk[CHUNK];
    bool wait = cancel != NULL; /* most reads are of plain files, which never block */

    while (content->length <= maximum) {
        size_t room = maximum - content->length;
        int r = wait ? wait_readable(fd, path, cancel, error) : 0;
        ssize_t got = r < 0 ? 0 : read(fd, chunk, room < sizeof chunk ? room + 1 : sizeof chunk);

        if (r < 0)
            return r;
        if (got < 0 && errno == EAGAIN)
            wait = true;
        if (got < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (got < 0)
            return culprit_fail_errno(error, errno, "cannot read %s", path);
        if (got == 0)
            return buffer_status(content, path, error);
        buffer_append(content, chunk, (size_t)got);
        if (content->status != CULPRIT_OK)
            return buffer_status(content, path, error);
    }
    return culprit_fail(error, CULPRIT_LIMIT, "%s is longer than %zu bytes", path, maximum);
}

int file_read_fd(int fd, const char *name, size_t maximum, const struct cancel *cancel,
                 char **ret_data, size_t *ret_length, struct culprit_error *error)
{
    _cleanup_buffer_ struct buffer content = BUFFER_INIT(maximum + 1);
    size_t length;
    char *data;
    int r = read_all(fd, name, &content, maximum, cancel, error);

    if (r < 0)
        return r;
    length = content.length;
    data = buffer_take(&content);
    if (!data)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for %s", name);
    *ret_data = data;
    if (ret_length)
        *ret_length = length;
    return 0;
}

int file_read(const char *path, size_t maximum, char **ret_data, size_t *ret_length,
              struct culprit_error *error)
{
    _cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

    if (fd < 0)
        return culprit_fail_errno(error, errno, "cannot open %s", path);
    return file_read_fd(fd, path, maximum, NULL, ret_data, ret_length, error);
}

static int write_all(int fd, const char *data, size_t length)
{
    while (length > 0) {
        ssize_t written = write(fd, data, length);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return -errno;
        data += written;
        length -= (size_t)written;
    }
    return 0;
}

/* Makes a rename in the directory of `path` durable. */
static int sync_directory_of(const char *path)
{
    _cleanup_free_ char *directory = path_directory(path);
    _cleanup_close_ int fd = -1;

    if (!directory)
        return -ENOMEM;
    fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fsync(fd) < 0)
        return -errno;
    return 0;
}

/* Fills the temporary file and puts it in its place; a negative errno on failure. */
static int write_and_rename(int fd, const char *temporary, const char *path, const char *data,
                            size_t length, mode_t mode)
{
    int r = write_all(fd, data, length);

    if (r < 0)
        return r;
    if (fchmod(fd, mode) < 0 || fsync(fd) < 0 || rename(temporary, path) < 0)
        return -errno;
    return 0;
}

int file_write_atomic(const char *path, const void *data, size_t length, mode_t mode,
                      struct culprit_error *error)
{
    _cleanup_free_ char *temporary = text_format("%s.XXXXXX", path);
    _cleanup_close_ int fd = -1;
    int r;

    if (!temporary)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to write %s", path);
    fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0)
        return culprit_fail_errno(error, errno, "cannot create a file beside %s", path);
    r = write_and_rename(fd, temporary, path, data, length, mode);
    if (r < 0)
        unlink(temporary);
    else
        r = sync_directory_of(path);
    if (r < 0)
        return culprit_fail_errno(error, -r, "cannot write %s", path);
    return 0;
}

/* Copies between the places of two descriptors; in the kernel where both file systems allow it. */
static int copy_content(int from, int to)
{
    char chunk[CHUNK];
    ssize_t got;

    do {
        got = copy_file_range(from, NULL, to, NULL, COPY_AT_ONCE, 0);
    } while (got > 0);
    /* Some file systems refuse, and /proc says 0 at once: what is left is read and written. */
    for (;;) {
        int r;

        got = read(from, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -errno : 0;
        r = write_all(to, chunk, (size_t)got);
        if (r < 0)
            return r;
    }
}

int file_copy(const char *from, const char *to, mode_t mode, struct culprit_error *error)
{
    _cleanup_close_ int source = open(from, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    _cleanup_close_ int target = -1;
    struct stat status;
    int r;

    if (source < 0 || fstat(source, &status) < 0)
        return culprit_fail_errno(error, errno, "cannot open %s", from);
    if (!S_ISREG(status.st_mode))
        return culprit_fail(error, CULPRIT_INVALID, "%s is not a regular file", from);
    target = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    if (target < 0)
        return culprit_fail_errno(error, errno, "cannot create %s", to);
    r = copy_content(source, target);
    if (r == 0 && fchmod(target, mode) < 0)
        r = -errno;
    if (r < 0) {
        if (fstat(target, &status) == 0 && S_ISREG(status.st_mode))
            unlink(to);
        return culprit_fail_errno(error, -r, "cannot copy %s to %s", from, to);
    }
    return 0;
}

int file_size(const char *path, uint64_t *ret_size, struct culprit_error *error)
{
    struct stat status;

    if (stat(path, &status) < 0)
        return culprit_fail_errno(error, errno, "cannot read the size of %s", path);
    *ret_size = (uint64_t)status.st_size;
    return 0;
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}
