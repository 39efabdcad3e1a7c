/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "relevance/relevance.h"

void recording_clear(struct recording *recording)
{
    for (size_t c = 0; recording->images && c < recording->commits.count; c++)
        free(recording->images[c].values);
    free(recording->images);
    free(recording->digests);
    free(recording->build_seconds);
    free(recording->document);
    stored_commits_clear(&recording->commits);
    stored_pruning_clear(&recording->pruning);
    job_free(recording->job);
    json_decref(recording->root);
    *recording = (struct recording){0};
}

static int no_memory(struct culprit_error *error)
{
    return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the recording");
}

static int read_parents(const json_t *parents, size_t number, struct stored_commit *ret,
                        struct culprit_error *error)
{
    ret->parent_count = (unsigned)json_array_size(parents);
    ret->parents = calloc(ret->parent_count + 1, sizeof *ret->parents);
    if (!ret->parents)
        return no_memory(error);
    for (unsigned p = 0; p < ret->parent_count; p++) {
        json_int_t parent = json_integer_value(json_array_get(parents, p));

        if (parent < 0 || (size_t)parent >= number)
            return culprit_fail(error, CULPRIT_INVALID, "commit %zu comes before its parent",
                                number);
        ret->parents[p] = (unsigned)parent;
    }
    return 0;
}

static int read_relevance(struct recording *recording, const json_t *commit, unsigned number,
                          struct culprit_error *error)
{
    const char *word = json_string_value(json_object_get(commit, "relevance"));
    struct stored_pruned *pruned = &recording->pruning.items[recording->pruning.count];
    enum relevance relevance;

    if (!word || !relevance_from_name(word, &relevance))
        return culprit_fail(error, CULPRIT_INVALID, "commit %u has no relevance", number);
    if (relevance == RELEVANCE_MATTERS)
        return 0;
    pruned->commit = number;
    snprintf(pruned->reason, sizeof pruned->reason, "%s", word);
    recording->pruning.count++;
    return 0;
}

static int read_image(struct recording *recording, const json_t *commit, size_t number,
                      struct culprit_error *error)
{
    const char *digest = json_string_value(json_object_get(commit, "image"));
    const json_t *image = json_object_get(json_object_get(recording->root, "images"),
                                          digest ? digest : "");
    const json_t *values = json_object_get(image, "values");
    struct recorded_image *ret = &recording->images[number];

    recording->digests[number] = digest;
    if (!digest)
        return 0;
    ret->seconds = json_number_value(json_object_get(image, "seconds"));
    ret->values = calloc(json_array_size(values) + 1, sizeof *ret->values);
    if (!ret->values)
        return no_memory(error);
    for (; ret->count < json_array_size(values); ret->count++) {
        const json_t *value = json_array_get(values, ret->count);

        if (!json_is_number(value))
            return culprit_fail(error, CULPRIT_INVALID, "a value of commit %zu is no number",
                                number);
        ret->values[ret->count] = json_number_value(value);
    }
    if (ret->count == 0)
        return culprit_fail(error, CULPRIT_INVALID, "no trial of commit %zu was recorded", number);
    return 0;
}

static int read_commit(struct recording *recording, const json_t *commit, size_t number,
                       struct culprit_error *error)
{
    struct stored_commit *ret = &recording->commits.items[number];
    const char *id = json_string_value(json_object_get(commit, "id"));
    int r = read_parents(json_object_get(commit, "parents"), number, ret, error);

    if (r < 0)
        return r;
    ret->number = (unsigned)number;
    snprintf(ret->id, sizeof ret->id, "%s", id ? id : "");
    ret->subject = strdup("recorded");
    ret->author = strdup("A <a@example.org>");
    recording->build_seconds[number] = json_number_value(json_object_get(commit, "seconds"));
    if (!ret->subject || !ret->author)
        return no_memory(error);
    r = read_relevance(recording, commit, (unsigned)number, error);
    return r < 0 ? r : read_image(recording, commit, number, error);
}

static int read_commits(struct recording *recording, struct culprit_error *error)
{
    const json_t *commits = json_object_get(recording->root, "commits");
    size_t count = json_array_size(commits);
    int r = 0;

    recording->commits.items = calloc(count + 1, sizeof *recording->commits.items);
    recording->pruning.items = calloc(count + 1, sizeof *recording->pruning.items);
    recording->images = calloc(count + 1, sizeof *recording->images);
    recording->digests = calloc(count + 1, sizeof *recording->digests);
    recording->build_seconds = calloc(count + 1, sizeof *recording->build_seconds);
    recording->pruning.note = strdup("");
    recording->pruning.known = true;
    if (!recording->commits.items || !recording->pruning.items || !recording->images ||
        !recording->digests || !recording->build_seconds || !recording->pruning.note)
        return no_memory(error);
    recording->commits.count = count;
    for (size_t c = 0; r == 0 && c < count; c++)
        r = read_commit(recording, json_array_get(commits, c), c, error);
    return r;
}

/* The job as it is bisected over again: no kernel was recorded that could confirm a verdict. */
static int write_document(struct recording *recording, struct culprit_error *error)
{
    json_t *json;

    recording->job->confirm = (struct job_confirm){.alignment = false, .revert = false};
    json = job_json(recording->job);
    recording->document = json ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    return recording->document ? 0 : no_memory(error);
}

int recording_read(FILE *stream, struct recording *ret, struct culprit_error *error)
{
    const char *document;
    json_error_t where;
    int r;

    ret->root = json_loadf(stream, 0, &where);
    document = json_string_value(json_object_get(ret->root, "job"));
    if (!document)
        return culprit_fail(error, CULPRIT_INVALID, "the recording cannot be read: %s",
                            ret->root ? "it has no job" : where.text);
    r = job_decode(document, strlen(document), NULL, &ret->job, error);
    if (r == 0 && (ret->job->kind != JOB_BISECT || !ret->job->metric.name))
        r = culprit_fail(error, CULPRIT_INVALID, "the job is no bisection of a metric");
    if (r == 0)
        r = write_document(ret, error);
    return r < 0 ? r : read_commits(ret, error);
}
