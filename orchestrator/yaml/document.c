/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "yaml/document.h"

#include <stdlib.h>
#include <string.h>

#include "yaml/tree.h"

static int no_memory(struct culprit_error *error)
{
    return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the document");
}

int document_add(struct document *document, enum document_kind kind, unsigned line, unsigned column,
                 struct document_node **ret, struct culprit_error *error)
{
    if (document->count == document->capacity) {
        size_t capacity = document->capacity ? document->capacity * 2 : 64;
        struct document_node **nodes = reallocarray(document->nodes, capacity, sizeof(void *));

        if (!nodes)
            return no_memory(error);
        document->nodes = nodes;
        document->capacity = capacity;
    }
    struct document_node *node = calloc(1, sizeof *node);
    if (!node)
        return no_memory(error);
    document->nodes[document->count++] = node;
    node->kind = kind;
    node->line = line;
    node->column = column;
    node->expanded_nodes = 1;
    *ret = node;
    return 0;
}

/* Room for one more child; the arrays grow at powers of two. */
static bool make_room(struct document_node *parent, bool with_keys)
{
    if (parent->count & (parent->count - 1))
        return true;
    size_t capacity = parent->count ? parent->count * 2 : 1;
    struct document_node **values = reallocarray(parent->values, capacity, sizeof(void *));
    if (!values)
        return false;
    parent->values = values;
    if (!with_keys)
        return true;
    struct document_node **keys = reallocarray(parent->keys, capacity, sizeof(void *));
    if (!keys)
        return false;
    parent->keys = keys;
    return true;
}

int document_append(struct document_node *parent, struct document_node *key,
                    struct document_node *value, unsigned line, unsigned column,
                    struct culprit_error *error)
{
    if (!make_room(parent, key != NULL))
        return no_memory(error);
    parent->values[parent->count] = value;
    if (key)
        parent->keys[parent->count] = key;
    parent->count++;
    parent->expanded_nodes += value->expanded_nodes + (key != NULL);
    parent->expanded_text += value->expanded_text + (key ? key->expanded_text : 0);
    if (parent->expanded_nodes > DOCUMENT_NODES_MAXIMUM)
        return culprit_fail_at(error, line, column, "",
                               "the document has more than %d values (aliases count each time)",
                               DOCUMENT_NODES_MAXIMUM);
    if (parent->expanded_text > DOCUMENT_TEXT_MAXIMUM)
        return culprit_fail_at(error, line, column, "",
                               "the document's text is longer than %d bytes (aliases count each "
                               "time)",
                               DOCUMENT_TEXT_MAXIMUM);
    return 0;
}

void document_free(struct document *document)
{
    if (!document)
        return;
    for (size_t i = 0; i < document->count; i++) {
        free(document->nodes[i]->text);
        free(document->nodes[i]->keys);
        free(document->nodes[i]->values);
        free(document->nodes[i]);
    }
    free(document->nodes);
    free(document);
}

const struct document_node *document_root(const struct document *document)
{
    return document->root;
}

const struct document_node *document_get(const struct document_node *mapping, const char *key)
{
    if (!mapping || mapping->kind != DOCUMENT_MAPPING)
        return NULL;
    for (size_t i = 0; i < mapping->count; i++)
        if (strcmp(mapping->keys[i]->text, key) == 0)
            return mapping->values[i];
    return NULL;
}

const char *document_describe(const struct document_node *node)
{
    switch (node->kind) {
    case DOCUMENT_SEQUENCE:
        return "a list";
    case DOCUMENT_MAPPING:
        return "a mapping";
    default:
        return node->plain && node->text[0] == '\0' ? "nothing" : "a text";
    }
}
