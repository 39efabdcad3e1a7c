/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes are a job or an error with a message; a job written as JSON is the same job again. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job/job.h"

static char *to_json(const struct job *job)
{
    json_t *json = job_json(job);
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

    json_decref(json);
    return text;
}

static void check_round_trip(const struct job *job)
{
    CULPRIT_CLEANUP(job_free) struct job *again = NULL;
    struct culprit_error error = {0};
    _cleanup_free_ char *one = to_json(job);
    _cleanup_free_ char *two = NULL;

    if (!one || job_decode(one, strlen(one), NULL, &again, &error) < 0) {
        fprintf(stderr, "%u:%u: %s\n%s\n", error.line, error.column, error.message,
                one ? one : "no JSON");
        abort();
    }
    two = to_json(again);
    if (!two || strcmp(one, two) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CULPRIT_CLEANUP(job_free) struct job *job = NULL;
    struct culprit_error error = {0};

    if (job_decode((const char *)data, size, NULL, &job, &error) == 0)
        check_round_trip(job);
    else if (error.code == CULPRIT_OK || !error.message[0] || job)
        abort();
    return 0;
}
