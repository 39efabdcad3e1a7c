/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/document.h"

#include <stdarg.h>
#include <string.h>

#include "base/units.h"

static int fail_at_mark(struct culprit_error *error, yaml_mark_t mark, const char *problem,
                        const char *context)
{
    return culprit_fail_at(error, (unsigned)mark.line + 1, (unsigned)mark.column + 1, "",
                           "not valid YAML: %s%s%s", problem ? problem : "unknown problem",
                           context ? " " : "", context ? context : "");
}

static int load(yaml_parser_t *parser, struct document *document, struct culprit_error *error)
{
    if (!yaml_parser_load(parser, &document->yaml)) {
        if (parser->error == YAML_MEMORY_ERROR)
            return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to read YAML");
        return fail_at_mark(error, parser->problem_mark, parser->problem, parser->context);
    }
    document->loaded = true;

    yaml_document_t second;
    if (!yaml_parser_load(parser, &second))
        return fail_at_mark(error, parser->problem_mark, parser->problem, parser->context);
    yaml_node_t *root = yaml_document_get_root_node(&second);
    unsigned line = root ? (unsigned)root->start_mark.line + 1 : 0;
    yaml_document_delete(&second);
    if (line)
        return culprit_fail_at(error, line, 1, "", "a second document begins here; one is allowed");
    return 0;
}

int guest_document_parse(struct document *document, const char *text, size_t length,
                         struct place *ret_root, struct culprit_error *error)
{
    yaml_parser_t parser;

    *document = (struct document){0};
    if (!yaml_parser_initialize(&parser))
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory to read YAML");
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    int status = load(&parser, document, error);
    yaml_parser_delete(&parser);
    if (status < 0)
        return status;

    yaml_node_t *root = yaml_document_get_root_node(&document->yaml);
    if (!root)
        return culprit_fail_at(error, 1, 1, "", "the document is empty; a mapping was expected");
    *ret_root = (struct place){.document = document, .node = root};
    if (root->type != YAML_MAPPING_NODE)
        return place_fail(ret_root, error, "expected a mapping");
    return 0;
}

void guest_document_free(struct document *document)
{
    if (document->loaded)
        yaml_document_delete(&document->yaml);
    document->loaded = false;
}

