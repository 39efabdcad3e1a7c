/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Strict reading of a YAML document: known keys only, each at most once, values of the asked kind.
 * Every message carries line and column, the key's path, what was found and what is allowed.
 * Internal to the guest layer. Nodes belong to the document.
 */
#ifndef CULPRIT_GUEST_DOCUMENT_H
#define CULPRIT_GUEST_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yaml.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/strv.h"

struct document {
    yaml_document_t yaml;
    bool loaded;
};

/* A node and the path by which it was reached ("cpus.sockets"). */
struct place {
    struct document *document;
    yaml_node_t *node; /* NULL: an optional key that is not there */
    char path[96];
};

/* Exactly one document whose root is a mapping. `text` may go away afterwards. */
int guest_document_parse(struct document *document, const char *text, size_t length,
                         struct place *ret_root, struct culprit_error *error);
void guest_document_free(struct document *document);

static inline void guest_document_free_cleanup(struct document *document)
{
    guest_document_free(document);
}

/* Fails at the place's line and column. */
int place_fail(const struct place *place, struct culprit_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The place must be a mapping with no other keys than these (NULL-terminated). */
int place_check_keys(const struct place *map, const char *const *keys, struct culprit_error *error);

/* The value of a key; ret->node is NULL when it is not there and `required` is false. */
int place_get(const struct place *map, const char *key, bool required, struct place *ret,
              struct culprit_error *error);

/* The place must be a sequence. */
int place_count(const struct place *sequence, size_t *ret, struct culprit_error *error);
int place_item(const struct place *sequence, size_t index, struct place *ret,
               struct culprit_error *error);
bool place_is_mapping(const struct place *place);

/* Scalars. text: borrowed from the document. */
int place_text(const struct place *place, const char **ret, struct culprit_error *error);
int place_number(const struct place *place, unsigned minimum, unsigned maximum, unsigned *ret,
                 struct culprit_error *error);
int place_flag(const struct place *place, bool *ret, struct culprit_error *error);
int place_size(const struct place *place, uint64_t *ret, struct culprit_error *error);
int place_duration(const struct place *place, uint64_t *ret, struct culprit_error *error);

#endif
