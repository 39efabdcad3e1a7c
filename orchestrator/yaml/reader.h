/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the nodes of a document into structs, by tables: a mapping's table says which keys there
 * are, what each is read by, and within which limits. Every error names the place, the key's path,
 * what was found and what is allowed.
 *
 * A read function fills the field and leaves what it allocated there also when it fails: the
 * owner of the struct frees it.
 */
#ifndef CULPRIT_YAML_READER_H
#define CULPRIT_YAML_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strv.h"
#include "yaml/document.h"

struct reader {
    struct culprit_error *error;
    const void *context; /* of whoever made the reader */
    char path[256];      /* "guest.memory", "workloads[0].wakeup" */
};

struct reader_field {
    const char *key;
    /* Reads a node into the field at `target`. */
    int (*read)(struct reader *reader, const struct document_node *node,
                const struct reader_field *field, void *target);
    size_t offset;             /* of the field in the mapping's struct */
    uint64_t minimum, maximum; /* of the value, the text's length or the list's count */
    bool required;
};

/* Fails at a node, with the reader's path. */
int reader_fail(struct reader *reader, const struct document_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fails with what a parser said of the node's text. */
int reader_fail_with(struct reader *reader, const struct document_node *node,
                     const struct culprit_error *inner);

/* Fails with `found` as not one of `words`, the nearest of them, and all of them. */
int reader_fail_choice(struct reader *reader, const struct document_node *node, const char *what,
                       const char *found, const char *const *words, size_t count);

int reader_fail_memory(struct reader *reader);

/* Goes down to a key ("memory") or an item ("[0]"), and back. */
size_t reader_enter(struct reader *reader, const char *key);
size_t reader_enter_item(struct reader *reader, size_t index);
void reader_leave(struct reader *reader, size_t mark);

/* A mapping by its table into the struct at `target`. */
int reader_mapping(struct reader *reader, const struct document_node *node,
                   const struct reader_field *fields, size_t count, void *target);

/* The text of a scalar that is not nothing; NULL after an error. */
const char *reader_scalar(struct reader *reader, const struct document_node *node,
                          const char *expected);

/* The text of a scalar that must stand without quotes, as numbers do; NULL after an error. */
const char *reader_plain(struct reader *reader, const struct document_node *node,
                         const char *expected);

/* One of `words`, as its place among them; `what` is what they are, for messages. */
int reader_choice(struct reader *reader, const struct document_node *node, const char *what,
                  const char *const *words, size_t count, size_t *ret);

int reader_real(struct reader *reader, const struct document_node *node, double minimum,
                double maximum, double *ret);

int reader_check_list(struct reader *reader, const struct document_node *node, uint64_t minimum,
                      uint64_t maximum);

/* Read functions for tables. */
#define READER_TYPE(name)                                             \
    int name(struct reader *reader, const struct document_node *node, \
             const struct reader_field *field, void *target)
READER_TYPE(read_unsigned); /* unsigned */
READER_TYPE(read_u64);      /* uint64_t */
READER_TYPE(read_size);     /* uint64_t, bytes */
READER_TYPE(read_duration); /* uint64_t, nanoseconds */
READER_TYPE(read_boolean);  /* bool */
READER_TYPE(read_word);     /* char *: one line, printable, without spaces; limits: length */
READER_TYPE(read_words);    /* struct strv of those, no two equal; limits: count */
READER_TYPE(read_line);     /* char *: one line, spaces allowed; limits: length */
READER_TYPE(read_block);    /* char *: text of several lines; limits: length */

#endif
