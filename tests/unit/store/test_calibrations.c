/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calibrations by setup and metric, and the copies of jobs. */
#include <stdio.h>
#include <string.h>

#include "scratch.h"
#include "store/calibrations.h"
#include "store/jobs.h"

static struct culprit_error error;

static struct store *open_store(const char *directory)
{
    const struct store_options options = {.directory = directory, .clock = &clock_system};
    struct store *store = NULL;

    assert_success(store_open(&options, &store, &error));
    return store;
}

static int64_t put(struct store *store, const char *setup, const char *metric, const char *document)
{
    _cleanup_free_ char *own_metric = strdup(metric), *own_document = strdup(document);
    struct stored_calibration draft = {.metric = own_metric, .document = own_document};
    int64_t id = 0;

    snprintf(draft.setup, sizeof draft.setup, "%s", setup);
    assert_success(store_calibration_put(store, &draft, &id, &error));
    return id;
}

static int64_t add_job(struct store *store)
{
    char text[] = "x";
    const struct stored_job draft = {
        .name = text, .kind = text, .document = text, .normalised = text};
    int64_t id = 0;

    assert_success(store_job_add(store, &draft, &id, &error));
    return id;
}

static void they_are_found_by_setup_and_metric(void **state)
{
    CULPRIT_CLEANUP(store_close) struct store *store = open_store(*state);
    CULPRIT_CLEANUP(stored_calibration_clear) struct stored_calibration found = {0};
    struct stored_calibration none;
    int64_t id = put(store, "aa", "p99", "{\"a\":1}");

    put(store, "aa", "p50", "{}");
    put(store, "bb", "p99", "{}");
    store_close(store);
    store = open_store(*state);
    assert_success(store_calibration_find(store, "aa", "p99", &found, &error));
    assert_int_equal(found.id, id);
    assert_string_equal(found.setup, "aa");
    assert_string_equal(found.metric, "p99");
    assert_string_equal(found.document, "{\"a\":1}");
    assert_true(found.created_ns > 0);
    assert_failure(store_calibration_find(store, "bb", "p50", &none, &error), CULPRIT_NOT_FOUND);
    assert_failure(store_calibration_get(store, 99, &none, &error), CULPRIT_NOT_FOUND);
    assert_contains(error.message, "no calibration 99");
}

static void a_newer_one_takes_the_place(void **state)
{
    CULPRIT_CLEANUP(store_close) struct store *store = open_store(*state);
    CULPRIT_CLEANUP(stored_calibrations_clear) struct stored_calibrations list = {0};
    CULPRIT_CLEANUP(stored_calibration_clear) struct stored_calibration found = {0};
    struct stored_calibration none;
    int64_t first = put(store, "aa", "p99", "{}"), other = put(store, "bb", "p99", "{}");
    int64_t second = put(store, "aa", "p99", "{\"new\":1}");

    assert_true(second > other);
    assert_failure(store_calibration_get(store, first, &none, &error), CULPRIT_NOT_FOUND);
    assert_success(store_calibration_get(store, second, &found, &error));
    assert_string_equal(found.document, "{\"new\":1}");
    assert_success(store_calibrations_list(store, &list, &error));
    assert_int_equal(list.count, 2);
    assert_int_equal(list.items[0].id, second);
    assert_int_equal(list.items[1].id, other);
}

static void one_is_removed(void **state)
{
    CULPRIT_CLEANUP(store_close) struct store *store = open_store(*state);
    struct stored_calibration none;
    int64_t id = put(store, "aa", "p99", "{}");

    assert_success(store_calibration_remove(store, id, &error));
    assert_failure(store_calibration_remove(store, id, &error), CULPRIT_NOT_FOUND);
    assert_failure(store_calibration_find(store, "aa", "p99", &none, &error), CULPRIT_NOT_FOUND);
    assert_true(put(store, "aa", "p99", "{}") > id);
}

static void there_are_so_many(void **state)
{
    CULPRIT_CLEANUP(store_close) struct store *store = open_store(*state);
    CULPRIT_CLEANUP(store_rollback) struct store_transaction transaction = {0};
    char metric[] = "p99", document[] = "{}";
    struct stored_calibration one_more = {.setup = "more", .metric = metric, .document = document};
    int64_t id = 0;

    assert_success(store_begin(store, &transaction, &error));
    for (int i = 0; i < STORE_CALIBRATIONS_MAXIMUM; i++) {
        char setup[16];

        snprintf(setup, sizeof setup, "%d", i);
        put(store, setup, "p99", "{}");
    }
    assert_failure(store_calibration_put(store, &one_more, &id, &error), CULPRIT_CONFLICT);
    assert_contains(error.message, "1000");
    put(store, "17", "p99", "{}"); /* in the place of another */
}

/* What a job took stays, whatever is measured later. */
static void a_job_keeps_its_copy(void **state)
{
    CULPRIT_CLEANUP(store_close) struct store *store = open_store(*state);
    int64_t with = add_job(store), without = add_job(store);
    _cleanup_free_ char *document = NULL, *nothing = NULL;
    bool known = true;

    assert_success(store_job_calibration_get(store, with, &known, &document, &error));
    assert_false(known);
    assert_null(document);
    assert_success(store_job_calibration_set(store, with, "{\"a\":1}", &error));
    assert_success(store_job_calibration_set(store, with, "{\"b\":2}", &error));
    assert_success(store_job_calibration_get(store, with, &known, &document, &error));
    assert_true(known);
    assert_string_equal(document, "{\"a\":1}");

    assert_success(store_job_calibration_set(store, without, NULL, &error));
    assert_success(store_job_calibration_set(store, without, "{}", &error));
    assert_success(store_job_calibration_get(store, without, &known, &nothing, &error));
    assert_true(known);
    assert_null(nothing);
    assert_failure(store_job_calibration_set(store, 99, NULL, &error), CULPRIT_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(they_are_found_by_setup_and_metric),
        scratch_test(a_newer_one_takes_the_place),
        scratch_test(one_is_removed),
        scratch_test(there_are_so_many),
        scratch_test(a_job_keeps_its_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
