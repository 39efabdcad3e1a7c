/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/mime.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

#include "report/layout.h"

enum {
    FIELD_MAXIMUM = 16 * 1024,
    ENCODED_WORD = 75,     /* RFC 2047, section 2 */
    QUOTED_PRINTABLE = 76, /* RFC 2045, section 6.7 */
};

static bool is_ascii(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] >= 0x80)
            return false;
    return true;
}

/* A field being written: where its line is. */
struct field {
    struct buffer *out;
    size_t column;
};

/* A token that must not be broken; on a new line where it does not fit. */
static void put_token(struct field *field, const char *token, size_t length, bool space)
{
    if (space && field->column + 1 + length > MIME_LINE) {
        buffer_puts(field->out, "\r\n ");
        field->column = 1;
    } else if (space) {
        buffer_puts(field->out, " ");
        field->column++;
    }
    buffer_append(field->out, token, length);
    field->column += length;
}

static size_t character_length(const char *text)
{
    size_t length = 1;

    while (((unsigned char)text[length] & 0xc0) == 0x80)
        length++;
    return length;
}

/* "=C3": three characters and the NUL. */
static size_t put_hex(unsigned char byte, char ret[4])
{
    return (size_t)snprintf(ret, 4, "=%02X", byte);
}

/* One character in the Q encoding; alphanumerics stand for themselves in every kind of field. */
static size_t q_encode(const char *text, size_t length, char ret[16])
{
    size_t written = 0;

    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (isascii(byte) && isalnum(byte))
            ret[written++] = (char)byte;
        else if (byte == ' ')
            ret[written++] = '_';
        else
            written += put_hex(byte, ret + written);
    }
    return written;
}

/* Text as encoded words; a character is never divided between two. */
static void put_encoded(struct field *field, const char *text, size_t length)
{
    static const char opening[] = "=?UTF-8?Q?";
    const char *end = text + length;

    while (text < end) {
        char word[ENCODED_WORD + 1];
        size_t used = sizeof opening - 1;

        memcpy(word, opening, used);
        while (text < end) {
            char encoded[16];
            size_t character = character_length(text), width = q_encode(text, character, encoded);

            if (used + width + 2 > ENCODED_WORD)
                break;
            memcpy(word + used, encoded, width);
            used += width;
            text += character;
        }
        memcpy(word + used, "?=", 2);
        put_token(field, word, used + 2, true);
    }
}

/* From the first word that is not ASCII to the last: blanks between encoded words would be lost, so
 * they are encoded with them. */
static void put_words(struct field *field, const char *text)
{
    const char *first = NULL, *last = NULL;

    for (const char *at = text; *at;) {
        size_t length = strcspn(at, " ");
        if (!is_ascii(at, length) || (length >= 2 && strncmp(at, "=?", 2) == 0)) {
            first = first ? first : at;
            last = at + length;
        }
        at += length;
        at += strspn(at, " ");
    }
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, " ");
        if (at == first) {
            put_encoded(field, first, (size_t)(last - first));
            at = last;
        } else {
            put_token(field, at, length, true);
            at += length;
        }
        at += strspn(at, " ");
    }
}

static void begin_field(struct field *field, struct buffer *out, const char *name)
{
    buffer_printf(out, "%s:", name);
    *field = (struct field){.out = out, .column = strlen(name) + 1};
}

void mime_header(struct buffer *out, const char *name, const char *text)
{
    _cleanup_buffer_ struct buffer clean = BUFFER_INIT(FIELD_MAXIMUM);
    struct field field;

    layout_clean(&clean, text);
    begin_field(&field, out, name);
    put_words(&field, clean.data ? clean.data : "");
    buffer_puts(out, "\r\n");
}

static bool is_address(const char *text, size_t length)
{
    const char *at = memchr(text, '@', length);

    if (!at || at == text || at == text + length - 1 || length > 254 ||
        memchr(at + 1, '@', (size_t)(text + length - at - 1)))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isascii((unsigned char)text[i]) || !isgraph((unsigned char)text[i]) ||
            strchr("<>()[]\\,;:\"", text[i]))
            return false;
    return true;
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

static size_t trimmed_length(const char *text, size_t length)
{
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    return length;
}

