/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sample files in JSON. */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "cli/commands/samples_file.h"

static const char *type_name(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "true or false";
    case JSON_NULL:
        break;
    }
    return "null";
}

/* A trial is called by a string or a whole number. */
static int read_trial(const json_t *trial, char *text, size_t size, const char **ret,
                      struct culprit_error *error)
{
    if (json_is_string(trial)) {
        *ret = json_string_value(trial);
        return 0;
    }
    if (!json_is_integer(trial))
        return culprit_fail(error, CULPRIT_INVALID,
                            "its trial is %s; a string or a whole number is allowed",
                            type_name(trial));
    snprintf(text, size, "%lld", (long long)json_integer_value(trial));
    *ret = text;
    return 0;
}

static int add_object(const json_t *object, struct samples_builder *builder,
                      struct culprit_error *error)
{
    const json_t *trial = json_object_get(object, "trial");
    const json_t *value = json_object_get(object, "value");
    const char *name = NULL;
    char text[32];
    int r;

    if (!trial || !value || json_object_size(object) != 2)
        return culprit_fail(error, CULPRIT_INVALID,
                            "an object has \"trial\" and \"value\", and nothing else");
    if (!json_is_number(value))
        return culprit_fail(error, CULPRIT_INVALID, "its value is %s, not a number",
                            type_name(value));
    r = read_trial(trial, text, sizeof text, &name, error);
    return r < 0 ? r : samples_builder_add(builder, name, json_number_value(value), error);
}

static int add_sample(const json_t *sample, bool objects, struct samples_builder *builder,
                      struct culprit_error *error)
{
    if (!json_is_object(sample) && !json_is_number(sample))
        return culprit_fail(error, CULPRIT_INVALID,
                            "%s; a number, or an object with \"trial\" and \"value\", is allowed",
                            type_name(sample));
    if (json_is_object(sample) != objects)
        return culprit_fail(error, CULPRIT_INVALID,
                            "%s, unlike those before; all samples have a trial or none has",
                            type_name(sample));
    return objects ? add_object(sample, builder, error)
                   : samples_builder_add(builder, NULL, json_number_value(sample), error);
}

static int add_samples(const char *name, const json_t *samples, struct samples_builder *builder,
                       struct culprit_error *error)
{
    bool objects = json_is_object(json_array_get(samples, 0));

    for (size_t i = 0; i < json_array_size(samples); i++) {
        int r = add_sample(json_array_get(samples, i), objects, builder, error);

        if (r < 0)
            return culprit_error_prefix(error, "%s: sample %zu", name, i + 1);
    }
    return 0;
}

int samples_json_read(const char *name, const char *text, size_t length,
                      struct samples_builder *builder, struct culprit_error *error)
{
    json_error_t where;
    json_t *document = json_loadb(text, length, JSON_REJECT_DUPLICATES, &where);
    const json_t *samples = document;
    int r;

    if (!document) {
        culprit_fail(error, CULPRIT_INVALID, "%s:%d:%d: not JSON: %s", name, where.line,
                     where.column, where.text);
        error->line = where.line > 0 ? (unsigned)where.line : 0;
        error->column = where.column > 0 ? (unsigned)where.column : 0;
        return -(int)CULPRIT_INVALID;
    }
    if (json_is_object(document))
        samples = json_object_get(document, "samples");
    if (json_is_array(samples))
        r = add_samples(name, samples, builder, error);
    else if (samples)
        r = culprit_fail(error, CULPRIT_INVALID, "%s: \"samples\" is %s, not an array", name,
                         type_name(samples));
    else
        r = culprit_fail(error, CULPRIT_INVALID, "%s: the object has no array \"samples\"", name);
    json_decref(document);
    return r;
}
