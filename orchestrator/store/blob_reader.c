/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <zstd.h>

#include "store/blobs_layout.h"

enum { CHUNK = 64 * 1024 };

struct blob_reader {
    int fd;
    ZSTD_DCtx *expander; /* NULL: the file as it is */
    char packed[CHUNK];
    ZSTD_inBuffer input;
    size_t expected; /* 0: at the end of a frame */
};

void blob_reader_free(struct blob_reader *reader)
{
    if (!reader)
        return;
    close(reader->fd);
    ZSTD_freeDCtx(reader->expander);
    free(reader);
}

static int reader_new(int fd, bool compressed, struct blob_reader **ret,
                      struct culprit_error *error)
{
    struct blob_reader *reader = calloc(1, sizeof *reader);
    ZSTD_DCtx *expander = compressed ? ZSTD_createDCtx() : NULL;

    if (!reader || (compressed && !expander)) {
        close(fd);
        free(reader);
        ZSTD_freeDCtx(expander);
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot read a file: out of memory");
    }
    reader->fd = fd;
    reader->expander = expander;
    reader->input.src = reader->packed;
    *ret = reader;
    return 0;
}

int blob_reader_open_file(const char *path, struct blob_reader **ret, struct culprit_error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return culprit_fail_errno(error, errno, "cannot open %s", path);
    return reader_new(fd, false, ret, error);
}

int blobs_reader(struct blobs *blobs, const char *digest, struct blob_reader **ret,
                 struct culprit_error *error)
{
    if (!blob_digest_valid(digest))
        return culprit_fail(error, CULPRIT_INVALID, "'%.80s' is not a SHA-256", digest);
    for (int compressed = 0; compressed < 2; compressed++) {
        _cleanup_free_ char *path = blob_name(blobs, digest, compressed);
        if (!path)
            return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot find a file: out of memory");
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd >= 0)
            return reader_new(fd, compressed, ret, error);
        if (errno != ENOENT)
            return culprit_fail_errno(error, errno, "cannot open %s", path);
    }
    return culprit_fail(error, CULPRIT_NOT_FOUND,
                        "the file %s is no longer kept: it was removed as old", digest);
}

static ssize_t read_plain(struct blob_reader *reader, void *buffer, size_t size,
                          struct culprit_error *error)
{
    ssize_t length = TEMP_FAILURE_RETRY(read(reader->fd, buffer, size));
    if (length < 0)
        return culprit_fail_errno(error, errno, "cannot read a kept file");
    return length;
}

/* 1: input is there; 0: the file's end; negative: the error. */
static int refill(struct blob_reader *reader, struct culprit_error *error)
{
    if (reader->input.pos < reader->input.size)
        return 1;
    ssize_t length = read_plain(reader, reader->packed, sizeof reader->packed, error);
    if (length < 0)
        return (int)length;
    reader->input.size = (size_t)length;
    reader->input.pos = 0;
    return length > 0;
}

ssize_t blob_reader_read(struct blob_reader *reader, void *buffer, size_t size,
                         struct culprit_error *error)
{
    if (!reader->expander)
        return read_plain(reader, buffer, size, error);

    ZSTD_outBuffer output = {buffer, size, 0};
    while (output.pos == 0 && size > 0) {
        int more = refill(reader, error);
        if (more < 0)
            return more;
        size_t left = ZSTD_decompressStream(reader->expander, &output, &reader->input);
        if (ZSTD_isError(left))
            return culprit_fail(error, CULPRIT_IO, "a kept file is damaged: %s",
                                ZSTD_getErrorName(left));
        if (!more && output.pos == 0) {
            if (reader->expected)
                return culprit_fail(error, CULPRIT_IO, "a kept file is cut short");
            return 0;
        }
        reader->expected = left;
    }
    return (ssize_t)output.pos;
}
