/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SHA-256 (by nettle), which names builds, images, artefacts and results, and CRC-32C
 * (Castagnoli, RFC 3720 appendix B.4), which guards the records that the guest sends.
 */
#ifndef CULPRIT_BASE_DIGEST_H
#define CULPRIT_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include <nettle/sha2.h>

#include "base/error.h"

enum { DIGEST_HEX_SIZE = 65 }; /* 64 lower-case hexadecimal digits and the NUL */

struct digest {
    struct sha256_ctx context;
};

void digest_init(struct digest *digest);
void digest_update(struct digest *digest, const void *bytes, size_t length);
/* Adds a length-prefixed field, so that ("ab","c") and ("a","bc") differ. NULL counts as absent. */
void digest_field(struct digest *digest, const char *name, const char *value);
void digest_finish(struct digest *digest, char ret_hex[DIGEST_HEX_SIZE]);

void digest_bytes(const void *bytes, size_t length, char ret_hex[DIGEST_HEX_SIZE]);
int digest_file(const char *path, char ret_hex[DIGEST_HEX_SIZE], struct culprit_error *error);

/* Start with 0; feed the result back in to continue. crc32c("123456789") is 0xe3069283. */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t length);

#endif
