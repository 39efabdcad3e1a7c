/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trials with real guests, by libvirt and QEMU: they repeat to the digest, and every way in which
 * a guest can go wrong ends in its own outcome and a sentence. They need a kernel, an x86-64
 * bzImage of kernels/fragments: $CULPRIT_TEST_KERNEL. Without one they are skipped.
 */
#include "scratch.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/path.h"
#include "guest/libvirt/libvirt.h"
#include "trial/check.h"
#include "trial/trial.h"

#define SECOND UINT64_C(1000000000)

static struct hypervisor *hypervisor;
static char driver_directory[64];

static int open_hypervisor(void **state)
{
    struct libvirt_options options = {.owner = "test"};
    struct culprit_error error = {0};

    (void)state;
    if (!getenv("CULPRIT_TEST_KERNEL")) {
        print_message("skipped: set CULPRIT_TEST_KERNEL to a bzImage of kernels/fragments\n");
        return 0;
    }
    strcpy(driver_directory, "/tmp/culprit-driver-XXXXXX");
    options.directory = mkdtemp(driver_directory);
    if (libvirt_hypervisor_open(&options, &hypervisor, &error) < 0) {
        print_error("%s\n", error.message);
        return -1;
    }
    return 0;
}

static int close_hypervisor(void **state)
{
    (void)state;
    hypervisor_free(hypervisor);
    if (*driver_directory)
        file_remove_tree(driver_directory, NULL);
    return 0;
}

static void need_kernel(void)
{
    if (!hypervisor)
        skip();
}

static struct topology *load_pair(void)
{
    struct topology *topology = NULL;
    struct culprit_error error = {0};

    assert_success(
        topology_load(CULPRIT_SOURCE_DIR "/images/topologies/pair.yaml", &topology, &error));
    return topology;
}

static void request_clear_cleanup(struct workload_request *request)
{
    workload_request_clear(request);
}

static void set_option(struct workload_request *request, const char *name, const char *value)
{
    struct culprit_error error = {0};

    assert_success(workload_request_set(request, name, value, &error));
}

static struct trial_spec spec_of(const struct topology *topology,
                                 const struct workload_request *request, const char *directory)
{
    return (struct trial_spec){
        .kernel = getenv("CULPRIT_TEST_KERNEL"),
        .guest_image = CULPRIT_BINARY_DIR "/images/minimal.cpio",
        .topology = topology,
        .engine = ENGINE_FUNCTIONAL,
        .memory = topology->memory,
        .workloads = request,
        .workload_count = 1,
        .seed = 7,
        .directory = directory,
        .label = "test",
    };
}

static struct trial_result *run(const struct trial_spec *spec, struct cancel *cancel)
{
    struct trial_result *result = NULL;
    struct culprit_error error = {0};

    assert_success(trial_run(hypervisor, spec, cancel, &result, &error));
    return result;
}

static void expect(const struct trial_result *result, enum outcome outcome, const char *sentence)
{
    if (result->outcome != outcome || !strstr(result->message, sentence))
        fail_msg("%s \"%s\", and not %s \"%s\"", outcome_name(result->outcome), result->message,
                 outcome_name(outcome), sentence);
}

/* Equal seeds give equal results to the last bit, other seeds others. */
static void test_deterministic_trials_repeat(void **state)
{
    __attribute__((cleanup(request_clear_cleanup))) struct workload_request request = {0};
    static const uint64_t seeds[] = {7, 7, 8};
    char digests[3][DIGEST_HEX_SIZE];
    double p99[3];
    struct culprit_error error = {0};

    need_kernel();
    CULPRIT_CLEANUP(topology_free) struct topology *pair = load_pair();
    assert_success(workload_request_init("wakeup", &request, &error));
    set_option(&request, "runtime", "500ms");
    set_option(&request, "warmup", "100ms");
    set_option(&request, "workers", "2");
    set_option(&request, "think", "1ms");
    set_option(&request, "sleep", "1ms");
    for (size_t i = 0; i < 3; i++) {
        struct trial_spec spec = spec_of(pair, &request, *state);
        CULPRIT_CLEANUP(trial_result_free) struct trial_result *result = NULL;

        spec.engine = ENGINE_DETERMINISTIC;
        spec.shift = pair->shift;
        spec.seed = seeds[i];
        result = run(&spec, NULL);
        expect(result, OUTCOME_OK, "");
        assert_true(trial_result_metric(result, "wakeup.latency.p99", &p99[i]));
        memcpy(digests[i], result->digest, sizeof digests[i]);
    }
    assert_string_equal(digests[0], digests[1]);
    assert_true(p99[0] == p99[1]);
    assert_string_not_equal(digests[0], digests[2]);
}

