/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/calibrations.h"

#include <string.h>

#include "calibration/record.h"
#include "sched/course.h"
#include "store/calibrations.h"

/* --- of jobs ------------------------------------------------------------------------------- */

/* NULL where the job has no setup that could have been calibrated: *ret_setup is "" then. */
static int setup_of(const struct catalogue *catalogue, const struct job *job, enum engine engine,
                    unsigned shift, char ret_setup[DIGEST_HEX_SIZE], struct culprit_error *error)
{
    const struct topology *topology = catalogue_topology(catalogue, job->guest.topology);
    json_t *setup;
    bool done;

    ret_setup[0] = '\0';
    if (!topology || !job->metric.name)
        return 0;
    setup = calibration_setup(job, engine, shift,
                              job->guest.memory ? job->guest.memory : topology->memory);
    done = setup && calibration_setup_digest(setup, ret_setup);
    json_decref(setup);
    return done ? 0
                : culprit_fail(error, CULPRIT_NO_MEMORY,
                               "cannot look for a calibration: out of memory");
}

/* The document with its number in it, for reports. */
static char *numbered(const struct stored_calibration *stored)
{
    json_t *document = json_loads(stored->document, 0, NULL);
    char *text = NULL;

    if (document && json_object_set_new(document, "id", json_integer(stored->id)) == 0)
        text = json_dumps(document, JSON_COMPACT);
    json_decref(document);
    return text;
}

int calibration_attach(struct store *store, const struct catalogue *catalogue, int64_t id,
                       const struct job *job, enum engine engine, unsigned shift,
                       struct culprit_error *error)
{
    CULPRIT_CLEANUP(stored_calibration_clear) struct stored_calibration found = {0};
    _cleanup_free_ char *document = NULL;
    char setup[DIGEST_HEX_SIZE];

    int status = setup_of(catalogue, job, engine, shift, setup, error);
    if (status < 0)
        return status;
    status = *setup ? store_calibration_find(store, setup, job->metric.name, &found, error)
                    : -CULPRIT_NOT_FOUND;
    if (status == -CULPRIT_NOT_FOUND)
        return store_job_calibration_set(store, id, NULL, error);
    if (status < 0)
        return status;
    document = numbered(&found);
    if (!document)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot copy a calibration: out of memory");
    return store_job_calibration_set(store, id, document, error);
}

int calibration_inherit(struct store *store, int64_t from, int64_t to, struct culprit_error *error)
{
    _cleanup_free_ char *document = NULL;
    bool known;

    int status = store_job_calibration_get(store, from, &known, &document, error);
    return status < 0 || !document ? status : store_job_calibration_set(store, to, document, error);
}

/* --- of the service ------------------------------------------------------------------------ */

int service_calibration_add(struct service *service, const char *document, size_t length,
                            int64_t *ret_id, struct culprit_error *error)
{
    CULPRIT_CLEANUP(calibration_record_free) struct calibration_record *record = NULL;
    struct stored_calibration draft = {0};
    _cleanup_free_ char *text = NULL;
    json_t *json;

    int status = calibration_decode(
        document, length, catalogue_environment(service->options.catalogue), &record, error);
    if (status < 0)
        return status;
    json = calibration_json(record);
    text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    if (!text)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot keep the calibration: out of memory");
    memcpy(draft.setup, record->setup_digest, sizeof draft.setup);
    draft.metric = record->metric;
    draft.document = text;
    return store_calibration_put(service->options.store, &draft, ret_id, error);
}

/* As it was put in, with its number and its time; without values in a list. */
static int answer(const struct stored_calibration *stored, bool whole, json_t **ret,
                  struct culprit_error *error)
{
    json_t *json = json_loads(stored->document, 0, NULL);

    if (!json)
        return culprit_fail(error, CULPRIT_INTERNAL, "the store's calibration %lld is no JSON",
                            (long long)stored->id);
    if (!whole)
        json_object_del(json, "values");
    json_object_set_new(json, "id", json_integer(stored->id));
    json_object_set_new(json, "created", time_json(stored->created_ns));
    *ret = json;
    return 0;
}

int service_calibration(struct service *service, int64_t id, json_t **ret,
                        struct culprit_error *error)
{
    CULPRIT_CLEANUP(stored_calibration_clear) struct stored_calibration stored = {0};

    int status = store_calibration_get(service->options.store, id, &stored, error);
    return status < 0 ? status : answer(&stored, true, ret, error);
}

int service_calibrations(struct service *service, json_t **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(stored_calibrations_clear) struct stored_calibrations list = {0};
    json_t *array = json_array();

    int status = store_calibrations_list(service->options.store, &list, error);
    for (size_t i = 0; status == 0 && i < list.count; i++) {
        json_t *item = NULL;

        status = answer(&list.items[i], false, &item, error);
        if (status == 0)
            json_array_append_new(array, item);
    }
    if (status < 0)
        json_decref(array);
    else
        *ret = array;
    return status;
}

int service_calibration_remove(struct service *service, int64_t id, struct culprit_error *error)
{
    return store_calibration_remove(service->options.store, id, error);
}
