/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the deterministic engine promises, on real guests while the host is busy. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "payload_guest.h"

enum { RUNS = 5 };

static struct hypervisor *hypervisor;
static atomic_bool busy;

static void *burn(void *data)
{
    volatile unsigned long count = 0;

    (void)data;
    while (atomic_load(&busy))
        count++;
    return NULL;
}

/* The records of one guest; the caller frees them. */
static char *records_of(const char *topology, uint64_t seed, const char *directory)
{
    struct culprit_error error = {0};
    CULPRIT_CLEANUP(payload_guest_clear) struct payload_guest guest = {0};
    struct guest_run run = {0};
    char *records = NULL;

    assert_success(payload_guest_make(&guest, topology, "times", seed, directory, &error));
    assert_success(hypervisor_run(hypervisor, &guest.definition, NULL, &run, &error));
    assert_string_equal(guest_end_name(run.end), guest_end_name(GUEST_POWERED_OFF));
    assert_success(file_read(guest.records_path, 65536, &records, NULL, &error));
    assert_true(strlen(records) > 400); /* fifty time stamps */
    return records;
}

static void test_equal_seeds(void **state)
{
    static const char *const topologies[] = {"pair", "x5472"};

    for (size_t i = 0; i < 2; i++) {
        _cleanup_free_ char *first = records_of(topologies[i], 7, *state);
        for (unsigned run = 1; run < RUNS; run++) {
            pthread_t threads[2];
            atomic_store(&busy, true);
            for (unsigned j = 0; j < 2; j++)
                assert_int_equal(pthread_create(&threads[j], NULL, burn, NULL), 0);
            _cleanup_free_ char *again = records_of(topologies[i], 7, *state);
            atomic_store(&busy, false);
            for (unsigned j = 0; j < 2; j++)
                pthread_join(threads[j], NULL);
            if (strcmp(first, again) != 0)
                fail_msg("run %u on %s gave\n%s\ninstead of\n%s", run, topologies[i], again, first);
        }
    }
}

static void test_other_shift(void **state)
{
    struct culprit_error error = {0};
    CULPRIT_CLEANUP(payload_guest_clear) struct payload_guest guest = {0};
    struct guest_run run = {0};
    _cleanup_free_ char *first = records_of("pair", 7, *state);
    _cleanup_free_ char *other = NULL;

    assert_success(payload_guest_make(&guest, "pair", "times", 7, *state, &error));
    guest.definition.shift = guest.topology->second_shift;
    assert_success(hypervisor_run(hypervisor, &guest.definition, NULL, &run, &error));
    assert_success(file_read(guest.records_path, 65536, &other, NULL, &error));
    assert_string_not_equal(first, other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(test_equal_seeds),
        scratch_test(test_other_shift),
    };
    struct culprit_error error = {0};
    void *scratch = NULL;

    if (scratch_setup(&scratch) < 0)
        return 1;
    _cleanup_free_ char *root = path_join(scratch, "vm");
    struct libvirt_options options = {.directory = root, .owner = "determinism"};
    if (libvirt_hypervisor_open(&options, &hypervisor, &error) < 0) {
        print_error("%s\n", error.message);
        scratch_teardown(&scratch);
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    hypervisor_free(hypervisor);
    scratch_teardown(&scratch);
    return failed;
}
