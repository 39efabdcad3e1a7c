/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a document grows: what the loader builds it with. Internal to the yaml layer. Places are
 * those that an error is put down to. */
#ifndef CULPRIT_YAML_TREE_H
#define CULPRIT_YAML_TREE_H

#include "yaml/document.h"

struct document {
    struct document_node *root;
    struct document_node **nodes; /* all of them, for release */
    size_t count, capacity;
};

/* A node without text or children; it belongs to the document. NO_MEMORY. */
int document_add(struct document *document, enum document_kind kind, unsigned line, unsigned column,
                 struct document_node **ret, struct culprit_error *error);

/* Appends a child to a sequence (`key` is NULL) or a mapping, and counts what it stands for.
 * INVALID past the limits on values and text; NO_MEMORY. */
int document_append(struct document_node *parent, struct document_node *key,
                    struct document_node *value, unsigned line, unsigned column,
                    struct culprit_error *error);

#endif
