/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From libyaml's events to the tree. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "yaml/characters.h"
#include "yaml/tree.h"

struct anchor {
    char *name;
    struct document_node *node;
    bool complete; /* false while the node is being read: an alias to it would be a circle */
};

struct loader {
    yaml_parser_t parser;
    yaml_event_t event; /* the current one, when `pending` */
    bool pending;
    struct document *document;
    struct anchor anchors[DOCUMENT_ANCHORS_MAXIMUM];
    size_t anchor_count;
    struct culprit_error *error;
};

static int load_node(struct loader *loader, unsigned depth, struct document_node **ret);

static unsigned place(size_t zero_based)
{
    return zero_based >= UINT32_MAX ? UINT32_MAX : (unsigned)zero_based + 1;
}

#define fail_mark(loader, mark, ...) \
    culprit_fail_at((loader)->error, place((mark).line), place((mark).column), "", __VA_ARGS__)

static int fail_memory(struct loader *loader)
{
    return culprit_fail(loader->error, CULPRIT_NO_MEMORY, "no memory for the document");
}

static int fail_syntax(struct loader *loader)
{
    const yaml_parser_t *parser = &loader->parser;

    if (parser->error == YAML_MEMORY_ERROR)
        return fail_memory(loader);
    if (parser->context)
        return fail_mark(loader, parser->problem_mark,
                         "this is not YAML: %s (%s that begins at line %u)",
                         parser->problem ? parser->problem : "syntax error", parser->context,
                         place(parser->context_mark.line));
    return fail_mark(loader, parser->problem_mark, "this is not YAML: %s",
                     parser->problem ? parser->problem : "syntax error");
}

static int next_event(struct loader *loader)
{
    if (loader->pending)
        yaml_event_delete(&loader->event);
    loader->pending = yaml_parser_parse(&loader->parser, &loader->event);
    return loader->pending ? 0 : fail_syntax(loader);
}

static int new_node(struct loader *loader, enum document_kind kind, struct document_node **ret)
{
    yaml_mark_t mark = loader->event.start_mark;

    return document_add(loader->document, kind, place(mark.line), place(mark.column), ret,
                        loader->error);
}

static int append(struct loader *loader, struct document_node *parent, struct document_node *key,
                  struct document_node *value)
{
    yaml_mark_t mark = loader->event.start_mark;

    return document_append(parent, key, value, place(mark.line), place(mark.column), loader->error);
}

static struct anchor *find_anchor(struct loader *loader, const char *name)
{
    for (size_t i = 0; i < loader->anchor_count; i++)
        if (strcmp(loader->anchors[i].name, name) == 0)
            return &loader->anchors[i];
    return NULL;
}

/* Remembers a node's anchor, if it has one; *ret_anchor is then the one to complete. */
static int add_anchor(struct loader *loader, const yaml_char_t *name, struct document_node *node,
                      struct anchor **ret_anchor)
{
    struct anchor *anchor;

    *ret_anchor = NULL;
    if (!name)
        return 0;
    if (find_anchor(loader, (const char *)name))
        return culprit_fail_at(loader->error, node->line, node->column, "",
                               "the anchor &%.64s is defined twice", (const char *)name);
    if (loader->anchor_count == DOCUMENT_ANCHORS_MAXIMUM)
        return culprit_fail_at(loader->error, node->line, node->column, "",
                               "the document has more than %d anchors", DOCUMENT_ANCHORS_MAXIMUM);
    anchor = &loader->anchors[loader->anchor_count];
    anchor->name = strdup((const char *)name);
    if (!anchor->name)
        return fail_memory(loader);
    anchor->node = node;
    loader->anchor_count++;
    *ret_anchor = anchor;
    return 0;
}

static int load_alias(struct loader *loader, struct document_node **ret)
{
    const char *name = (const char *)loader->event.data.alias.anchor;
    const struct anchor *anchor = find_anchor(loader, name);

    if (!anchor)
        return fail_mark(loader, loader->event.start_mark,
                         "the alias *%.64s has no anchor before it", name);
    if (!anchor->complete)
        return fail_mark(loader, loader->event.start_mark, "the alias *%.64s stands within itself",
                         name);
    *ret = anchor->node;
    return 0;
}

static int refuse_tag(struct loader *loader, const yaml_char_t *tag)
{
    if (!tag)
        return 0;
    return fail_mark(loader, loader->event.start_mark,
                     "the tag %.64s is not allowed: what type a value has follows from its key",
                     (const char *)tag);
}

static int load_scalar(struct loader *loader, struct document_node **ret)
{
    const yaml_event_t *event = &loader->event;
    size_t length = event->data.scalar.length;
    struct document_node *node;
    struct anchor *anchor;
    int r = refuse_tag(loader, event->data.scalar.tag);

    if (r == 0)
        r = characters_check((const char *)event->data.scalar.value, length,
                             place(event->start_mark.line), place(event->start_mark.column),
                             loader->error);
    if (r == 0)
        r = new_node(loader, DOCUMENT_SCALAR, &node);
    if (r < 0)
        return r;
    node->text = strndup((const char *)event->data.scalar.value, length);
    if (!node->text)
        return fail_memory(loader);
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    node->expanded_text = length;
    r = add_anchor(loader, event->data.scalar.anchor, node, &anchor);
    if (r == 0 && anchor)
        anchor->complete = true;
    *ret = node;
    return r;
}

static int load_items(struct loader *loader, unsigned depth, struct document_node *sequence)
{
    for (;;) {
        struct document_node *value = NULL;
        int r = next_event(loader);

        if (r < 0 || loader->event.type == YAML_SEQUENCE_END_EVENT)
            return r;
        r = load_node(loader, depth + 1, &value);
        if (r == 0)
            r = append(loader, sequence, NULL, value);
        if (r < 0)
            return r;
    }
}

