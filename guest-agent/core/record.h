/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the records of docs/guest-protocol.md: one JSON object a line, numbered, guarded by a
 * CRC-32C. A record is begun, filled member by member and finished; nothing is written before it
 * is finished. Errors stick: after the first one nothing more is written, and record_error() says
 * what it was, so that callers need to check once. Not thread-safe. Does not own its descriptor.
 */
#ifndef CULPRIT_AGENT_RECORD_H
#define CULPRIT_AGENT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RECORD_LINE_MAXIMUM = 4096, /* bytes of a line, newline included */
    RECORD_TEXT_MAXIMUM = 1024, /* escaped bytes of the text of a log or failure record */
};

struct record_writer {
    int fd;
    uint64_t count;  /* records written */
    uint32_t digest; /* CRC-32C over the lines of measured values */
    int error;       /* 0, or the negative errno that ended writing */
    bool measured;   /* the record under construction counts in the digest */
    size_t used;
    char line[RECORD_LINE_MAXIMUM];
};

void record_writer_init(struct record_writer *writer, int fd);
int record_error(const struct record_writer *writer);

void record_begin(struct record_writer *writer, const char *type);
void record_unsigned(struct record_writer *writer, const char *name, uint64_t value);
void record_signed(struct record_writer *writer, const char *name, int64_t value);
/* The shortest decimal that reads back as the same double; `value` must be finite. */
void record_number(struct record_writer *writer, const char *name, double value);
/* ASCII: what is not is escaped as UTF-16, and what is no UTF-8 becomes U+FFFD. At most `maximum`
 * bytes once escaped: the rest is cut off. */
void record_text(struct record_writer *writer, const char *name, const char *text, size_t maximum);
/* An array of pairs; record_pair() gives false, and adds nothing, when the line is full. */
void record_pairs_begin(struct record_writer *writer, const char *name);
bool record_pair(struct record_writer *writer, uint64_t first, uint64_t second);
void record_pairs_end(struct record_writer *writer);
void record_finish(struct record_writer *writer);

/* Whole records. */
void record_log(struct record_writer *writer, const char *text);
void record_end(struct record_writer *writer);

#endif
