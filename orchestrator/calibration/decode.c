/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record from its document, which came from outside. */
#include "calibration/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A member that has to be there, by its path. */
static const json_t *need(const json_t *object, const char *where, json_type type,
                          struct culprit_error *error)
{
    const char *dot = strrchr(where, '.');
    const json_t *value = json_object_get(object, dot ? dot + 1 : where);
    bool right = value &&
                 (json_typeof(value) == type || (type == JSON_REAL && json_is_number(value)) ||
                  (type == JSON_TRUE && json_is_boolean(value)));

    if (!right)
        culprit_fail_at(error, 0, 0, where, "%s is %s", where,
                        value ? "not of the right kind" : "missing");
    return right ? value : NULL;
}

static int need_count(const json_t *object, const char *where, json_int_t minimum,
                      json_int_t maximum, json_int_t *ret, struct culprit_error *error)
{
    const json_t *value = need(object, where, JSON_INTEGER, error);

    if (!value)
        return -CULPRIT_INVALID;
    *ret = json_integer_value(value);
    if (*ret < minimum || *ret > maximum)
        return culprit_fail_at(error, 0, 0, where,
                               "%s is %" JSON_INTEGER_FORMAT ", not from %" JSON_INTEGER_FORMAT
                               " to %" JSON_INTEGER_FORMAT,
                               where, *ret, minimum, maximum);
    return 0;
}

static int need_real(const json_t *object, const char *where, double minimum, double maximum,
                     double *ret, struct culprit_error *error)
{
    const json_t *value = need(object, where, JSON_REAL, error);

    if (!value)
        return -CULPRIT_INVALID;
    *ret = json_number_value(value);
    if (!(*ret >= minimum && *ret <= maximum))
        return culprit_fail_at(error, 0, 0, where, "%s is %g, not from %g to %g", where, *ret,
                               minimum, maximum);
    return 0;
}

/* One line of text, which is shown to people. */
static int need_line(const json_t *object, const char *where, char **ret,
                     struct culprit_error *error)
{
    const json_t *value = need(object, where, JSON_STRING, error);
    const char *text = json_string_value(value);

    if (!value)
        return -CULPRIT_INVALID;
    if (json_string_length(value) != strlen(text) || strlen(text) > CALIBRATION_NAME_MAXIMUM)
        return culprit_fail_at(error, 0, 0, where, "%s is longer than %d bytes, or holds a NUL",
                               where, CALIBRATION_NAME_MAXIMUM);
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return culprit_fail_at(error, 0, 0, where, "%s holds a control character", where);
    *ret = strdup(text);
    return *ret ? 0 : culprit_fail(error, CULPRIT_NO_MEMORY, "cannot read %s: no memory", where);
}

static int need_digest(const json_t *object, const char *where, char ret[DIGEST_HEX_SIZE],
                       struct culprit_error *error)
{
    const json_t *value = need(object, where, JSON_STRING, error);
    const char *text = json_string_value(value);

    if (!value)
        return -CULPRIT_INVALID;
    if (strlen(text) != DIGEST_HEX_SIZE - 1 ||
        strspn(text, "0123456789abcdef") != DIGEST_HEX_SIZE - 1)
        return culprit_fail_at(error, 0, 0, where, "%s is not a SHA-256 in hexadecimal digits",
                               where);
    memcpy(ret, text, DIGEST_HEX_SIZE);
    return 0;
}

static int check_keys(const json_t *object, const char *const *known, size_t count,
                      struct culprit_error *error)
{
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)(uintptr_t)object, key, value) {
        size_t i = 0;

        while (i < count && strcmp(known[i], key) != 0)
            i++;
        if (i == count)
            return culprit_fail_at(error, 0, 0, "", "unknown key \"%.64s\"", key);
    }
    return 0;
}

/* A job that measures this metric in this setup: what is allowed for a job, and no more, is allowed
 * for a calibration. */
static char *as_job(const json_t *root, const struct calibration_record *record)
{
    const json_t *setup = json_object_get(root, "setup");
    json_t *job = json_pack("{s:i, s:s, s:s, s:{s:s, s:s}, s:O?, s:O?, s:{s:s, s:s}}", "version", 1,
                            "name", "calibration", "kind", "run", "source", "repository", "any",
                            "commit", "any", "guest", json_object_get(setup, "guest"), "workloads",
                            json_object_get(setup, "workloads"), "metric", "name", record->metric,
                            "better", record->better == BETTER_LOWER ? "lower" : "higher");
    char *text = job ? json_dumps(job, JSON_COMPACT) : NULL;

    json_decref(job);
    return text;
}

/* Everything that a job may leave open stands in a setup. */
static int check_resolved(const struct job *job, struct culprit_error *error)
{
    if (job->guest.engine != ENGINE_REALTIME && job->guest.engine != ENGINE_DETERMINISTIC)
        return culprit_fail_at(error, 0, 0, "setup.guest.engine",
                               "a calibration is of the realtime or of the deterministic engine");
    if (job->guest.engine == ENGINE_DETERMINISTIC && job->guest.shift < 0)
        return culprit_fail_at(error, 0, 0, "setup.guest.shift", "setup.guest.shift is missing");
    if (job->guest.memory == 0)
        return culprit_fail_at(error, 0, 0, "setup.guest.memory", "setup.guest.memory is missing");
    return 0;
}

