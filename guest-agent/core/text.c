/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const size_t read_step = 4096;
static const size_t line_file_maximum = (size_t)1024 * 1024;

static ssize_t read_restarting(int fd, void *buffer, size_t size)
{
    ssize_t got;

    do
        got = read(fd, buffer, size);
    while (got < 0 && errno == EINTR);
    return got;
}

/* Room for at least read_step more bytes and a NUL. */
static int grow(char **text, size_t *size, size_t used)
{
    if (*size - used > read_step)
        return 0;
    size_t wanted = *size ? *size * 2 : 2 * read_step;
    char *larger = realloc(*text, wanted);
    if (!larger)
        return -ENOMEM;
    *text = larger;
    *size = wanted;
    return 0;
}

int text_read(const char *path, size_t maximum, char **ret, size_t *ret_length)
{
    _cleanup_fd_ int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;

    _cleanup_text_ char *text = NULL;
    size_t size = 0, used = 0;
    for (;;) {
        int result = grow(&text, &size, used);
        if (result < 0)
            return result;
        ssize_t got = read_restarting(fd, text + used, size - used - 1);
        if (got < 0)
            return -errno;
        if (got == 0)
            break;
        used += (size_t)got;
        if (used > maximum)
            return -EFBIG;
    }
    text[used] = '\0';
    *ret = text;
    text = NULL;
    if (ret_length)
        *ret_length = used;
    return 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

int text_read_line(const char *path, char *line, size_t size)
{
    line[0] = '\0';
    _cleanup_text_ char *text = NULL;
    int result = text_read(path, line_file_maximum, &text, NULL);
    if (!text)
        return result;

    const char *first = text;
    while (is_blank(*first))
        first++;
    size_t length = strcspn(first, "\n");
    while (length > 0 && is_blank(first[length - 1]))
        length--;
    if (length >= size)
        length = size - 1;
    memcpy(line, first, length);
    line[length] = '\0';
    return 0;
}

int text_write(const char *path, const char *text)
{
    _cleanup_fd_ int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    size_t length = strlen(text);
    ssize_t put = write(fd, text, length);
    if (put < 0)
        return -errno;
    return (size_t)put == length ? 0 : -EIO;
}

char *text_next_line(char **cursor)
{
    char *line = *cursor;
    if (!line || *line == '\0')
        return NULL;
    char *end = strchr(line, '\n');
    if (end) {
        *end = '\0';
        *cursor = end + 1;
    } else {
        *cursor = line + strlen(line);
    }
    return line;
}

char *text_next_word(char **cursor)
{
    char *word = *cursor;
    while (is_blank(*word))
        word++;
    if (*word == '\0')
        return NULL;
    char *end = word;
    while (*end && !is_blank(*end))
        end++;
    *cursor = end;
    if (*end) {
        *end = '\0';
        *cursor = end + 1;
    }
    return word;
}

bool text_unsigned(const char *text, uint64_t *ret)
{
    uint64_t value = 0;

    if (*text == '\0' || (text[0] == '0' && text[1] != '\0'))
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return false;
        uint64_t digit = (uint64_t)(*text - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *ret = value;
    return true;
}

void text_print(char *buffer, size_t size, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(buffer, size, format, arguments);
    va_end(arguments);
}

void text_freep(char **text)
{
    free(*text);
}

void text_closep(int *fd)
{
    if (*fd >= 0)
        close(*fd);
}
