/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs and what was done for them, as JSON. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "sched/course.h"
#include "store/events.h"
#include "store/outbox.h"

json_t *time_json(uint64_t time_ns)
{
    char text[CLOCK_TEXT_SIZE];
    return time_ns ? json_string(clock_format(time_ns, text)) : json_null();
}

static json_t *parsed(const char *text)
{
    json_t *json = text ? json_loads(text, 0, NULL) : NULL;
    return json ? json : json_null();
}

static json_t *text_json(const char *text)
{
    return text ? json_string(text) : json_null();
}

static int give(json_t *json, json_t **ret, struct culprit_error *error)
{
    if (!json)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot answer: out of memory");
    *ret = json;
    return 0;
}

/* --- jobs ---------------------------------------------------------------------------------- */

static json_t *job_summary(const struct stored_job *job)
{
    json_t *engine = job->engine == ENGINE_AUTO ? json_null() : text_json(engine_name(job->engine));

    return json_pack(
        "{s:I, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:b, s:o}", "id", (json_int_t)job->id,
        "name", job->name, "kind", job->kind, "state", job_state_name(job->state), "message",
        job->message, "verdict", text_json(job->verdict), "engine", engine, "created",
        time_json(job->created_ns), "started", time_json(job->started_ns), "finished",
        time_json(job->finished_ns), "cancelling",
        job->cancel_requested && !job_state_final(job->state), "progress", parsed(job->progress));
}

int service_job(struct service *service, int64_t id, json_t **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(stored_job_clear) struct stored_job job = {0};

    int status = store_job_get(service->options.store, id, &job, error);
    if (status < 0)
        return status;
    json_t *json = job_summary(&job);
    if (json && (json_object_set_new(json, "result", parsed(job.result)) < 0 ||
                 json_object_set_new(json, "document", parsed(job.normalised)) < 0)) {
        json_decref(json);
        json = NULL;
    }
    return give(json, ret, error);
}

static int read_filter(const struct service_filter *from, struct job_filter *ret,
                       struct culprit_error *error)
{
    enum job_state state = JOB_QUEUED;
    uint64_t before = 0;

    if (from->state && !job_state_from_name(from->state, &state))
        return culprit_fail(error, CULPRIT_INVALID,
                            "'%.40s' is not a state of a job: queued, preparing, running, done, "
                            "failed, cancelled",
                            from->state);
    if (from->cursor && parse_count(from->cursor, 1, INT64_MAX, &before, NULL) < 0)
        return culprit_fail(error, CULPRIT_INVALID, "the cursor is not one of an earlier answer");
    if (from->limit > 1000)
        return culprit_fail(error, CULPRIT_INVALID, "the limit is above 1000");
    *ret = (struct job_filter){
        .state = from->state ? (int)state : -1,
        .kind = from->kind,
        .before = (int64_t)before,
        .limit = from->limit ? from->limit : 50,
    };
    return 0;
}

int service_jobs(struct service *service, const struct service_filter *filter, json_t **ret,
                 struct culprit_error *error)
{
    CULPRIT_CLEANUP(stored_jobs_clear) struct stored_jobs jobs = {0};
    struct job_filter stored = {0};
    char next[32];

    int status = read_filter(filter, &stored, error);
    if (status < 0)
        return status;
    unsigned limit = stored.limit++; /* one more says whether there are more */
    status = store_job_list(service->options.store, &stored, &jobs, error);
    if (status < 0)
        return status;
    json_t *array = json_array();
    for (size_t i = 0; array && i < jobs.count && i < limit; i++)
        json_array_append_new(array, job_summary(&jobs.items[i]));
    if (jobs.count > limit)
        snprintf(next, sizeof next, "%lld", (long long)jobs.items[limit - 1].id);
    return give(
        json_pack("{s:o, s:o}", "jobs", array, "next", text_json(jobs.count > limit ? next : NULL)),
        ret, error);
}

int service_document(struct service *service, int64_t id, char **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(stored_job_clear) struct stored_job job = {0};

    int status = store_job_get(service->options.store, id, &job, error);
    if (status == 0)
        *ret = take(job.document);
    return status;
}

/* --- events -------------------------------------------------------------------------------- */

static json_t *event_json(const struct stored_event *event)
{
    return json_pack("{s:I, s:o, s:s, s:o}", "sequence", (json_int_t)event->sequence, "time",
                     time_json(event->time_ns), "type", event->type, "data", parsed(event->data));
}

/* Mail that still waits may bring one more event; who watches a job need not wait for that. */
int service_events(struct service *service, int64_t id, uint64_t after, unsigned limit,
                   json_t **ret, bool *ret_final, struct culprit_error *error)
{
    CULPRIT_CLEANUP(stored_job_clear) struct stored_job job = {0};
    CULPRIT_CLEANUP(stored_events_clear) struct stored_events events = {0};

    if (!limit || limit > 1000)
        limit = 1000;
    int status = store_job_get(service->options.store, id, &job, error);
    if (status == 0)
        status = store_events_get(service->options.store, id, after, limit, &events, error);
    if (status < 0)
        return status;
    json_t *array = json_array();
    for (size_t i = 0; array && i < events.count; i++)
        json_array_append_new(array, event_json(&events.items[i]));
    *ret_final = job_state_final(job.state) && events.count < limit;
    return give(array, ret, error);
}

/* --- trials -------------------------------------------------------------------------------- */

