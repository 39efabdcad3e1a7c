/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

enum { READ_SIZE = 64 * 1024 };

void digest_init(struct digest *digest)
{
    sha256_init(&digest->context);
}

void digest_update(struct digest *digest, const void *bytes, size_t length)
{
    sha256_update(&digest->context, length, bytes);
}

/* Lengths go in as eight little-endian bytes, so that equal fields give equal digests everywhere;
 * an absent value takes a length that no string has. */
static void add_length(struct digest *digest, uint64_t length)
{
    unsigned char bytes[8];

    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(length >> (8 * i));
    digest_update(digest, bytes, sizeof bytes);
}

void digest_field(struct digest *digest, const char *name, const char *value)
{
    size_t length = strlen(name);

    add_length(digest, length);
    digest_update(digest, name, length);
    if (!value) {
        add_length(digest, UINT64_MAX);
        return;
    }
    length = strlen(value);
    add_length(digest, length);
    digest_update(digest, value, length);
}

void digest_finish(struct digest *digest, char ret_hex[DIGEST_HEX_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[SHA256_DIGEST_SIZE];

    sha256_digest(&digest->context, sizeof bytes, bytes);
    for (size_t i = 0; i < sizeof bytes; i++) {
        ret_hex[2 * i] = digits[bytes[i] >> 4];
        ret_hex[2 * i + 1] = digits[bytes[i] & 15];
    }
    ret_hex[2 * sizeof bytes] = '\0';
}

void digest_bytes(const void *bytes, size_t length, char ret_hex[DIGEST_HEX_SIZE])
{
    struct digest digest;

    digest_init(&digest);
    digest_update(&digest, bytes, length);
    digest_finish(&digest, ret_hex);
}

int digest_file(const char *path, char ret_hex[DIGEST_HEX_SIZE], struct culprit_error *error)
{
    _cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    unsigned char bytes[READ_SIZE];
    struct digest digest;

    if (fd < 0)
        return culprit_fail_errno(error, errno, "cannot open %s", path);
    digest_init(&digest);
    for (;;) {
        ssize_t got = read(fd, bytes, sizeof bytes);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return culprit_fail_errno(error, errno, "cannot read %s", path);
        if (got == 0)
            break;
        digest_update(&digest, bytes, (size_t)got);
    }
    digest_finish(&digest, ret_hex);
    return 0;
}

/* The reflected Castagnoli polynomial, four bits at a time: a table that a reader can check by
 * hand, and fast enough for result lines. Entry n is n shifted right four times, with 0x82f63b78
 * added wherever a one falls out. */
static const uint32_t crc32c_nibbles[16] = {
    0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
    0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

uint32_t crc32c(uint32_t crc, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;

    crc = ~crc;
    for (size_t i = 0; i < length; i++) {
        crc ^= at[i];
        crc = (crc >> 4) ^ crc32c_nibbles[crc & 15];
        crc = (crc >> 4) ^ crc32c_nibbles[crc & 15];
    }
    return ~crc;
}
