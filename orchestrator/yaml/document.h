/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A YAML document as a tree of scalars, sequences and mappings, each with its place in the text.
 *
 * Reading is strict and bounded, for the text comes from anybody: UTF-8 only, one document, no
 * tags, no duplicate keys, keys are plain words; depth, number of nodes and length of text have
 * limits, and aliases count as often as they are used, so that a small document cannot stand for
 * a large one. Scalars keep their text: what type they are is for the reader of the key to say.
 *
 * The document owns its nodes; an aliased node is reached from several places.
 */
#ifndef CULPRIT_YAML_DOCUMENT_H
#define CULPRIT_YAML_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/error.h"

enum {
    DOCUMENT_DEPTH_MAXIMUM = 16,
    DOCUMENT_NODES_MAXIMUM = 20000,  /* aliases expanded */
    DOCUMENT_MAPPING_MAXIMUM = 1024, /* keys of one mapping */
    DOCUMENT_ANCHORS_MAXIMUM = 64,
    DOCUMENT_TEXT_MAXIMUM = 2 << 20, /* bytes of all scalars, aliases expanded */
};

enum document_kind { DOCUMENT_SCALAR, DOCUMENT_SEQUENCE, DOCUMENT_MAPPING };

struct document_node {
    enum document_kind kind;
    unsigned line, column; /* 1-based; columns count characters */
    /* Scalar: UTF-8 without control characters but tab, line feed and carriage return. */
    char *text;
    bool plain; /* neither quoted nor a block: `10`, not `"10"` */
    /* Sequence: values[count]. Mapping: keys[count], which are scalars, and values[count]. */
    struct document_node **keys;
    struct document_node **values;
    size_t count;
    size_t expanded_nodes, expanded_text; /* of this node and all below it */
};

struct document;

/* INVALID with line and column; LIMIT when the text is longer than `maximum` bytes. */
int document_parse(const char *text, size_t length, size_t maximum, struct document **ret,
                   struct culprit_error *error);
void document_free(struct document *document);
DEFINE_CLEANUP(struct document *, document_free);

const struct document_node *document_root(const struct document *document);

/* The value of a key; NULL when the node is NULL, is no mapping, or lacks the key. */
const struct document_node *document_get(const struct document_node *mapping, const char *key);

/* "a text", "a list", "a mapping", "nothing": for messages. */
const char *document_describe(const struct document_node *node);

#endif