static json_t *trial_json(const struct dossier *dossier, size_t position)
{
    const struct stored_trial *trial = &dossier->trials.items[position];
    double value = trial->outcome == OUTCOME_OK && dossier_headline(dossier)
                       ? dossier->outcomes[position].value
                       : (double)NAN;

    return json_pack(
        "{s:I, s:s, s:s, s:I, s:I, s:I, s:s, s:s, s:o, s:o, s:s, s:s, s:f, s:o, s:b}", "number",
        (json_int_t)trial->number, "commit", dossier->commits.items[trial->commit].id, "purpose",
        trial->purpose, "index", (json_int_t)trial->index, "attempt", (json_int_t)trial->attempt,
        "seed", (json_int_t)trial->seed, "outcome", outcome_name(trial->outcome), "message",
        trial->message, "value", isfinite(value) ? json_real(value) : json_null(), "failed",
        trial->observed ? json_boolean(trial->failed) : json_null(), "evidence", trial->evidence,
        "digest", trial->digest, "seconds", (double)trial->wall_ns / 1e9, "finished",
        time_json(trial->finished_ns), "console", trial->console[0] != '\0');
}

int service_trials(struct service *service, int64_t id, json_t **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(dossier_clear) struct dossier dossier = {0};

    int status = dossier_load(service->options.store, id, &dossier, error);
    if (status < 0)
        return status;
    json_t *array = json_array();
    for (size_t i = 0; array && i < dossier.trials.count; i++)
        json_array_append_new(array, trial_json(&dossier, i));
    return give(array, ret, error);
}

static json_t *metrics_json(const struct dossier *dossier, size_t position)
{
    json_t *array = json_array();

    for (size_t i = dossier->first_sample[position];
         array && i < dossier->first_sample[position + 1]; i++) {
        const struct stored_sample *sample = &dossier->samples.items[i];
        json_array_append_new(
            array, json_pack("{s:s, s:s, s:s, s:f, s:I, s:b}", "name", sample->name, "unit",
                             sample->unit, "better", sample->better, "value", sample->value,
                             "index", (json_int_t)sample->index, "counter", sample->counter));
    }
    return array;
}

int service_trial(struct service *service, int64_t id, unsigned number, json_t **ret,
                  struct culprit_error *error)
{
    CULPRIT_CLEANUP(dossier_clear) struct dossier dossier = {0};

    int status = dossier_load(service->options.store, id, &dossier, error);
    if (status < 0)
        return status;
    for (size_t i = 0; i < dossier.trials.count; i++) {
        const struct stored_trial *trial = &dossier.trials.items[i];
        if (trial->number != number)
            continue;
        json_t *json = trial_json(&dossier, i);
        json_object_set_new(json, "metrics", metrics_json(&dossier, i));
        json_object_set_new(json, "identity", parsed(trial->identity));
        json_object_set_new(json, "topology", parsed(trial->topology));
        return give(json, ret, error);
    }
    return culprit_fail(error, CULPRIT_NOT_FOUND, "job %lld has no trial %u", (long long)id,
                        number);
}

int service_console(struct service *service, int64_t id, unsigned number, struct blob_reader **ret,
                    struct culprit_error *error)
{
    CULPRIT_CLEANUP(stored_trial_clear) struct stored_trial trial = {0};

    int status = store_trial_get(service->options.store, id, number, &trial, error);
    if (status < 0)
        return status;
    if (!trial.console[0])
        return culprit_fail(error, CULPRIT_NOT_FOUND,
                            "trial %u of job %lld has no console: its guest did not start", number,
                            (long long)id);
    return blobs_reader(service->options.blobs, trial.console, ret, error);
}

/* --- builds -------------------------------------------------------------------------------- */

static json_t *build_json(const struct dossier *dossier, const struct stored_build *build)
{
    return json_pack("{s:I, s:s, s:s?, s:I, s:s, s:b, s:s, s:s, s:s, s:s, s:s, s:f, s:b}", "build",
                     (json_int_t)build->id, "commit", dossier->commits.items[build->commit].id,
                     "variant", build->variant[0] ? build->variant : NULL, "attempt",
                     (json_int_t)build->attempt, "outcome", outcome_name(build->outcome), "fresh",
                     build->fresh, "message", build->message, "image", build->image, "build_id",
                     build->build_id, "release", build->release, "compiler", build->compiler,
                     "seconds", (double)build->wall_ns / 1e9, "log", build->log[0] != '\0');
}

int service_builds(struct service *service, int64_t id, json_t **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(dossier_clear) struct dossier dossier = {0};

    int status = dossier_load(service->options.store, id, &dossier, error);
    if (status < 0)
        return status;
    json_t *array = json_array();
    for (size_t i = 0; array && i < dossier.builds.count; i++)
        json_array_append_new(array, build_json(&dossier, &dossier.builds.items[i]));
    return give(array, ret, error);
}

/* One of the two files of a build. */
static int read_build_file(struct service *service, int64_t id, int64_t build, bool config,
                           struct blob_reader **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(stored_job_clear) struct stored_job job = {0};
    CULPRIT_CLEANUP(stored_builds_clear) struct stored_builds builds = {0};

    int status = store_job_get(service->options.store, id, &job, error);
    if (status == 0)
        status = store_builds_get(service->options.store, id, &builds, error);
    if (status < 0)
        return status;
    for (size_t i = 0; i < builds.count; i++) {
        const struct stored_build *item = &builds.items[i];
        const char *digest = config ? item->config : item->log;
        if (item->id == build && digest[0])
            return blobs_reader(service->options.blobs, digest, ret, error);
    }
    return culprit_fail(error, CULPRIT_NOT_FOUND, "job %lld has no %s of a build %lld",
                        (long long)id, config ? "configuration" : "log", (long long)build);
}

int service_build_log(struct service *service, int64_t id, int64_t build, struct blob_reader **ret,
                      struct culprit_error *error)
{
    return read_build_file(service, id, build, false, ret, error);
}

int service_build_config(struct service *service, int64_t id, int64_t build,
                         struct blob_reader **ret, struct culprit_error *error)
{
    return read_build_file(service, id, build, true, ret, error);
}
