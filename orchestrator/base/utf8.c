/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/utf8.h"

#include <stdbool.h>
#include <stddef.h>

static bool continues(unsigned char byte)
{
    return (byte & 0xc0) == 0x80;
}

/* How many bytes the character takes that begins here; 0: it is none. The ranges of the second
 * byte are those of RFC 3629, section 4. The text's NUL continues nothing, so no read passes it. */
static size_t character_length(const unsigned char *at)
{
    unsigned char low = 0x80, high = 0xbf;
    size_t length;

    if (at[0] < 0x80)
        return 1;
    if (at[0] >= 0xc2 && at[0] <= 0xdf)
        length = 2;
    else if (at[0] >= 0xe0 && at[0] <= 0xef)
        length = 3;
    else if (at[0] >= 0xf0 && at[0] <= 0xf4)
        length = 4;
    else
        return 0;
    if (at[0] == 0xe0)
        low = 0xa0;
    else if (at[0] == 0xed)
        high = 0x9f;
    else if (at[0] == 0xf0)
        low = 0x90;
    else if (at[0] == 0xf4)
        high = 0x8f;
    if (at[1] < low || at[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++) {
        if (!continues(at[i]))
            return 0;
    }
    return length;
}

void utf8_repair(char *text)
{
    if (!text)
        return;
    for (unsigned char *at = (unsigned char *)text; *at;) {
        size_t length = character_length(at);
        if (!length)
            *at = '?';
        at += length ? length : 1;
    }
}