static int read_setup(const json_t *root, const struct job_environment *environment,
                      struct calibration_record *record, struct culprit_error *error)
{
    CULPRIT_CLEANUP(job_free) struct job *job = NULL;
    struct job_environment known = environment ? *environment : (struct job_environment){0};
    _cleanup_free_ char *text = NULL;
    int r;

    if (!need(root, "setup", JSON_OBJECT, error))
        return -CULPRIT_INVALID;
    text = as_job(root, record);
    if (!text)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot read the setup: no memory");
    known.repositories = NULL;
    known.fragments = NULL;
    r = job_decode(text, strlen(text), &known, &job, error);
    if (r < 0 && error)
        error->line = error->column = 0; /* of another document */
    if (r == 0)
        r = check_resolved(job, error);
    if (r < 0)
        return r;
    record->setup = calibration_setup(job, job->guest.engine,
                                      job->guest.shift < 0 ? 0 : (unsigned)job->guest.shift,
                                      job->guest.memory);
    if (!record->setup || !calibration_setup_digest(record->setup, record->setup_digest))
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot read the setup: no memory");
    return 0;
}

static int read_metric(const json_t *root, struct calibration_record *record,
                       struct culprit_error *error)
{
    const json_t *metric = need(root, "metric", JSON_OBJECT, error);
    const json_t *better;
    int r;

    if (!metric)
        return -CULPRIT_INVALID;
    r = need_line(metric, "metric.name", &record->metric, error);
    if (r == 0)
        r = need_line(metric, "metric.unit", &record->unit, error);
    if (r < 0)
        return r;
    better = need(metric, "metric.better", JSON_STRING, error);
    if (!better)
        return -CULPRIT_INVALID;
    if (strcmp(json_string_value(better), "lower") == 0)
        record->better = BETTER_LOWER;
    else if (strcmp(json_string_value(better), "higher") == 0)
        record->better = BETTER_HIGHER;
    else
        return culprit_fail_at(error, 0, 0, "metric.better",
                               "metric.better is neither lower nor higher");
    return 0;
}

static int read_origin(const json_t *root, struct calibration_record *record,
                       struct culprit_error *error)
{
    const json_t *kernel = need(root, "kernel", JSON_OBJECT, error);
    json_int_t seed = 0, failed = 0;
    int r = kernel ? 0 : -CULPRIT_INVALID;

    if (r == 0)
        r = need_line(kernel, "kernel.release", &record->kernel, error);
    if (r == 0)
        r = need_digest(kernel, "kernel.digest", record->kernel_digest, error);
    if (r == 0)
        r = need_line(root, "host", &record->host, error);
    if (r == 0)
        r = need_count(root, "seed", 0, INT64_MAX, &seed, error);
    if (r == 0)
        r = need_count(root, "failed", 0, SAMPLES_MAXIMUM, &failed, error);
    record->first_seed = (uint64_t)seed;
    record->failed = (unsigned)failed;
    return r;
}

static int read_values(const json_t *root, struct calibration_record *record, size_t *ret_count,
                       struct culprit_error *error)
{
    const json_t *values = need(root, "values", JSON_ARRAY, error);
    size_t count = json_array_size(values);

    if (!values)
        return -CULPRIT_INVALID;
    if (count < CALIBRATION_TRIALS_MINIMUM || count > SAMPLES_MAXIMUM)
        return culprit_fail_at(error, 0, 0, "values", "%zu values are not from %d to %d", count,
                               CALIBRATION_TRIALS_MINIMUM, SAMPLES_MAXIMUM);
    record->values = calloc(count, sizeof *record->values);
    if (!record->values)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot hold %zu values: no memory", count);
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(values, i);

        if (!json_is_number(value))
            return culprit_fail_at(error, 0, 0, "values", "value %zu is not a number", i + 1);
        record->values[i] = json_number_value(value);
    }
    *ret_count = count;
    return 0;
}

static int read_decisions(const json_t *object, size_t comparisons, struct calibration_size *ret,
                          struct culprit_error *error)
{
    const json_t *band = need(object, "figures.sizes.band", JSON_ARRAY, error);
    json_int_t positives = 0, lower, upper;
    int r;

    if (!band)
        return -CULPRIT_INVALID;
    lower = json_integer_value(json_array_get(band, 0));
    upper = json_integer_value(json_array_get(band, 1));
    if (json_array_size(band) != 2 || lower < 0 || upper < lower || upper > (json_int_t)comparisons)
        return culprit_fail_at(error, 0, 0, "figures.sizes.band",
                               "figures.sizes.band is not two counts of comparisons");
    r = need_count(object, "figures.sizes.false_positives", 0, (json_int_t)comparisons, &positives,
                   error);
    if (r == 0)
        r = need_real(object, "figures.sizes.detectable", 0, 1e300, &ret->detectable, error);
    ret->false_positives = (size_t)positives;
    ret->band_lower = (size_t)lower;
    ret->band_upper = (size_t)upper;
    return r;
}

