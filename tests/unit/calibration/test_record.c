/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calibrations as documents: there and back, of which jobs they speak, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "drawn_calibration.h"

#define COUNT(array_) (sizeof(array_) / sizeof *(array_))

#define JOB(guest_, workload_)                    \
    "version: 1\n"                                \
    "name: a\n"                                   \
    "kind: run\n"                                 \
    "source: {repository: linux, commit: v6.1}\n" \
    "guest: {topology: pair, " guest_ "}\n"       \
    "workloads: [{wakeup: {" workload_ "}}]\n"    \
    "metric: {name: wakeup.latency.p99}\n"

#define GUEST "engine: deterministic, shift: 1, memory: 512MiB"

static const struct drawn_calibration drawn = {
    .job = JOB(GUEST, "runtime: 1s"), .unit = "us", .level = 1000, .spread = 40, .seed = 1};

static struct culprit_error error;

static struct calibration_record *decode(const char *text)
{
    struct calibration_record *record = NULL;

    if (calibration_decode(text, strlen(text), NULL, &record, &error) < 0)
        fail_msg("not decoded: %s: %s", error.where, error.message);
    return record;
}

static void test_there_and_back(void **state)
{
    _cleanup_free_ char *text = drawn_calibration_document(&drawn);
    CULPRIT_CLEANUP(calibration_record_free) struct calibration_record *record = decode(text);
    json_t *again = calibration_json(record);
    _cleanup_free_ char *same = json_dumps(again, JSON_COMPACT);

    (void)state;
    json_decref(again);
    assert_string_equal(text, same);
    assert_int_equal(record->figures.summary.count, 40);
    assert_int_equal(record->figures.size_count, 4);
    assert_true(record->figures.summary.robust_scale > 30);
    assert_string_equal(record->metric, "wakeup.latency.p99");
}

static void digest_of(const char *job_text, enum engine engine, unsigned shift, uint64_t memory,
                      char ret[DIGEST_HEX_SIZE])
{
    CULPRIT_CLEANUP(job_free) struct job *job = NULL;
    json_t *setup;

    if (job_decode(job_text, strlen(job_text), NULL, &job, &error) < 0)
        fail_msg("%s", error.message);
    setup = calibration_setup(job, engine, shift, memory);
    assert_true(calibration_setup_digest(setup, ret));
    json_decref(setup);
}

/* It speaks of all jobs that boot the same guest for the same work, however they write it. */
static void test_which_jobs_it_speaks_of(void **state)
{
    static const struct {
        const char *what, *job;
        unsigned shift;
        bool same;
    } cases[] = {
        {"itself", JOB(GUEST, "runtime: 1s"), 1, true},
        {"left to the topology", JOB("image: minimal", "runtime: 1s"), 1, true},
        {"in other words", JOB("engine: auto, memory: 512MiB", "runtime: 1000ms, workers: 16"), 1,
         true},
        {"another shift", JOB("image: minimal", "runtime: 1s"), 2, false},
        {"another runtime", JOB(GUEST, "runtime: 2s"), 1, false},
        {"another command line", JOB(GUEST ", cmdline: [nohz=off]", "runtime: 1s"), 1, false},
        {"a feature", JOB(GUEST ", sched_features: [NO_PLACE_LAG]", "runtime: 1s"), 1, false},
    };
    _cleanup_free_ char *text = drawn_calibration_document(&drawn);
    CULPRIT_CLEANUP(calibration_record_free) struct calibration_record *record = decode(text);

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char digest[DIGEST_HEX_SIZE];
        bool same;

        digest_of(cases[i].job, ENGINE_DETERMINISTIC, cases[i].shift, 512 << 20, digest);
        same = strcmp(digest, record->setup_digest) == 0;
        if (same != cases[i].same)
            fail_msg("%s: %s setup", cases[i].what, same ? "the same" : "another");
    }
}

/* The first member of that name anywhere in the document. */
static json_t *find(json_t *value, const char *key)
{
    const char *name;
    json_t *member, *found = json_object_get(value, key);
    size_t i;

    if (found)
        return value;
    json_object_foreach (value, name, member) {
        found = find(member, key);
        if (found)
            return found;
    }
    json_array_foreach (value, i, member) {
        found = find(member, key);
        if (found)
            return found;
    }
    return NULL;
}

