/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "base/file.h"
#include "source/worktree.h"

enum {
    DEPTH_MAXIMUM = 128,
    CANCEL_INTERVAL = 256,                     /* entries between two looks at the cancellation */
    HASHED_FILE_MAXIMUM = INT_MAX - (1 << 20), /* a larger one cannot come from a tree */
};

struct scan {
    const struct manifest *known;
    struct manifest *wanted;
    struct cancel *cancel;
    struct culprit_error *error;
    unsigned entries;
    char path[MANIFEST_PATH_MAXIMUM + 1]; /* of the entry at hand, relative */
};

static void closedir_cleanup(DIR **directory)
{
    if (*directory)
        closedir(*directory);
}

static int scan_directory(struct scan *scan, int fd, size_t length, unsigned depth);

/* Removes an entry of whatever kind, with all below it. */
static int remove_entry(struct scan *scan, int directory_fd, const char *name, unsigned depth)
{
    CULPRIT_CLEANUP(closedir) DIR *directory = NULL;
    const struct dirent *entry;
    int fd;

    if (unlinkat(directory_fd, name, 0) == 0 || errno == ENOENT)
        return 0;
    if ((errno != EISDIR && errno != EPERM) || depth >= DEPTH_MAXIMUM)
        return culprit_fail_errno(scan->error, errno, "cannot remove %s", scan->path);
    fd = openat(directory_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    directory = fd < 0 ? NULL : fdopendir(fd);
    if (!directory) {
        int errnum = errno;

        if (fd >= 0)
            close(fd);
        return culprit_fail_errno(scan->error, errnum, "cannot open %s", scan->path);
    }
    while ((entry = readdir(directory))) {
        int result;

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        result = remove_entry(scan, fd, entry->d_name, depth + 1);
        if (result < 0)
            return result;
    }
    if (unlinkat(directory_fd, name, AT_REMOVEDIR) < 0)
        return culprit_fail_errno(scan->error, errno, "cannot remove %s", scan->path);
    return 0;
}

static bool kind_agrees(const struct manifest_file *file, const struct stat *seen)
{
    if (file->mode == GIT_FILEMODE_LINK)
        return S_ISLNK(seen->st_mode);
    if (!S_ISREG(seen->st_mode))
        return false;
    return ((seen->st_mode & 0777) == 0755) == (file->mode == GIT_FILEMODE_BLOB_EXECUTABLE) &&
           ((seen->st_mode & 0777) == 0644) == (file->mode != GIT_FILEMODE_BLOB_EXECUTABLE);
}

static bool read_content(int directory_fd, const char *name, const struct stat *seen, char *content)
{
    size_t size = (size_t)seen->st_size, have = 0;
    _cleanup_close_ int fd = -1;

    if (S_ISLNK(seen->st_mode))
        return readlinkat(directory_fd, name, content, size + 1) == (ssize_t)size;
    fd = openat(directory_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    while (fd >= 0 && have < size) {
        ssize_t got = read(fd, content + have, size - have);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        have += (size_t)got;
    }
    return fd >= 0;
}

/* A file that cannot be read is written anew: so false is a safe answer. */
static bool content_agrees(int directory_fd, const char *name, const struct stat *seen,
                           const git_oid *wanted)
{
    _cleanup_free_ char *content = NULL;
    git_oid id;

    if (seen->st_size < 0 || seen->st_size > HASHED_FILE_MAXIMUM)
        return false;
    content = malloc((size_t)seen->st_size + 1);
    return content && read_content(directory_fd, name, seen, content) &&
           git_odb_hash(&id, content, (size_t)seen->st_size, GIT_OBJECT_BLOB) == 0 &&
           git_oid_equal(&id, wanted);
}

static bool file_agrees(const struct scan *scan, int directory_fd, const char *name,
                        const struct manifest_file *file, const struct stat *seen)
{
    const struct manifest_file *known;

    if (!kind_agrees(file, seen))
        return false;
    known = manifest_find(scan->known, scan->path);
    if (known && manifest_file_matches(known, seen))
        return known->mode == file->mode && git_oid_equal(&known->id, &file->id);
    return content_agrees(directory_fd, name, seen, &file->id);
}

static int scan_below(struct scan *scan, int directory_fd, const char *name, size_t length,
                      unsigned depth)
{
    int fd = openat(directory_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0)
        return culprit_fail_errno(scan->error, errno, "cannot open %s", scan->path);
    return scan_directory(scan, fd, length, depth + 1);
}

static int scan_entry(struct scan *scan, int directory_fd, const char *name, size_t length,
                      unsigned depth)
{
    struct manifest_file *file;
    struct stat seen;

    if (scan->entries++ % CANCEL_INTERVAL == 0 && cancel_requested(scan->cancel))
        return culprit_fail(scan->error, CULPRIT_CANCELLED, "the check-out was cancelled");
    if (fstatat(directory_fd, name, &seen, AT_SYMLINK_NOFOLLOW) < 0)
        return culprit_fail_errno(scan->error, errno, "cannot look at %s", scan->path);
    if (S_ISDIR(seen.st_mode)) {
        if (depth < DEPTH_MAXIMUM && manifest_has_directory(scan->wanted, scan->path))
            return scan_below(scan, directory_fd, name, length, depth);
        return remove_entry(scan, directory_fd, name, depth);
    }
    file = manifest_find(scan->wanted, scan->path);
    if (!file)
        return remove_entry(scan, directory_fd, name, depth);
    if (file_agrees(scan, directory_fd, name, file, &seen))
        manifest_file_saw(file, &seen);
    return 0;
}

/* Takes the descriptor. `length` is of the directory's own path, which stands in scan->path. */
static int scan_directory(struct scan *scan, int fd, size_t length, unsigned depth)
{
    CULPRIT_CLEANUP(closedir) DIR *directory = fdopendir(fd);
    const struct dirent *entry;

    if (!directory) {
        int errnum = errno;

        close(fd);
        return culprit_fail_errno(scan->error, errnum, "cannot list %s", scan->path);
    }
    while ((entry = readdir(directory))) {
        const char *name = entry->d_name;
        size_t name_length = strlen(name), at = length;
        int result;

        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        if (length + name_length + 2 > sizeof(scan->path))
            return culprit_fail(scan->error, CULPRIT_LIMIT, "a path below %s is too long",
                                scan->path);
        if (length > 0)
            scan->path[at++] = '/';
        memcpy(scan->path + at, name, name_length + 1);
        result = scan_entry(scan, fd, name, at + name_length, depth);
        scan->path[length] = '\0';
        if (result < 0)
            return result;
    }
    return 0;
}

int worktree_scan(int directory_fd, const struct manifest *known, struct manifest *wanted,
                  struct cancel *cancel, struct culprit_error *error)
{
    struct scan scan = {
        .known = known,
        .wanted = wanted,
        .cancel = cancel,
        .error = error,
    };
    int fd = openat(directory_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return culprit_fail_errno(error, errno, "cannot open the check-out");
    return scan_directory(&scan, fd, 0, 0);
}
