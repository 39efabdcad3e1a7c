/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hypervisor_contract.h"

#include <pthread.h>
#include <string.h>

#include "guest/domain.h"

#define SECOND UINT64_C(1000000000)

enum { FILE_MAXIMUM = 4 * 1024 * 1024, LIMIT = 64 * 1024, GUESTS_AT_ONCE = 3 };

static struct hypervisor *hypervisor;
static const char *directory;
static struct topology *topology;

/* A guest of one payload mode, ready to run; its strings live as long as the struct. */
struct sample {
    struct guest_definition definition;
    char *cmdline, *console_path, *records_path;
};

static void sample_clear(struct sample *sample)
{
    free(sample->cmdline);
    free(sample->console_path);
    free(sample->records_path);
}
static inline void sample_clear_cleanup(struct sample *sample)
{
    sample_clear(sample);
}

static struct sample make_sample(const char *name, const char *mode)
{
    struct culprit_error error = {0};
    _cleanup_strv_ struct strv additions = {0};
    struct sample sample = {0};

    strv_appendf(&additions, "mode=%s", mode);
    assert_success(guest_cmdline(ENGINE_DETERMINISTIC, 7, &additions, &sample.cmdline, &error));
    sample.console_path = text_format("%s/%s.console", directory, name);
    sample.records_path = text_format("%s/%s.records", directory, name);
    sample.definition = (struct guest_definition){
        .kernel = TEST_PAYLOAD,
        .cmdline = sample.cmdline,
        .topology = topology,
        .engine = ENGINE_DETERMINISTIC,
        .shift = topology->shift,
        .memory = topology->memory,
        .seed = 7,
        .console_path = sample.console_path,
        .records_path = sample.records_path,
        .console_maximum = FILE_MAXIMUM,
        .records_maximum = FILE_MAXIMUM,
        .deadline_ns = 60 * SECOND,
        .label = "contract",
    };
    return sample;
}

static char *read_text(const char *path)
{
    struct culprit_error error = {0};
    char *text = NULL;

    assert_success(file_read(path, FILE_MAXIMUM, &text, NULL, &error));
    return text;
}

struct ending {
    const char *mode;
    enum guest_end end;
    const char *reason; /* part of it */
    const char *console;
};

static const struct ending endings[] = {
    {"poweroff", GUEST_POWERED_OFF, "", "payload poweroff\n"},
    {"panic", GUEST_PANICKED, "Kernel panic - not syncing: made up", "not syncing: made up"},
    {"pvpanic", GUEST_PANICKED, "panicked", "payload pvpanic\n"},
    {"lockup", GUEST_LOCKED_UP, "soft lockup - CPU#0", "stuck for 22s!"},
    {"reboot", GUEST_POWERED_OFF, "rebooted", "reboot: Restarting system"},
    {"reset", GUEST_PANICKED, "reset without a word", "payload reset\n"},
};

static void test_endings(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const struct ending *ending = &endings[i];
        struct culprit_error error = {0};
        struct guest_run run = {0};
        CULPRIT_CLEANUP(sample_clear) struct sample sample = make_sample("end", ending->mode);

        assert_success(hypervisor_run(hypervisor, &sample.definition, NULL, &run, &error));
        if (run.end != ending->end)
            fail_msg("mode %s ended as %s (%s) instead of %s", ending->mode,
                     guest_end_name(run.end), run.reason, guest_end_name(ending->end));
        assert_contains(run.reason, ending->reason);
        assert_true(run.wall_ns > 0 && run.wall_ns < 60 * SECOND);
        assert_int_equal(strlen(run.definition_digest), 64);
        assert_string_not_equal(run.qemu_version, "");
        _cleanup_free_ char *console = read_text(sample.console_path);
        assert_contains(console, ending->console);
        _cleanup_free_ char *records = read_text(sample.records_path);
        assert_string_equal(records, "{\"t\":\"hello\"}\n");
    }
}

/* A file of an earlier guest is not added to. */
static void test_files_begin_empty(void **state)
{
    (void)state;
    struct culprit_error error = {0};
    struct guest_run run = {0};
    CULPRIT_CLEANUP(sample_clear) struct sample sample = make_sample("again", "poweroff");

    assert_success(file_write_atomic(sample.records_path, "old\n", 4, 0600, &error));
    assert_success(file_write_atomic(sample.console_path, "old\n", 4, 0600, &error));
    assert_success(hypervisor_run(hypervisor, &sample.definition, NULL, &run, &error));
    _cleanup_free_ char *console = read_text(sample.console_path);
    _cleanup_free_ char *records = read_text(sample.records_path);
    assert_null(strstr(console, "old"));
    assert_null(strstr(records, "old"));
}

static void test_deadline(void **state)
{
    (void)state;
    static const char *const modes[] = {"hang", "spin"};
    for (size_t i = 0; i < 2; i++) {
        struct culprit_error error = {0};
        struct guest_run run = {0};
        CULPRIT_CLEANUP(sample_clear) struct sample sample = make_sample("late", modes[i]);

        sample.definition.deadline_ns = 4 * SECOND;
        assert_success(hypervisor_run(hypervisor, &sample.definition, NULL, &run, &error));
        if (run.end != GUEST_DEADLINE)
            fail_msg("%s ended as %s: %s", modes[i], guest_end_name(run.end), run.reason);
        assert_true(run.wall_ns >= 4 * SECOND && run.wall_ns < 40 * SECOND);
    }
}