static int read_size(const json_t *object, size_t place, struct calibration *figures,
                     struct culprit_error *error)
{
    struct calibration_size *size = &figures->sizes[place];
    const json_t *can_decide;
    json_int_t trials = 0;
    int r = need_count(object, "figures.sizes.n", (json_int_t)calibration_sizes[place],
                       (json_int_t)calibration_sizes[place], &trials, error);

    if (r == 0)
        r = need_real(object, "figures.sizes.interval", 0, 1e300, &size->interval, error);
    if (r < 0)
        return r;
    size->trials = (size_t)trials;
    can_decide = need(object, "figures.sizes.can_decide", JSON_TRUE, error);
    if (!can_decide)
        return -CULPRIT_INVALID;
    size->can_decide = json_is_true(can_decide);
    return size->can_decide ? read_decisions(object, figures->options.comparisons, size, error) : 0;
}

static int read_sizes(const json_t *object, struct calibration *figures,
                      struct culprit_error *error)
{
    const json_t *sizes = need(object, "figures.sizes", JSON_ARRAY, error);
    size_t count = json_array_size(sizes), carried = 0;

    while (carried < CALIBRATION_SIZES && 2 * calibration_sizes[carried] <= figures->summary.count)
        carried++;
    if (!sizes)
        return -CULPRIT_INVALID;
    if (count != carried)
        return culprit_fail_at(error, 0, 0, "figures.sizes",
                               "%zu trials carry %zu sizes, and figures.sizes has %zu",
                               figures->summary.count, carried, count);
    for (size_t i = 0; i < count; i++) {
        int r = read_size(json_array_get(sizes, i), i, figures, error);

        if (r < 0)
            return r;
    }
    figures->size_count = count;
    return 0;
}

static int read_figures(const json_t *root, size_t count, struct calibration_record *record,
                        struct culprit_error *error)
{
    struct calibration_options options = {0};
    const json_t *object = need(root, "figures", JSON_OBJECT, error);
    json_int_t comparisons = 0, seed = 0;
    int r = object ? 0 : -CULPRIT_INVALID;

    if (r == 0)
        r = need_real(object, "figures.alpha", 0.001, 0.5, &options.alpha, error);
    if (r == 0)
        r = need_real(object, "figures.threshold", 0, 10, &options.threshold, error);
    if (r == 0)
        r = need_count(object, "figures.comparisons", CALIBRATION_COMPARISONS_MINIMUM,
                       CALIBRATION_COMPARISONS_MAXIMUM, &comparisons, error);
    if (r == 0)
        r = need_count(object, "figures.seed", 0, INT64_MAX, &seed, error);
    if (r < 0)
        return r;
    options.comparisons = (size_t)comparisons;
    options.seed = (uint64_t)seed;
    r = calibration_begin(record->values, count, &options, &record->figures, error);
    return r < 0 ? r : read_sizes(object, &record->figures, error);
}

static int read_record(const json_t *root, const struct job_environment *environment,
                       struct calibration_record *record, struct culprit_error *error)
{
    static const char *const keys[] = {"version", "setup",  "metric",  "kernel", "host",   "seed",
                                       "failed",  "values", "figures", "id",     "created"};
    json_int_t version;
    size_t count = 0;
    int r = check_keys(root, keys, sizeof keys / sizeof *keys, error);

    if (r == 0)
        r = need_count(root, "version", 1, 1, &version, error);
    record->id = json_integer_value(json_object_get(root, "id"));
    if (r == 0)
        r = read_metric(root, record, error);
    if (r == 0)
        r = read_setup(root, environment, record, error);
    if (r == 0)
        r = read_origin(root, record, error);
    if (r == 0)
        r = read_values(root, record, &count, error);
    return r < 0 ? r : read_figures(root, count, record, error);
}

int calibration_decode(const char *text, size_t length, const struct job_environment *environment,
                       struct calibration_record **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(calibration_record_free)
    struct calibration_record *record = calloc(1, sizeof *record);
    json_error_t place;
    json_t *root;
    int r;

    if (!record)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot read the calibration: no memory");
    if (length > CALIBRATION_DOCUMENT_MAXIMUM)
        return culprit_fail(error, CULPRIT_LIMIT, "a calibration has at most %d bytes, not %zu",
                            CALIBRATION_DOCUMENT_MAXIMUM, length);
    root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &place);
    if (!root)
        return culprit_fail_at(error, (unsigned)place.line, (unsigned)place.column, "",
                               "the calibration is no JSON: %s", place.text);
    r = json_is_object(root)
            ? read_record(root, environment, record, error)
            : culprit_fail(error, CULPRIT_INVALID, "a calibration is a JSON object");
    json_decref(root);
    if (r < 0)
        return r;
    *ret = take(record);
    return 0;
}
