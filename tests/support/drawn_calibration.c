/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "drawn_calibration.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"

enum { TRIALS = 40, COMPARISONS = 100 };

static struct job *decode(const char *text)
{
    struct culprit_error error = {0};
    struct job *job = NULL;

    if (job_decode(text, strlen(text), NULL, &job, &error) < 0)
        fail_msg("the calibration's job: line %u: %s", error.line, error.message);
    return job;
}

static double *draw(const struct drawn_calibration *drawn, size_t count)
{
    double *values = calloc(count, sizeof *values);
    struct random random;

    random_seed(&random, drawn->seed);
    for (size_t i = 0; values && i < count; i++)
        values[i] = drawn->level + drawn->spread * random_normal(&random);
    return values;
}

struct calibration_record *drawn_calibration_record(const struct drawn_calibration *drawn)
{
    struct calibration_options options = CALIBRATION_OPTIONS_DEFAULT;
    struct calibration_record *record = calloc(1, sizeof *record);
    struct job *job = decode(drawn->job);
    size_t trials = drawn->trials ? drawn->trials : TRIALS;
    struct culprit_error error = {0};

    options.comparisons = COMPARISONS;
    record->setup = calibration_setup(job, job->guest.engine, (unsigned)job->guest.shift,
                                      job->guest.memory);
    calibration_setup_digest(record->setup, record->setup_digest);
    record->metric = strdup(job->metric.name);
    record->unit = strdup(drawn->unit);
    record->better = job->metric.better;
    record->kernel = strdup("6.1.192");
    digest_bytes("kernel", 6, record->kernel_digest);
    record->host = strdup("test");
    record->first_seed = 1;
    record->values = draw(drawn, trials);
    job_free(job);
    if (calibration_make(record->values, trials, &options, &record->figures, &error) < 0)
        fail_msg("no calibration: %s", error.message);
    return record;
}

char *drawn_calibration_document(const struct drawn_calibration *drawn)
{
    struct calibration_record *record = drawn_calibration_record(drawn);
    json_t *json = calibration_json(record);
    char *text = json_dumps(json, JSON_COMPACT);

    json_decref(json);
    calibration_record_free(record);
    assert_non_null(text);
    return text;
}
