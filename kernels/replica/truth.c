/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "truth.h"

#include <jansson.h>
#include <string.h>

#include "base/file.h"

static void json_decref_cleanup(json_t **value)
{
    json_decref(*value);
}

static json_t *commit_object(const struct history_record *record, unsigned number)
{
    bool none = record->effect == EFFECT_NONE;

    if (number == 0)
        return json_pack("{s:i, s:s, s:s, s:s}", "number", 0, "id", record->id, "subject",
                         record->subject, "kind", "base");
    return json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:b, s:s?}", "number", (int)number, "id",
                     record->id, "subject", record->subject, "kind", slot_kind_name(record->kind),
                     "line", record->side ? "side" : "main", "effect", effect_name(record->effect),
                     "touches_built_file", !none, "path", record->path);
}

static json_t *commit_array(const struct history_result *history)
{
    json_t *array = json_array();

    for (unsigned i = 0; array && i < history->count; i++) {
        if (json_array_append_new(array, commit_object(&history->records[i], i)) < 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *fault_object(const struct truth *truth, unsigned which)
{
    unsigned number = truth->layout->faults[which];
    const struct history_record *record = &truth->history->records[number];

    return json_pack("{s:s, s:i, s:s, s:s}", "id", record->id, "number", (int)number, "line",
                     record->side ? "side" : "main", "subject", record->subject);
}

static json_t *fault_array(const struct truth *truth)
{
    json_t *array = json_array();

    for (unsigned i = 0; array && i < truth->layout->fault_count; i++) {
        if (json_array_append_new(array, fault_object(truth, i)) < 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

int truth_write(const struct truth *truth, const char *path, struct culprit_error *error)
{
    const struct layout *layout = truth->layout;
    const struct history_record *records = truth->history->records;
    CULPRIT_CLEANUP(json_decref) json_t *root = NULL;
    _cleanup_free_ char *text = NULL;
    _cleanup_free_ char *line = NULL;

    root = json_pack("{s:s, s:s, s:s, s:I, s:i, s:s, s:s, s:o*, s:o, s:o}", "case",
                     truth->which->name, "metric", truth->which->metric, "source", truth->source,
                     "seed", (json_int_t)truth->seed, "commits", (int)layout->count, "good",
                     records[0].id, "bad", records[layout->count].id, "culprit",
                     layout->fault_count == 1 ? fault_object(truth, 0) : NULL, "faults",
                     fault_array(truth), "history", commit_array(truth->history));
    if (root)
        text = json_dumps(root, JSON_INDENT(2));
    if (text)
        line = text_format("%s\n", text);
    if (!line)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the truth");
    return file_write_atomic(path, line, strlen(line), 0644, error);
}
