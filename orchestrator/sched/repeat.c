/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The line that repeats a verdict. */
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "sched/conclusion.h"

/* What a terminal still takes as one pasted line. */
enum { LINE_MAXIMUM = 4000 };

static void set_id(json_t *source, const char *key, const struct dossier *dossier, unsigned commit)
{
    json_object_set_new(source, key, json_string(dossier->commits.items[commit].id));
}

/* What is left to be repeated: the culprit against its first parent; else the range that was
 * searched; in a run the one commit. */
static void narrow_source(json_t *source, const struct dossier *dossier,
                          const struct bisect_step *step)
{
    unsigned last = (unsigned)dossier->commits.count - 1;

    if (dossier->job->kind == JOB_RUN) {
        set_id(source, "commit", dossier, 0);
    } else if (step->verdict == VERDICT_CULPRIT) {
        set_id(source, "good", dossier, dossier->commits.items[step->culprit].parents[0]);
        set_id(source, "bad", dossier, step->culprit);
    } else {
        set_id(source, "good", dossier, 0);
        set_id(source, "bad", dossier, last);
    }
}

/* The document, with the engine that was used; whoever repeats it does not mail the first
 * recipients. */
static json_t *narrow_document(const struct dossier *dossier, const struct bisect_step *step)
{
    json_t *document = job_json(dossier->job);
    json_t *source = json_object_get(document, "source");
    json_t *guest = json_object_get(document, "guest");

    if (!source || !guest || !dossier->commits.count)
        return document;
    narrow_source(source, dossier, step);
    json_object_set_new(guest, "engine", json_string(engine_name(dossier->record.engine)));
    json_object_del(document, "notify");
    return document;
}

/* Within single quotes a shell changes nothing but the quote itself. */
static void quote(struct buffer *line, const char *text)
{
    buffer_puts(line, "'");
    for (; *text; text++) {
        if (*text == '\'')
            buffer_puts(line, "'\\''");
        else
            buffer_append(line, text, 1);
    }
    buffer_puts(line, "'");
}

static char *submit_line(const struct dossier *dossier, const struct bisect_step *step)
{
    _cleanup_buffer_ struct buffer line = BUFFER_INIT(LINE_MAXIMUM);
    json_t *document = narrow_document(dossier, step);
    _cleanup_free_ char *text = document
                                    ? json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(15))
                                    : NULL;

    json_decref(document);
    if (!text)
        return NULL;
    buffer_puts(&line, "printf %s "); /* an echo may interpret the JSON's backslashes */
    quote(&line, text);
    buffer_puts(&line, " | culprit submit --wait -");
    return buffer_take(&line);
}

char *conclusion_repeat(const struct dossier *dossier, const struct bisect_step *step)
{
    char *line = submit_line(dossier, step);

    /* Patches and whole .configs do not fit: the server still has them. */
    return line ? line : text_format("culprit rerun --wait %lld", (long long)dossier->record.id);
}
