/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the blob store only: where a blob lies. */
#ifndef CULPRIT_STORE_BLOBS_LAYOUT_H
#define CULPRIT_STORE_BLOBS_LAYOUT_H

#include <pthread.h>
#include <stdbool.h>

#include "store/blobs.h"

#define BLOB_SUFFIX ".zst"

struct blobs {
    char *directory, *temporary;
    pthread_mutex_t lock; /* between "it is there already" and its removal by a sweep */
};

/* NULL without memory; the caller's. The digest must be a valid one. */
char *blob_name(const struct blobs *blobs, const char *digest, bool compressed);
bool blob_digest_valid(const char *digest);

#endif