/* What a command in the guest does, and what becomes of the trial. */
static const struct fault {
    const char *command;
    enum outcome outcome;
    const char *sentence;
    uint64_t deadline_ns; /* 0: the derived one */
    bool shows;           /* the console has the line that is looked for */
} faults[] = {
    {"true", OUTCOME_OK, "", 0, false},
    {"exit 3", OUTCOME_WORKLOAD_FAILED, "workload exec failed: ", 0, false},
    {"echo 'rq clock off' > /dev/kmsg", OUTCOME_OK, "", 0, true},
    {"echo '[ 1.0] garbage' > /dev/ttyS1", OUTCOME_INFRA_FAILED,
     "the guest's result port is garbled: line ", 0, false},
    {"sync; poweroff -f", OUTCOME_WORKLOAD_FAILED,
     "the guest went down while workload exec ran, without its end record", 0, false},
    {"while :; do :; done", OUTCOME_TIMED_OUT, "while workload exec ran", 30 * SECOND, false},
};

static void test_faults_in_the_guest(void **state)
{
    struct culprit_error error = {0};

    need_kernel();
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        __attribute__((cleanup(request_clear_cleanup))) struct workload_request request = {0};
        CULPRIT_CLEANUP(topology_free) struct topology *pair = load_pair();
        CULPRIT_CLEANUP(trial_result_free) struct trial_result *result = NULL;
        struct trial_spec spec;

        assert_success(workload_request_init("exec", &request, &error));
        set_option(&request, "command", faults[i].command);
        set_option(&request, "timeout", "1h");
        spec = spec_of(pair, &request, *state);
        spec.deadline_ns = faults[i].deadline_ns;
        spec.console_pattern = "^rq clock [[:alpha:]]+$";
        result = run(&spec, NULL);
        expect(result, faults[i].outcome, faults[i].sentence);
        if (result->console_matched != faults[i].shows)
            fail_msg("%s: the console %s", faults[i].command,
                     faults[i].shows ? "shows no such line" : result->console_line);
        assert_string_equal(result->console_line, faults[i].shows ? "rq clock off" : "");
    }
}

/* An initramfs without an agent: nobody is there to be PID 1. */
static void test_panic_at_boot(void **state)
{
    __attribute__((cleanup(request_clear_cleanup))) struct workload_request request = {0};
    CULPRIT_CLEANUP(trial_result_free) struct trial_result *result = NULL;
    _cleanup_free_ char *image = path_join(*state, "image");
    struct culprit_error error = {0};
    struct trial_spec spec;

    need_kernel();
    CULPRIT_CLEANUP(topology_free) struct topology *pair = load_pair();
    assert_success(workload_request_init("wakeup", &request, &error));
    assert_success(file_write_atomic(image, "\0\0\0", 4, 0644, &error));
    spec = spec_of(pair, &request, *state);
    spec.guest_image = image;
    spec.console_pattern = "^Kernel panic - not syncing";
    result = run(&spec, NULL);
    expect(result, OUTCOME_BOOT_FAILED, "before the agent's first record: Kernel panic");
    assert_true(result->console_matched);
}

/* The job's own words take memory away. */
static void test_other_memory_than_asked(void **state)
{
    __attribute__((cleanup(request_clear_cleanup))) struct workload_request request = {0};
    _cleanup_strv_ struct strv cmdline = {0};
    CULPRIT_CLEANUP(trial_result_free) struct trial_result *result = NULL;
    struct culprit_error error = {0};
    struct trial_spec spec;

    need_kernel();
    CULPRIT_CLEANUP(topology_free) struct topology *pair = load_pair();
    assert_success(workload_request_init("wakeup", &request, &error));
    strv_append(&cmdline, "mem=128M");
    spec = spec_of(pair, &request, *state);
    spec.cmdline = &cmdline;
    result = run(&spec, NULL);
    expect(result, OUTCOME_BOOT_FAILED,
           "the guest's memory is not what was asked for: asked 512MiB, seen 1");
}

