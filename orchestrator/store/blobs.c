/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Layout: DIRECTORY/ab/cdef… (plain) or …zst (compressed), DIRECTORY/tmp/ for what is being
 * written. */
#include "store/blobs.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

#include "base/file.h"
#include "store/blobs_layout.h"

enum { CHUNK = 128 * 1024, COMPRESSION_LEVEL = 6 };

int blobs_open(const char *directory, struct blobs **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(blobs_close) struct blobs *blobs = calloc(1, sizeof *blobs);
    if (!blobs)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot open %s: out of memory", directory);
    pthread_mutex_init(&blobs->lock, NULL);
    blobs->directory = strdup(directory);
    blobs->temporary = path_join(directory, "tmp");
    if (!blobs->directory || !blobs->temporary)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot open %s: out of memory", directory);

    int status = file_make_directories(blobs->temporary, 0711, error);
    if (status < 0)
        return status;
    *ret = take(blobs);
    return 0;
}

void blobs_close(struct blobs *blobs)
{
    if (!blobs)
        return;
    pthread_mutex_destroy(&blobs->lock);
    free(blobs->directory);
    free(blobs->temporary);
    free(blobs);
}

char *blob_name(const struct blobs *blobs, const char *digest, bool compressed)
{
    return text_format("%s/%.2s/%s%s", blobs->directory, digest, digest + 2,
                       compressed ? BLOB_SUFFIX : "");
}

bool blob_digest_valid(const char *digest)
{
    return strlen(digest) == DIGEST_HEX_SIZE - 1 &&
           strspn(digest, "0123456789abcdef") == DIGEST_HEX_SIZE - 1;
}

/* What a copy needs, released together. */
struct copy {
    int from, to;
    char *path; /* of the temporary file; removed unless it was renamed */
    ZSTD_CCtx *compressor;
    struct digest digest;
};

static void copy_finish(struct copy *copy)
{
    if (copy->from >= 0)
        close(copy->from);
    if (copy->to >= 0)
        close(copy->to);
    if (copy->path)
        unlink(copy->path);
    free(copy->path);
    ZSTD_freeCCtx(copy->compressor);
}

static void copy_finish_cleanup(struct copy *copy)
{
    copy_finish(copy);
}

static int copy_open(struct copy *copy, struct blobs *blobs, const char *file, bool compress,
                     struct culprit_error *error)
{
    copy->from = open(file, O_RDONLY | O_CLOEXEC);
    if (copy->from < 0)
        return culprit_fail_errno(error, errno, "cannot open %s", file);
    copy->path = text_format("%s/XXXXXX", blobs->temporary);
    if (!copy->path)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot keep %s: out of memory", file);
    copy->to = mkostemp(copy->path, O_CLOEXEC);
    if (copy->to < 0) {
        int number = errno;
        free(copy->path);
        copy->path = NULL; /* nothing to remove */
        return culprit_fail_errno(error, number, "cannot make a file in %s", blobs->temporary);
    }
    if (compress) {
        copy->compressor = ZSTD_createCCtx();
        if (!copy->compressor)
            return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot compress %s: out of memory",
                                file);
        ZSTD_CCtx_setParameter(copy->compressor, ZSTD_c_compressionLevel, COMPRESSION_LEVEL);
        ZSTD_CCtx_setParameter(copy->compressor, ZSTD_c_checksumFlag, 1);
    }
    digest_init(&copy->digest);
    return 0;
}

static int write_all(int fd, const char *bytes, size_t length, struct culprit_error *error)
{
    while (length) {
        ssize_t written = TEMP_FAILURE_RETRY(write(fd, bytes, length));
        if (written < 0)
            return culprit_fail_errno(error, errno, "cannot keep a file in the blob store");
        bytes += written;
        length -= (size_t)written;
    }
    return 0;
}

static int write_compressed(struct copy *copy, const char *bytes, size_t length, bool last,
                            struct culprit_error *error)
{
    ZSTD_inBuffer input = {bytes, length, 0};
    char packed[CHUNK];
    size_t left;

