/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "source/worktree.h"

enum { CANCEL_INTERVAL = 64 };

struct writer {
    struct repository *repository;
    git_odb *odb;
    int root_fd;
    int fd; /* of the directory of the last file; -1: none */
    char directory[MANIFEST_PATH_MAXIMUM + 1];
    struct culprit_error *error;
};

static void writer_clear(struct writer *writer)
{
    if (writer->fd >= 0)
        close(writer->fd);
    git_odb_free(writer->odb);
}

static inline void writer_clear_cleanup(struct writer *writer)
{
    writer_clear(writer);
}

/* Opens (and creates) the directory of the first `length` bytes of `path`, one component after the
 * other. Files come sorted, so mostly it is the last one again. */
static int enter_directory(struct writer *writer, const char *path, size_t length)
{
    int fd;

    if (writer->fd >= 0 && strlen(writer->directory) == length &&
        memcmp(writer->directory, path, length) == 0)
        return 0;
    if (writer->fd >= 0)
        close(writer->fd);
    writer->fd = -1;
    memcpy(writer->directory, path, length);
    writer->directory[length] = '\0';
    fd = openat(writer->root_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (char *at = writer->directory; fd >= 0 && *at;) {
        char *slash = strchrnul(at, '/');
        char separator = *slash;
        int next, errnum;

        *slash = '\0';
        if (mkdirat(fd, at, 0755) < 0 && errno != EEXIST)
            next = -1;
        else
            next = openat(fd, at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        errnum = errno;
        *slash = separator;
        close(fd);
        errno = errnum;
        fd = next;
        at = separator ? slash + 1 : slash;
    }
    if (fd < 0)
        return culprit_fail_errno(writer->error, errno, "cannot create the directory %s",
                                  writer->directory);
    writer->fd = fd;
    return 0;
}

/*
 * A link is safe when its target is relative and goes up only at its beginning, and not above the
 * check-out. Then it leads to a place below the check-out, and a chain of such links does too.
 */
static bool link_is_safe(const char *path, const char *target)
{
    size_t depth = 0;
    bool down = false;

    for (const char *p = path; *p; p++)
        depth += *p == '/';
    if (!*target || *target == '/')
        return false;
    for (const char *at = target; *at;) {
        size_t length = strcspn(at, "/");

        if (length == 2 && memcmp(at, "..", 2) == 0) {
            if (down || depth-- == 0)
                return false;
        } else if (length > 0 && !(length == 1 && *at == '.')) {
            if (length == 4 && strncasecmp(at, ".git", 4) == 0)
                return false;
            down = true;
        }
        at += length;
        at += *at == '/';
    }
    return true;
}

static int write_link(struct writer *writer, const struct manifest_file *file, const char *name,
                      const char *content, size_t size)
{
    char target[MANIFEST_PATH_MAXIMUM + 1];

    if (size > MANIFEST_PATH_MAXIMUM || memchr(content, '\0', size))
        return culprit_fail(writer->error, CULPRIT_INVALID,
                            "the symbolic link %s has no valid target", file->path);
    memcpy(target, content, size);
    target[size] = '\0';
    if (!link_is_safe(file->path, target))
        return culprit_fail(writer->error, CULPRIT_INVALID,
                            "the symbolic link %s leads out of the tree, to %.200s", file->path,
                            target);
    if (symlinkat(target, writer->fd, name) < 0)
        return culprit_fail_errno(writer->error, errno, "cannot create the link %s", file->path);
    return 0;
}

static int write_all(int fd, const char *content, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, content, size);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return -1;
        content += written;
        size -= (size_t)written;
    }
    return 0;
}

static int write_regular(struct writer *writer, const struct manifest_file *file, const char *name,
                         const char *content, size_t size)
{
    mode_t mode = file->mode == GIT_FILEMODE_BLOB_EXECUTABLE ? 0755 : 0644;
    _cleanup_close_ int fd = openat(writer->fd, name,
                                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);

    if (fd < 0 || write_all(fd, content, size) < 0 || fchmod(fd, mode) < 0)
        return culprit_fail_errno(writer->error, errno, "cannot write %s", file->path);
    return 0;
}

/* Always a new inode: a file that shares its inode with another place (hard links, reflinks made
 * by a copying user) is never written through. */
static int write_file(struct writer *writer, struct manifest_file *file)
{
    CULPRIT_CLEANUP(git_odb_object_free) git_odb_object *object = NULL;
    const char *slash = strrchr(file->path, '/');
    const char *name = slash ? slash + 1 : file->path;
    struct stat seen;
    int status, result;

    result = enter_directory(writer, file->path, slash ? (size_t)(slash - file->path) : 0);
    if (result < 0)
        return result;
    status = git_odb_read(&object, writer->odb, &file->id);
    if (status < 0)
        return git_fail_object(writer->error, writer->repository, status, "cannot read %s",
                               file->path);
    if (unlinkat(writer->fd, name, 0) < 0 && errno != ENOENT)
        return culprit_fail_errno(writer->error, errno, "cannot replace %s", file->path);
    if (file->mode == GIT_FILEMODE_LINK)
        result = write_link(writer, file, name, git_odb_object_data(object),
                            git_odb_object_size(object));
    else
        result = write_regular(writer, file, name, git_odb_object_data(object),
                               git_odb_object_size(object));
    if (result < 0)
        return result;
    if (fstatat(writer->fd, name, &seen, AT_SYMLINK_NOFOLLOW) < 0)
        return culprit_fail_errno(writer->error, errno, "cannot look at %s", file->path);
    manifest_file_saw(file, &seen);
    return 0;
}

int worktree_write(struct repository *repository, int directory_fd, struct manifest *wanted,
                   struct cancel *cancel, struct culprit_error *error)
{
    CULPRIT_CLEANUP(writer_clear)
    struct writer writer = {
        .repository = repository,
        .root_fd = directory_fd,
        .fd = -1,
        .error = error,
    };
    int status = git_repository_odb(&writer.odb, repository->git);
    unsigned written = 0;

    if (status < 0)
        return git_fail(error, status, "cannot read repository %s", repository->name);
    for (size_t i = 0; i < wanted->count; i++) {
        int result;

        if (wanted->files[i].inode != 0)
            continue;
        if (written++ % CANCEL_INTERVAL == 0 && cancel_requested(cancel))
            return culprit_fail(error, CULPRIT_CANCELLED, "the check-out was cancelled");
        result = write_file(&writer, &wanted->files[i]);
        if (result < 0)
            return result;
    }
    return 0;
}
