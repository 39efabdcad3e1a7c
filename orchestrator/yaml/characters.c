/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "yaml/characters.h"

#include <stdbool.h>
#include <stdint.h>

/* One character of well-formed UTF-8 (RFC 3629: shortest form, no surrogates, at most U+10FFFF);
 * its length in bytes, or 0. */
static size_t read_character(const unsigned char *bytes, size_t length, uint32_t *ret)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t size = bytes[0] < 0x80   ? 1
                  : bytes[0] < 0xc0 ? 0
                  : bytes[0] < 0xe0 ? 2
                  : bytes[0] < 0xf0 ? 3
                  : bytes[0] < 0xf8 ? 4
                                    : 0;
    uint32_t value;

    if (size == 0 || size > length)
        return 0;
    value = size == 1 ? bytes[0] : bytes[0] & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (bytes[i] & 0x3fu);
    }
    if (value < smallest[size] || (value >= 0xd800 && value <= 0xdfff) || value > 0x10ffff)
        return 0;
    *ret = value;
    return size;
}

static bool allowed(uint32_t character)
{
    if (character < 0x20)
        return character == '\t' || character == '\n' || character == '\r';
    if (character < 0xa0)
        return character < 0x7f;
    return character != 0x2028 && character != 0x2029 && character != 0xfeff &&
           character != 0xfffe && character != 0xffff;
}

int characters_check(const char *text, size_t length, unsigned line, unsigned column,
                     struct culprit_error *error)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t size;

    for (size_t i = 0; i < length; i += size) {
        uint32_t character;

        size = read_character(bytes + i, length - i, &character);
        if (size == 0)
            return culprit_fail_at(error, line, column, "",
                                   "the byte 0x%02x is no part of UTF-8 text", bytes[i]);
        if (!allowed(character))
            return culprit_fail_at(error, line, column, "",
                                   "the character U+%04X is not allowed: only printable text, "
                                   "tabs and line ends are",
                                   character);
        if (character == '\n') {
            line++;
            column = 1;
        } else {
            column++;
        }
    }
    return 0;
}
