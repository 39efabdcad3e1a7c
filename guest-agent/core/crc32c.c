/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/crc32c.h"

/* The reflected polynomial. Four bits a step need a table of sixteen words only: records are
 * few, and a large table would be cold for each. */
#define POLYNOMIAL UINT32_C(0x82f63b78)

#define STEP(crc)   (((crc) >> 1) ^ (((crc)&1) ? POLYNOMIAL : 0))
#define NIBBLE(crc) STEP(STEP(STEP(STEP(UINT32_C(crc)))))

static const uint32_t table[16] = {
    NIBBLE(0), NIBBLE(1), NIBBLE(2),  NIBBLE(3),  NIBBLE(4),  NIBBLE(5),  NIBBLE(6),  NIBBLE(7),
    NIBBLE(8), NIBBLE(9), NIBBLE(10), NIBBLE(11), NIBBLE(12), NIBBLE(13), NIBBLE(14), NIBBLE(15),
};

uint32_t crc32c_update(uint32_t crc, const void *bytes, size_t length)
{
    const unsigned char *byte = bytes;

    crc = ~crc;
    for (size_t i = 0; i < length; i++) {
        crc ^= byte[i];
        crc = (crc >> 4) ^ table[crc & 15];
        crc = (crc >> 4) ^ table[crc & 15];
    }
    return ~crc;
}