static void test_what_is_refused(void **state)
{
    static const struct {
        const char *key;   /* that is set, wherever it stands … */
        const char *value; /* … to this JSON; NULL: removed */
        const char *where, *word;
    } cases[] = {
        {"version", "2", "version", "from 1 to 1"},
        {"version", NULL, "version", "missing"},
        {"setup", "[]", "setup", "kind"},
        {"topology", NULL, "guest", "topology"},
        {"engine", "\"functional\"", "guest.engine", "functional"},
        {"engine", "\"auto\"", "setup.guest.engine", "realtime"},
        {"shift", NULL, "setup.guest.shift", "missing"},
        {"memory", NULL, "setup.guest.memory", "missing"},
        {"runtime", "\"soon\"", "workloads[0].wakeup.runtime", "runtime"},
        {"name", "\"wakeup.latency.p98\"", "metric.name", "p98"},
        {"name", "\"a\\nb\"", "metric.name", "control"},
        {"better", "\"higher\"", "metric.better", "lower"},
        {"better", "\"both\"", "metric.better", "neither"},
        {"digest", "\"beef\"", "kernel.digest", "SHA-256"},
        {"seed", "-1", "seed", "-1"},
        {"seed", "1.5", "seed", "kind"},
        {"failed", "5000", "failed", "5000"},
        {"values", "[1, 2, 3, 4, 5]", "values", "5 values"},
        {"values", "[1, 2, 3, 4, 5, \"6\"]", "values", "value 6 is not a number"},
        {"values", "[1, 2, 3, 4, 5, 6]", "figures.sizes", "carry 1"},
        {"alpha", "0", "figures.alpha", "from 0.001"},
        {"alpha", "\"0.01\"", "figures.alpha", "kind"},
        {"comparisons", "1e9", "figures.comparisons", "kind"},
        {"comparisons", "20000", "figures.comparisons", "20000"},
        {"sizes", "{}", "figures.sizes", "kind"},
        {"interval", "-1", "figures.sizes.interval", "-1"},
        {"interval", "null", "figures.sizes.interval", "kind"},
        {"false_positives", "101", "figures.sizes.false_positives", "101"},
        {"band", "[3]", "figures.sizes.band", "two counts"},
        {"band", "[3, 2]", "figures.sizes.band", "two counts"},
        {"detectable", "1e301", "figures.sizes.detectable", "1e+301"},
        {"can_decide", "1", "figures.sizes.can_decide", "kind"},
    };
    _cleanup_free_ char *text = drawn_calibration_document(&drawn);

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        json_t *root = json_loads(text, 0, NULL), *holder;
        struct calibration_record *record = NULL;
        char *changed;

        holder = find(root, cases[i].key);
        if (cases[i].value)
            json_object_set_new(holder, cases[i].key,
                                json_loads(cases[i].value, JSON_DECODE_ANY, NULL));
        else
            json_object_del(holder, cases[i].key);
        changed = json_dumps(root, JSON_COMPACT);
        memset(&error, 0, sizeof error);
        if (calibration_decode(changed, strlen(changed), NULL, &record, &error) !=
                -CULPRIT_INVALID ||
            strcmp(error.where, cases[i].where) != 0 || !strstr(error.message, cases[i].word))
            fail_msg("%s = %s: %d, at \"%s\": %s", cases[i].key,
                     cases[i].value ? cases[i].value : "nothing", error.code, error.where,
                     error.message);
        free(changed);
        json_decref(root);
    }
}

static void test_what_is_no_document(void **state)
{
    static const struct {
        const char *text;
        enum culprit_code code;
        const char *word;
    } cases[] = {
        {"", CULPRIT_INVALID, "no JSON"},
        {"{", CULPRIT_INVALID, "no JSON"},
        {"[]", CULPRIT_INVALID, "a JSON object"},
        {"{}", CULPRIT_INVALID, "version is missing"},
        {"{\"versoin\": 1}", CULPRIT_INVALID, "unknown key \"versoin\""},
        {"{\"version\": 1, \"version\": 1}", CULPRIT_INVALID, "no JSON"},
        {"{\"values\": [NaN]}", CULPRIT_INVALID, "no JSON"},
        {"{\"values\": [1e999]}", CULPRIT_INVALID, "no JSON"},
    };
    static char large[CALIBRATION_DOCUMENT_MAXIMUM + 2];
    struct calibration_record *record = NULL;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        if (calibration_decode(cases[i].text, strlen(cases[i].text), NULL, &record, &error) !=
                -(int)cases[i].code ||
            !strstr(error.message, cases[i].word))
            fail_msg("%s: %s", cases[i].text, error.message);
    memset(large, ' ', sizeof large - 1);
    assert_int_equal(calibration_decode(large, sizeof large - 1, NULL, &record, &error),
                     -CULPRIT_LIMIT);
}

/* A spread that was made smaller than the values have it is not believed. */
static void test_what_follows_from_the_values_is_computed(void **state)
{
    _cleanup_free_ char *text = drawn_calibration_document(&drawn);
    CULPRIT_CLEANUP(calibration_record_free) struct calibration_record *record = NULL;
    json_t *root = json_loads(text, 0, NULL);
    _cleanup_free_ char *changed = NULL;

    (void)state;
    json_object_set_new(find(root, "spread"), "spread", json_real(0.001));
    json_object_set_new(find(root, "drift_p"), "drift_p", json_real(0));
    changed = json_dumps(root, JSON_COMPACT);
    json_decref(root);
    record = decode(changed);
    assert_true(record->figures.summary.robust_scale > 30);
    assert_true(record->figures.drift_p > 0.01);
}

static void expect_sentence(const struct drawn_calibration *from, size_t trials, const char *want)
{
    CULPRIT_CLEANUP(calibration_record_free)
    struct calibration_record *record = drawn_calibration_record(from);
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(4096);

    calibration_sentence(&text, record, trials);
    if (strcmp(text.data, want) != 0)
        fail_msg("it says: %s", text.data);
}

static void test_sentences(void **state)
{
    struct drawn_calibration other = drawn;

    (void)state;
    expect_sentence(&drawn, 5,
                    "A/A on 6.1.192: 40 trials, spread 3.1%; at n = 5 false positives 1 of 100 at "
                    "a level of 0.01, MDE 15%");
    expect_sentence(&drawn, 3,
                    "A/A on 6.1.192: 40 trials, spread 3.1%; 3 trials a side cannot be significant "
                    "at a level of 0.01");
    other.spread = 0;
    expect_sentence(&other, 10,
                    "A/A on 6.1.192: 40 trials, all of them equal; at n = 10 false positives 0 of "
                    "100 at a level of 0.01, MDE 1%");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_which_jobs_it_speaks_of),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_what_is_no_document),
        cmocka_unit_test(test_what_follows_from_the_values_is_computed),
        cmocka_unit_test(test_sentences),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