/* A display name as atoms, as a quoted string, or encoded: whichever it needs. */
static void put_display_name(struct field *field, const char *name, size_t length)
{
    _cleanup_buffer_ struct buffer raw = BUFFER_INIT(FIELD_MAXIMUM),
                                   clean = BUFFER_INIT(FIELD_MAXIMUM);
    _cleanup_buffer_ struct buffer quoted = BUFFER_INIT(FIELD_MAXIMUM);

    if (length >= 2 && name[0] == '"' && name[length - 1] == '"') {
        name++;
        length -= 2;
    }
    buffer_append(&raw, name, length);
    layout_clean(&clean, raw.data ? raw.data : "");
    if (clean.length == 0)
        return;
    if (!is_ascii(clean.data, clean.length)) {
        put_encoded(field, clean.data, clean.length);
        return;
    }
    if (strspn(clean.data, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_'") ==
        clean.length) {
        put_words(field, clean.data);
        return;
    }
    buffer_puts(&quoted, "\"");
    for (size_t i = 0; i < clean.length; i++)
        buffer_printf(&quoted, "%s%c", strchr("\"\\", clean.data[i]) ? "\\" : "", clean.data[i]);
    buffer_puts(&quoted, "\"");
    put_token(field, quoted.data ? quoted.data : "", quoted.length, true);
}

static int put_mailbox(struct field *field, const char *mailbox, bool more,
                       struct culprit_error *error)
{
    const char *text = skip_blanks(mailbox), *open = strrchr(text, '<');
    const char *address = open ? open + 1 : text;
    size_t length = open ? strcspn(address, ">") : trimmed_length(text, strlen(text));
    _cleanup_buffer_ struct buffer token = BUFFER_INIT(FIELD_MAXIMUM);

    if (!is_address(address, length) || (open && *skip_blanks(address + length + 1) != '\0'))
        return culprit_fail(error, CULPRIT_INVALID, "\"%.200s\" is no mail address", mailbox);
    if (open)
        put_display_name(field, text, trimmed_length(text, (size_t)(open - text)));
    buffer_printf(&token, "%s%.*s%s%s", open ? "<" : "", (int)length, address, open ? ">" : "",
                  more ? "," : "");
    put_token(field, token.data ? token.data : "", token.length, true);
    return 0;
}

int mime_mailboxes(struct buffer *out, const char *name, const char *const *mailboxes, size_t count,
                   struct culprit_error *error)
{
    struct field field;

    begin_field(&field, out, name);
    for (size_t i = 0; i < count; i++) {
        int r = put_mailbox(&field, mailboxes[i], i + 1 < count, error);
        if (r < 0)
            return r;
    }
    buffer_puts(out, "\r\n");
    return 0;
}

void mime_date(struct buffer *out, uint64_t seconds)
{
    static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    time_t when = (time_t)seconds;
    struct tm utc;

    if (!gmtime_r(&when, &utc))
        return;
    buffer_printf(out, "Date: %s, %02d %s %04d %02d:%02d:%02d +0000\r\n", days[utc.tm_wday],
                  utc.tm_mday, months[utc.tm_mon], utc.tm_year + 1900, utc.tm_hour, utc.tm_min,
                  utc.tm_sec);
}

static bool is_plain(const char *text)
{
    for (; *text; text += *text == '\n') {
        size_t length = strcspn(text, "\n");
        if (length > MIME_LINE_HARD)
            return false;
        for (size_t i = 0; i < length; i++)
            if ((unsigned char)text[i] < 0x20 || (unsigned char)text[i] >= 0x7f)
                return false;
        text += length;
    }
    return true;
}

/* A byte of a line; a blank at the line's end must be encoded, it would be trimmed on the way. */
static size_t quote_byte(unsigned char byte, bool last, char ret[4])
{
    bool plain = (byte > 0x20 && byte < 0x7f && byte != '=') || (byte == ' ' && !last);

    if (plain) {
        ret[0] = (char)byte;
        return 1;
    }
    return put_hex(byte, ret);
}

static void quote_line(struct buffer *out, const char *line, size_t length)
{
    size_t column = 0;

    for (size_t i = 0; i < length; i++) {
        char quoted[4];
        size_t width = quote_byte((unsigned char)line[i], i + 1 == length, quoted);

        if (column + width > QUOTED_PRINTABLE - 1) {
            buffer_puts(out, "=\r\n");
            column = 0;
        }
        buffer_append(out, quoted, width);
        column += width;
    }
    buffer_puts(out, "\r\n");
}

void mime_text(struct buffer *out, const char *text)
{
    bool plain = is_plain(text);

    buffer_printf(out, "Content-Transfer-Encoding: %s\r\n\r\n",
                  plain ? "7bit" : "quoted-printable");
    while (*text) {
        size_t length = strcspn(text, "\n");

        if (plain) {
            buffer_append(out, text, length);
            buffer_puts(out, "\r\n");
        } else {
            quote_line(out, text, length);
        }
        text += length + (text[length] == '\n');
    }
}
