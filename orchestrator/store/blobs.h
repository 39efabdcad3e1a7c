/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Content-addressed files: kernel images as they are, logs and consoles compressed with zstd, each
 * under the SHA-256 of its (uncompressed) content. A blob appears whole or not at all (temporary
 * file, fsync, rename) and never changes. Thread-safe: workers store, the loop reads.
 *
 * A blob's modification time is the time of its last use, by which old ones are removed.
 */
#ifndef CULPRIT_STORE_BLOBS_H
#define CULPRIT_STORE_BLOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/strv.h"

struct blobs;

int blobs_open(const char *directory, struct blobs **ret, struct culprit_error *error);
void blobs_close(struct blobs *blobs);
DEFINE_CLEANUP(struct blobs *, blobs_close);

/* Keeps a copy of the file. Plain blobs have a path that others can open; compressed ones are read
 * through a reader only. */
int blobs_put(struct blobs *blobs, const char *file, bool compress,
              char ret_digest[DIGEST_HEX_SIZE], struct culprit_error *error);

/* The path of a plain blob, which counts as a use; NOT_FOUND when it was removed. Caller frees. */
int blobs_path(struct blobs *blobs, const char *digest, char **ret_path,
               struct culprit_error *error);

/* Reads a blob, plain or compressed, or any file, from front to end, in bounded memory. */
struct blob_reader;

int blobs_reader(struct blobs *blobs, const char *digest, struct blob_reader **ret,
                 struct culprit_error *error);
int blob_reader_open_file(const char *path, struct blob_reader **ret, struct culprit_error *error);
/* Bytes read (0: the end), or a negative code. */
ssize_t blob_reader_read(struct blob_reader *reader, void *buffer, size_t size,
                         struct culprit_error *error);
void blob_reader_free(struct blob_reader *reader);
DEFINE_CLEANUP(struct blob_reader *, blob_reader_free);

struct blobs_limits {
    uint64_t maximum; /* bytes in all; the least recently used go first; 0: no limit */
    uint64_t age_ns;  /* not used for so long; 0: no limit */
    uint64_t now_ns;  /* since 1970 */
};

struct blobs_swept {
    uint64_t removed, removed_bytes, kept, kept_bytes;
};

/* Removes what passes the limits, is not in `keep` (digests) and was not used in the last ten
 * minutes; also temporary files that a crash left. Blocking: for a worker. */
int blobs_sweep(struct blobs *blobs, const struct blobs_limits *limits, const struct strv *keep,
                struct blobs_swept *ret, struct culprit_error *error);

#endif