static int check_key(struct loader *loader, const struct document_node *mapping,
                     const struct document_node *key)
{
    if (mapping->count == DOCUMENT_MAPPING_MAXIMUM)
        return culprit_fail_at(loader->error, key->line, key->column, "",
                               "the mapping that begins at line %u has more than %d keys",
                               mapping->line, DOCUMENT_MAPPING_MAXIMUM);
    for (size_t i = 0; i < mapping->count; i++)
        if (strcmp(mapping->keys[i]->text, key->text) == 0)
            return culprit_fail_at(loader->error, key->line, key->column, key->text,
                                   "the key \"%.64s\" is given twice, first at line %u", key->text,
                                   mapping->keys[i]->line);
    return 0;
}

static int load_key(struct loader *loader, const struct document_node *mapping,
                    struct document_node **ret)
{
    int r;

    if (loader->event.type != YAML_SCALAR_EVENT)
        return fail_mark(loader, loader->event.start_mark, "a key must be a plain word");
    r = load_scalar(loader, ret);
    if (r == 0 && (*ret)->plain && strcmp((*ret)->text, "<<") == 0)
        return fail_mark(loader, loader->event.start_mark, "merge keys (<<) are not allowed");
    return r < 0 ? r : check_key(loader, mapping, *ret);
}

static int load_pairs(struct loader *loader, unsigned depth, struct document_node *mapping)
{
    for (;;) {
        struct document_node *key = NULL, *value = NULL;
        int r = next_event(loader);

        if (r < 0 || loader->event.type == YAML_MAPPING_END_EVENT)
            return r;
        r = load_key(loader, mapping, &key);
        if (r == 0)
            r = next_event(loader);
        if (r == 0)
            r = load_node(loader, depth + 1, &value);
        if (r == 0)
            r = append(loader, mapping, key, value);
        if (r < 0)
            return r;
    }
}

static int load_collection(struct loader *loader, unsigned depth, struct document_node **ret)
{
    bool mapping = loader->event.type == YAML_MAPPING_START_EVENT;
    const yaml_event_t *event = &loader->event;
    struct document_node *node;
    struct anchor *anchor;
    int r = refuse_tag(loader,
                       mapping ? event->data.mapping_start.tag : event->data.sequence_start.tag);

    if (r < 0)
        return r;
    if (depth > DOCUMENT_DEPTH_MAXIMUM)
        return fail_mark(loader, event->start_mark, "the document is nested deeper than %d levels",
                         DOCUMENT_DEPTH_MAXIMUM);
    r = new_node(loader, mapping ? DOCUMENT_MAPPING : DOCUMENT_SEQUENCE, &node);
    if (r == 0)
        r = add_anchor(
            loader, mapping ? event->data.mapping_start.anchor : event->data.sequence_start.anchor,
            node, &anchor);
    if (r == 0)
        r = mapping ? load_pairs(loader, depth, node) : load_items(loader, depth, node);
    if (r < 0)
        return r;
    if (anchor)
        anchor->complete = true;
    *ret = node;
    return 0;
}

/* Reads the node that the current event begins. */
static int load_node(struct loader *loader, unsigned depth, struct document_node **ret)
{
    switch (loader->event.type) {
    case YAML_SCALAR_EVENT:
        return load_scalar(loader, ret);
    case YAML_ALIAS_EVENT:
        return load_alias(loader, ret);
    default:
        return load_collection(loader, depth, ret);
    }
}

static int load_document(struct loader *loader)
{
    int r = next_event(loader); /* the stream's start */

    if (r == 0)
        r = next_event(loader);
    if (r < 0)
        return r;
    if (loader->event.type == YAML_STREAM_END_EVENT)
        return culprit_fail_at(loader->error, 1, 1, "", "the document is empty");
    r = next_event(loader);
    if (r == 0)
        r = load_node(loader, 1, &loader->document->root);
    if (r == 0)
        r = next_event(loader); /* the document's end */
    if (r == 0)
        r = next_event(loader);
    if (r == 0 && loader->event.type != YAML_STREAM_END_EVENT)
        return fail_mark(loader, loader->event.start_mark,
                         "a second document begins here; only one is allowed");
    return r;
}

static void loader_clear(struct loader *loader)
{
    if (loader->pending)
        yaml_event_delete(&loader->event);
    for (size_t i = 0; i < loader->anchor_count; i++)
        free(loader->anchors[i].name);
    yaml_parser_delete(&loader->parser);
}

int document_parse(const char *text, size_t length, size_t maximum, struct document **ret,
                   struct culprit_error *error)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    CULPRIT_CLEANUP(document_free) struct document *document = NULL;
    struct loader loader = {.error = error};
    int r;

    if (length > maximum)
        return culprit_fail(error, CULPRIT_LIMIT,
                            "the document is %zu bytes long; at most %zu are allowed", length,
                            maximum);
    if (length >= 3 && memcmp(text, byte_order_mark, 3) == 0) {
        text += 3;
        length -= 3;
    }
    r = characters_check(text, length, 1, 1, error);
    if (r < 0)
        return r;
    document = calloc(1, sizeof *document);
    if (!document || !yaml_parser_initialize(&loader.parser))
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the document");
    yaml_parser_set_encoding(&loader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&loader.parser, (const unsigned char *)text, length);
    loader.document = document;
    r = load_document(&loader);
    loader_clear(&loader);
    if (r < 0)
        return r;
    *ret = take(document);
    return 0;
}
