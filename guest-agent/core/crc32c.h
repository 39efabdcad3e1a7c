/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CRC-32C (Castagnoli, RFC 3720 appendix B.4), which guards every record.
 */
#ifndef CULPRIT_AGENT_CRC32C_H
#define CULPRIT_AGENT_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Start with 0; feed the result back in to continue. "123456789" gives 0xe3069283. */
uint32_t crc32c_update(uint32_t crc, const void *bytes, size_t length);

#endif