int place_fail(const struct place *place, struct culprit_error *error, const char *format, ...)
{
    char message[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return culprit_fail_at(error, (unsigned)place->node->start_mark.line + 1,
                           (unsigned)place->node->start_mark.column + 1, place->path, "%s%s%s",
                           place->path, *place->path ? ": " : "", message);
}

static const char *kind_name(const yaml_node_t *node)
{
    switch (node->type) {
    case YAML_SCALAR_NODE:
        return "a single value";
    case YAML_SEQUENCE_NODE:
        return "a list";
    case YAML_MAPPING_NODE:
        return "a mapping";
    default:
        return "nothing";
    }
}

static yaml_node_t *node_at(const struct place *place, int index)
{
    return yaml_document_get_node(&place->document->yaml, index);
}

static struct place child(const struct place *parent, yaml_node_t *node, const char *name)
{
    struct place place = {.document = parent->document, .node = node};
    int written = snprintf(place.path, sizeof place.path, "%s%s%s", parent->path,
                           *parent->path && *name != '[' ? "." : "", name);
    if (written < 0)
        place.path[0] = '\0';
    return place;
}

static const char *scalar_of(const yaml_node_t *node)
{
    return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

static int expect_mapping(const struct place *map, struct culprit_error *error)
{
    if (map->node->type != YAML_MAPPING_NODE)
        return place_fail(map, error, "expected a mapping, found %s", kind_name(map->node));
    return 0;
}

static int check_key(const struct place *map, const yaml_node_pair_t *pair, const char *const *keys,
                     struct culprit_error *error)
{
    struct place place = child(map, node_at(map, pair->key), "");
    const char *key = scalar_of(place.node);
    size_t count = 0;

    memcpy(place.path, map->path, sizeof place.path);
    if (!key)
        return place_fail(&place, error, "a key must be a single word, found %s",
                          kind_name(place.node));
    for (; keys[count]; count++)
        if (strcmp(keys[count], key) == 0)
            break;
    if (!keys[count]) {
        const char *nearest = nearest_word(key, keys, count);
        return place_fail(&place, error, "unknown key \"%.64s\"%s%s%s", key,
                          nearest ? "; did you mean \"" : "", nearest ? nearest : "",
                          nearest ? "\"?" : "");
    }
    for (yaml_node_pair_t *other = map->node->data.mapping.pairs.start; other < pair; other++) {
        const char *earlier = scalar_of(node_at(map, other->key));
        if (earlier && strcmp(earlier, key) == 0)
            return place_fail(&place, error, "the key \"%s\" stands here a second time", key);
    }
    return 0;
}

int place_check_keys(const struct place *map, const char *const *keys, struct culprit_error *error)
{
    int status = expect_mapping(map, error);
    if (status < 0)
        return status;
    for (yaml_node_pair_t *pair = map->node->data.mapping.pairs.start;
         pair < map->node->data.mapping.pairs.top; pair++) {
        status = check_key(map, pair, keys, error);
        if (status < 0)
            return status;
    }
    return 0;
}

int place_get(const struct place *map, const char *key, bool required, struct place *ret,
              struct culprit_error *error)
{
    int status = expect_mapping(map, error);
    if (status < 0)
        return status;
    for (yaml_node_pair_t *pair = map->node->data.mapping.pairs.start;
         pair < map->node->data.mapping.pairs.top; pair++) {
        const char *found = scalar_of(node_at(map, pair->key));
        if (found && strcmp(found, key) == 0) {
            *ret = child(map, node_at(map, pair->value), key);
            return 0;
        }
    }
    if (required)
        return place_fail(map, error, "the key \"%s\" is missing", key);
    *ret = (struct place){0};
    return 0;
}

int place_count(const struct place *sequence, size_t *ret, struct culprit_error *error)
{
    if (sequence->node->type != YAML_SEQUENCE_NODE)
        return place_fail(sequence, error, "expected a list, found %s", kind_name(sequence->node));
    *ret = (size_t)(sequence->node->data.sequence.items.top -
                    sequence->node->data.sequence.items.start);
    return 0;
}

int place_item(const struct place *sequence, size_t index, struct place *ret,
               struct culprit_error *error)
{
    char name[24];
    size_t count;
    int status = place_count(sequence, &count, error);
    if (status < 0)
        return status;
    if (index >= count)
        return place_fail(sequence, error, "has no item %zu", index);
    snprintf(name, sizeof name, "[%zu]", index);
    *ret = child(sequence, node_at(sequence, sequence->node->data.sequence.items.start[index]),
                 name);
    return 0;
}

bool place_is_mapping(const struct place *place)
{
    return place->node && place->node->type == YAML_MAPPING_NODE;
}

int place_text(const struct place *place, const char **ret, struct culprit_error *error)
{
    const char *text = scalar_of(place->node);
    if (!text)
        return place_fail(place, error, "expected a single value, found %s",
                          kind_name(place->node));
    if (strlen(text) != place->node->data.scalar.length)
        return place_fail(place, error, "a NUL character is not allowed");
    *ret = text;
    return 0;
}

int place_number(const struct place *place, unsigned minimum, unsigned maximum, unsigned *ret,
                 struct culprit_error *error)
{
    const char *text;
    uint64_t value;
    struct culprit_error cause = {0};

    int status = place_text(place, &text, error);
    if (status < 0)
        return status;
    if (parse_count(text, minimum, maximum, &value, &cause) < 0)
        return place_fail(place, error, "%s", cause.message);
    *ret = (unsigned)value;
    return 0;
}

int place_flag(const struct place *place, bool *ret, struct culprit_error *error)
{
    const char *text;

    int status = place_text(place, &text, error);
    if (status < 0)
        return status;
    if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
        return place_fail(place, error, "expected true or false, found \"%.64s\"", text);
    *ret = text[0] == 't';
    return 0;
}

int place_size(const struct place *place, uint64_t *ret, struct culprit_error *error)
{
    const char *text;
    struct culprit_error cause = {0};

    int status = place_text(place, &text, error);
    if (status < 0)
        return status;
    if (parse_size(text, ret, &cause) < 0)
        return place_fail(place, error, "%s", cause.message);
    return 0;
}

int place_duration(const struct place *place, uint64_t *ret, struct culprit_error *error)
{
    const char *text;
    struct culprit_error cause = {0};

    int status = place_text(place, &text, error);
    if (status < 0)
        return status;
    if (parse_duration(text, ret, &cause) < 0)
        return place_fail(place, error, "%s", cause.message);
    return 0;
}
