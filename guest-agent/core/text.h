/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small files of /proc, /sys and /culprit as text, and numbers read from them. Functions that can
 * fail return 0 or a negative errno.
 */
#ifndef CULPRIT_AGENT_TEXT_H
#define CULPRIT_AGENT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The whole file with a NUL behind it; -EFBIG beyond `maximum` bytes. The caller frees *ret.
 * ret_length may be NULL. */
int text_read(const char *path, size_t maximum, char **ret, size_t *ret_length);

/* One short line without its newline and the blanks around it; cut to `size` - 1 bytes. On
 * failure `line` is "". */
int text_read_line(const char *path, char *line, size_t size);

/* Writes `text` with a single write(), as files of /proc and /sys want it. */
int text_write(const char *path, const char *text);

/* The next line of `*cursor`, ended there by a NUL in place of its newline; NULL when none is
 * left. `*cursor` moves on. */
char *text_next_line(char **cursor);

/* The next word of `*cursor`, ended by a NUL; blanks separate words. NULL when none is left. */
char *text_next_word(char **cursor);

/* Digits only, the whole of `text`, at most 2^64-1; no sign, no blank, no leading zero. */
bool text_unsigned(const char *text, uint64_t *ret);

/* printf into a fixed buffer; text that does not fit is cut. */
__attribute__((format(printf, 3, 4))) void text_print(char *buffer, size_t size, const char *format,
                                                      ...);

void text_freep(char **text);
#define _cleanup_text_ __attribute__((cleanup(text_freep)))

void text_closep(int *fd);
#define _cleanup_fd_ __attribute__((cleanup(text_closep)))

#endif