/* A file that is no kernel. */
static void test_kernel_that_is_none(void **state)
{
    __attribute__((cleanup(request_clear_cleanup))) struct workload_request request = {0};
    CULPRIT_CLEANUP(trial_result_free) struct trial_result *result = NULL;
    _cleanup_free_ char *kernel = path_join(*state, "bzImage");
    struct culprit_error error = {0};
    struct trial_spec spec;

    need_kernel();
    CULPRIT_CLEANUP(topology_free) struct topology *pair = load_pair();
    assert_success(workload_request_init("wakeup", &request, &error));
    assert_success(file_write_atomic(kernel, "no kernel", 9, 0644, &error));
    spec = spec_of(pair, &request, *state);
    spec.kernel = kernel;
    spec.deadline_ns = 60 * SECOND;
    result = run(&spec, NULL);
    expect(result, OUTCOME_INFRA_FAILED, "kernel");
}

static void *cancel_soon(void *argument)
{
    struct timespec moment = {.tv_sec = 2};

    nanosleep(&moment, NULL);
    cancel_request(argument);
    return NULL;
}

static void test_cancelled_while_running(void **state)
{
    __attribute__((cleanup(request_clear_cleanup))) struct workload_request request = {0};
    CULPRIT_CLEANUP(trial_result_free) struct trial_result *result = NULL;
    struct culprit_error error = {0};
    struct cancel *cancel = NULL;
    struct trial_spec spec;
    pthread_t thread;

    need_kernel();
    CULPRIT_CLEANUP(topology_free) struct topology *pair = load_pair();
    assert_success(workload_request_init("exec", &request, &error));
    set_option(&request, "command", "while :; do :; done");
    set_option(&request, "timeout", "1h");
    spec = spec_of(pair, &request, *state);
    assert_success(cancel_new(&cancel, &error));
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, cancel), 0);
    result = run(&spec, cancel);
    pthread_join(thread, NULL);
    cancel_free(cancel);
    expect(result, OUTCOME_CANCELLED, "cancelled");
    assert_true(result->wall_ns < 60 * SECOND);
}

static void test_wrong_expectation_is_named(void **state)
{
    CULPRIT_CLEANUP(trial_result_free) struct trial_result *result = NULL;
    struct culprit_error error = {0};
    struct topology_check check;

    need_kernel();
    CULPRIT_CLEANUP(topology_free) struct topology *pair = load_pair();
    for (size_t i = 0; i < pair->expect.cache_count; i++) {
        struct topology_cache *cache = &pair->expect.caches[i];

        if (cache->level != 3)
            continue;
        strv_free(&cache->shared);
        cache->shared = (struct strv){0};
        strv_append(&cache->shared, "0");
        strv_append(&cache->shared, "1");
    }
    check = (struct topology_check){
        .topology = pair,
        .kernel = getenv("CULPRIT_TEST_KERNEL"),
        .guest_image = CULPRIT_BINARY_DIR "/images/minimal.cpio",
        .engine = ENGINE_FUNCTIONAL,
        .directory = *state,
    };
    assert_success(topology_check_run(hypervisor, &check, NULL, &result, &error));
    assert_false(topology_comparison_same(&result->comparison));
    expect(result, OUTCOME_BOOT_FAILED,
           "the guest is not laid out as asked: L3 caches: asked 0 1, seen 0-1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(test_deterministic_trials_repeat),
        scratch_test(test_faults_in_the_guest),
        scratch_test(test_panic_at_boot),
        scratch_test(test_other_memory_than_asked),
        scratch_test(test_kernel_that_is_none),
        scratch_test(test_cancelled_while_running),
        scratch_test(test_wrong_expectation_is_named),
    };

    return cmocka_run_group_tests(tests, open_hypervisor, close_hypervisor);
}