    do {
        ZSTD_outBuffer output = {packed, sizeof packed, 0};
        left = ZSTD_compressStream2(copy->compressor, &output, &input,
                                    last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left))
            return culprit_fail(error, CULPRIT_INTERNAL, "cannot compress: %s",
                                ZSTD_getErrorName(left));
        int status = write_all(copy->to, packed, output.pos, error);
        if (status < 0)
            return status;
    } while (last ? left > 0 : input.pos < input.size);
    return 0;
}

static int copy_content(struct copy *copy, const char *file, struct culprit_error *error)
{
    char chunk[CHUNK];
    ssize_t length;

    do {
        length = TEMP_FAILURE_RETRY(read(copy->from, chunk, sizeof chunk));
        if (length < 0)
            return culprit_fail_errno(error, errno, "cannot read %s", file);
        digest_update(&copy->digest, chunk, (size_t)length);
        int status = copy->compressor
                         ? write_compressed(copy, chunk, (size_t)length, length == 0, error)
                         : write_all(copy->to, chunk, (size_t)length, error);
        if (status < 0)
            return status;
    } while (length != 0);
    /* Readable by whoever runs guests (QEMU may be another user under qemu:///system). */
    if (fchmod(copy->to, 0644) < 0 || fsync(copy->to) < 0)
        return culprit_fail_errno(error, errno, "cannot keep %s", file);
    return 0;
}

static int sync_directory(const char *path, struct culprit_error *error)
{
    _cleanup_close_ int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fsync(fd) < 0)
        return culprit_fail_errno(error, errno, "cannot sync %s", path);
    return 0;
}

/* Says that the blob is in use now; false when it is not there. */
static bool touch(const char *path)
{
    return utimensat(AT_FDCWD, path, NULL, 0) == 0;
}

/* Gives the finished temporary file its name. Where the blob is there already, that one stays. */
static int publish(struct blobs *blobs, struct copy *copy, const char *digest,
                   struct culprit_error *error)
{
    _cleanup_free_ char *path = blob_name(blobs, digest, copy->compressor != NULL);
    _cleanup_free_ char *directory = text_format("%s/%.2s", blobs->directory, digest);
    if (!path || !directory)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot keep a file: out of memory");

    int status = file_make_directories(directory, 0711, error);
    if (status < 0)
        return status;
    pthread_mutex_lock(&blobs->lock);
    bool there = touch(path);
    bool renamed = !there && rename(copy->path, path) == 0;
    int number = errno;
    pthread_mutex_unlock(&blobs->lock);
    if (there)
        return 0;
    if (!renamed)
        return culprit_fail_errno(error, number, "cannot keep %s", path);
    free(copy->path);
    copy->path = NULL;
    return sync_directory(directory, error);
}

int blobs_put(struct blobs *blobs, const char *file, bool compress,
              char ret_digest[DIGEST_HEX_SIZE], struct culprit_error *error)
{
    CULPRIT_CLEANUP(copy_finish) struct copy copy = {.from = -1, .to = -1};
    char digest[DIGEST_HEX_SIZE];

    int status = copy_open(&copy, blobs, file, compress, error);
    if (status == 0)
        status = copy_content(&copy, file, error);
    if (status < 0)
        return status;
    digest_finish(&copy.digest, digest);
    status = publish(blobs, &copy, digest, error);
    if (status < 0)
        return status;
    memcpy(ret_digest, digest, sizeof digest);
    return 0;
}

int blobs_path(struct blobs *blobs, const char *digest, char **ret_path,
               struct culprit_error *error)
{
    if (!blob_digest_valid(digest))
        return culprit_fail(error, CULPRIT_INVALID, "'%.80s' is not a SHA-256", digest);
    _cleanup_free_ char *path = blob_name(blobs, digest, false);
    if (!path)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot find a file: out of memory");
    pthread_mutex_lock(&blobs->lock);
    bool there = touch(path);
    pthread_mutex_unlock(&blobs->lock);
    if (!there)
        return culprit_fail(error, CULPRIT_NOT_FOUND,
                            "the file %s is no longer kept: it was removed as old", digest);
    *ret_path = take(path);
    return 0;
}