static void *request_later(void *cancel)
{
    struct timespec second = {.tv_sec = 2};

    nanosleep(&second, NULL);
    cancel_request(cancel);
    return NULL;
}

static void test_cancelled(void **state)
{
    (void)state;
    struct culprit_error error = {0};
    struct guest_run run = {0};
    struct cancel *cancel = NULL;
    pthread_t thread;
    CULPRIT_CLEANUP(sample_clear) struct sample sample = make_sample("cancelled", "hang");

    assert_success(cancel_new(&cancel, &error));
    assert_int_equal(pthread_create(&thread, NULL, request_later, cancel), 0);
    assert_success(hypervisor_run(hypervisor, &sample.definition, cancel, &run, &error));
    pthread_join(thread, NULL);
    assert_string_equal(guest_end_name(run.end), guest_end_name(GUEST_CANCELLED));
    assert_true(run.wall_ns < 40 * SECOND);

    /* And before it began: no guest at all. */
    assert_failure(hypervisor_run(hypervisor, &sample.definition, cancel, &run, &error),
                   CULPRIT_CANCELLED);
    cancel_free(cancel);
}

static void check_flood(const char *mode, enum guest_end end)
{
    struct culprit_error error = {0};
    struct guest_run run = {0};
    uint64_t console, records;
    CULPRIT_CLEANUP(sample_clear) struct sample sample = make_sample(mode, mode);

    sample.definition.console_maximum = LIMIT;
    sample.definition.records_maximum = LIMIT;
    assert_success(hypervisor_run(hypervisor, &sample.definition, NULL, &run, &error));
    if (run.end != end)
        fail_msg("%s ended as %s: %s", mode, guest_end_name(run.end), run.reason);
    assert_success(file_size(sample.console_path, &console, &error));
    assert_success(file_size(sample.records_path, &records, &error));
    assert_true(console <= LIMIT && records <= LIMIT);
    assert_true((end == GUEST_CONSOLE_LIMIT ? console : records) == LIMIT);
}

static void test_limits(void **state)
{
    (void)state;
    check_flood("flood-console", GUEST_CONSOLE_LIMIT);
    check_flood("flood-records", GUEST_RECORDS_LIMIT);
}

struct parallel {
    struct sample sample;
    struct guest_run run;
    struct culprit_error error;
    int status;
};

static void *run_one(void *data)
{
    struct parallel *one = data;

    one->status = hypervisor_run(hypervisor, &one->sample.definition, NULL, &one->run, &one->error);
    return NULL;
}

/* All with one seed: what a guest is made of must not be what it is known by. */
static void test_several_at_once(void **state)
{
    (void)state;
    struct parallel guests[GUESTS_AT_ONCE] = {0};
    pthread_t threads[GUESTS_AT_ONCE];

    for (size_t i = 0; i < GUESTS_AT_ONCE; i++) {
        char name[32];
        snprintf(name, sizeof name, "parallel%zu", i);
        guests[i].sample = make_sample(name, i == 1 ? "panic" : "poweroff");
        assert_int_equal(pthread_create(&threads[i], NULL, run_one, &guests[i]), 0);
    }
    for (size_t i = 0; i < GUESTS_AT_ONCE; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < GUESTS_AT_ONCE; i++) {
        if (guests[i].status < 0)
            fail_msg("guest %zu: %s", i, guests[i].error.message);
        assert_int_equal(guests[i].run.end, i == 1 ? GUEST_PANICKED : GUEST_POWERED_OFF);
        sample_clear(&guests[i].sample);
    }
}

static void test_what_cannot_start(void **state)
{
    (void)state;
    struct culprit_error error = {0};
    struct guest_run run = {0};
    CULPRIT_CLEANUP(sample_clear) struct sample sample = make_sample("bad", "poweroff");
    struct guest_definition definition = sample.definition;

    definition.memory = topology->memory_maximum * 2;
    assert_failure(hypervisor_run(hypervisor, &definition, NULL, &run, &error), CULPRIT_INVALID);
    assert_contains(error.message, topology->name);

    definition = sample.definition;
    definition.kernel = "/nonexistent/kernel";
    assert_true(hypervisor_run(hypervisor, &definition, NULL, &run, &error) < 0);
    assert_contains(error.message, "/nonexistent/kernel");

    definition = sample.definition;
    definition.records_path = "/nonexistent/directory/records";
    assert_true(hypervisor_run(hypervisor, &definition, NULL, &run, &error) < 0);
    assert_contains(error.message, "/nonexistent/directory/records");
}

static void test_no_leftovers(void **state)
{
    (void)state;
    struct culprit_error error = {0};
    unsigned count = 99;

    assert_success(hypervisor_clean_leftovers(hypervisor, &count, &error));
    assert_int_equal(count, 0);
}

int hypervisor_contract(const char *name, struct hypervisor *which, const char *where)
{
    struct culprit_error error = {0};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_endings),
        cmocka_unit_test(test_files_begin_empty),
        cmocka_unit_test(test_deadline),
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_several_at_once),
        cmocka_unit_test(test_what_cannot_start),
        cmocka_unit_test(test_no_leftovers),
    };

    hypervisor = which;
    directory = where;
    if (topology_find(CULPRIT_SOURCE_DIR "/images/topologies", "pair", &topology, &error) < 0) {
        print_error("%s\n", error.message);
        return 1;
    }
    int failed = cmocka_run_group_tests_name(name, tests, NULL, NULL);
    topology_free(topology);
    return failed;
}
