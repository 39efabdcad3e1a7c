/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "notify/envelope.h"

#include <stdbool.h>
#include <string.h>

#include "base/buffer.h"

enum {
    ADDRESS_MAXIMUM = 254 /* RFC 5321, section 4.5.3.1.3 */,
    MESSAGE_MAXIMUM = 32 * 1024 * 1024
};

static bool is_address(const char *text, size_t length)
{
    const char *at = memchr(text, '@', length);

    if (!at || at == text || at == text + length - 1 || length > ADDRESS_MAXIMUM)
        return false;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] <= 0x20 || (unsigned char)text[i] >= 0x7f ||
            strchr("<>()[]\\,;:\"", text[i]))
            return false;
    return true;
}

static bool has_control(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            return true;
    return false;
}

int envelope_address(const char *mailbox, char **ret, struct culprit_error *error)
{
    const char *open = mailbox ? strrchr(mailbox, '<') : NULL;
    const char *start = open ? open + 1 : mailbox ? mailbox : "";
    size_t length = open ? strcspn(start, ">") : strlen(start);

    if (!is_address(start, length) || (open && strcmp(start + length, ">") != 0) ||
        has_control(mailbox))
        return culprit_fail(error, CULPRIT_INVALID, "\"%.200s\" is no mail address",
                            mailbox ? mailbox : "");
    *ret = strndup(start, length);
    return *ret ? 0 : culprit_fail(error, CULPRIT_NO_MEMORY, "cannot hold an address: no memory");
}

int envelope_message(const char *message, char **ret, size_t *ret_length,
                     struct culprit_error *error)
{
    _cleanup_buffer_ struct buffer out = BUFFER_INIT(MESSAGE_MAXIMUM);
    int r;

    while (*message) {
        size_t length = strcspn(message, "\r\n");

        buffer_append(&out, message, length);
        buffer_puts(&out, "\r\n");
        message += length;
        message += message[0] == '\r' && message[1] == '\n' ? 2 : message[0] != '\0';
    }
    r = buffer_status(&out, "the message", error);
    if (r < 0)
        return r;
    *ret_length = out.length;
    *ret = buffer_take(&out);
    return *ret ? 0 : culprit_fail(error, CULPRIT_NO_MEMORY, "cannot hold the message: no memory");
}
