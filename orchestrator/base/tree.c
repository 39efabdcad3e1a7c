/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Directories: made with their parents, removed with their content. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

/* A tree deeper than this is not one of ours; it bounds descriptors and stack. */
enum { DEPTH_MAXIMUM = 256 };

static int make_one(const char *path, mode_t mode)
{
    struct stat status;

    if (mkdir(path, mode) == 0)
        return 0;
    if (errno != EEXIST)
        return -errno;
    if (stat(path, &status) < 0)
        return -errno;
    return S_ISDIR(status.st_mode) ? 0 : -ENOTDIR;
}

int file_make_directories(const char *path, mode_t mode, struct culprit_error *error)
{
    _cleanup_free_ char *prefix = strdup(path);
    int r = 0;

    if (!prefix)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to create %s", path);
    for (char *slash = strchr(prefix + (prefix[0] == '/'), '/'); slash && r == 0;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        r = make_one(prefix, mode);
        *slash = '/';
    }
    if (r == 0)
        r = make_one(path, mode);
    if (r < 0)
        return culprit_fail_errno(error, -r, "cannot create the directory %s", path);
    return 0;
}

static int remove_at(int parent, const char *name, unsigned depth);

static void closedir_cleanup(DIR **directory)
{
    if (*directory)
        closedir(*directory);
}

/* Empties a directory through its own descriptor, so that a link put in the way is not followed. */
static int remove_content(int parent, const char *name, unsigned depth)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    CULPRIT_CLEANUP(closedir) DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;

    if (!directory) {
        int errnum = errno;
        if (fd >= 0)
            close(fd);
        return -errnum;
    }
    /* Safe while each thread has a stream of its own (readdir(3)).
     * NOLINTNEXTLINE(concurrency-mt-unsafe) */
    while ((errno = 0, entry = readdir(directory))) {
        int r;

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        r = remove_at(dirfd(directory), entry->d_name, depth + 1);
        if (r < 0)
            return r;
    }
    return -errno;
}

static int remove_at(int parent, const char *name, unsigned depth)
{
    int r;

    if (depth > DEPTH_MAXIMUM)
        return -ELOOP;
    if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
        return 0;
    /* Linux says EISDIR for a directory; POSIX says EPERM, and so do some file systems. */
    if (errno != EISDIR && errno != EPERM)
        return -errno;
    r = remove_content(parent, name, depth);
    if (r < 0)
        return r;
    return unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT ? 0 : -errno;
}

int file_remove_tree(const char *path, struct culprit_error *error)
{
    int r = remove_at(AT_FDCWD, path, 0);

    if (r < 0)
        return culprit_fail_errno(error, -r, "cannot remove %s", path);
    return 0;
}
