/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A whole trial against guests that play a script. */
#include "scratch.h"

#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "script.h"
#include "scripted_hypervisor.h"
#include "trial/check.h"
#include "trial/records.h"
#include "trial/trial.h"

static void json_decref_cleanup(json_t **value)
{
    json_decref(*value);
}

/* What the guests of a test report. */
struct play {
    struct script script;
    double p99;
    const char *l3;   /* NULL: as asked */
    bool no_workload; /* describe, then end */
    enum guest_end end;
    uint64_t seed; /* of the last definition */
    char cmdline[2048];
};

/* Reports as the agent would: with the command line and seed that the guest was given. */
static bool answer(void *context, const struct guest_definition *definition,
                   struct scripted_guest *ret)
{
    struct play *play = context;
    const struct script_guest guest = {
        .cmdline = definition->cmdline, .seed = definition->seed, .l3 = play->l3};

    script_clear(&play->script);
    play->script = (struct script)SCRIPT_INIT;
    script_describe(&play->script, &guest);
    if (!play->no_workload)
        script_wakeup(&play->script, 490, play->p99);
    script_end(&play->script);
    play->seed = definition->seed;
    snprintf(play->cmdline, sizeof play->cmdline, "%s", definition->cmdline);
    *ret = (struct scripted_guest){.console = "Linux version 6.1.0\n",
                                   .records = play->script.bytes.data,
                                   .records_length = play->script.bytes.length,
                                   .end = play->end};
    return true;
}

/* A specification of which every part is there. */
struct stage {
    struct topology *pair;
    struct workload_request request;
    char *kernel, *image;
    struct trial_spec spec;
};

static void stage_set(struct stage *stage, const char *directory)
{
    struct culprit_error error = {0};

    stage->pair = script_pair();
    script_request(&stage->request);
    stage->kernel = path_join(directory, "bzImage");
    stage->image = path_join(directory, "image");
    assert_success(file_write_atomic(stage->kernel, "kernel", 6, 0600, &error));
    assert_success(file_write_atomic(stage->image, "image", 5, 0600, &error));
    stage->spec = (struct trial_spec){
        .kernel = stage->kernel,
        .guest_image = stage->image,
        .topology = stage->pair,
        .engine = ENGINE_DETERMINISTIC,
        .shift = stage->pair->shift,
        .memory = stage->pair->memory,
        .workloads = &stage->request,
        .workload_count = 1,
        .seed = 7,
        .directory = directory,
        .label = "test",
    };
}

static void stage_clear_cleanup(struct stage *stage)
{
    topology_free(stage->pair);
    workload_request_clear(&stage->request);
    free(stage->kernel);
    free(stage->image);
}

#define _cleanup_stage_ __attribute__((cleanup(stage_clear_cleanup)))

static struct trial_result *run_play(struct play *play, const struct trial_spec *spec)
{
    CULPRIT_CLEANUP(hypervisor_free) struct hypervisor *hypervisor = NULL;
    struct trial_result *result = NULL;
    struct culprit_error error = {0};

    assert_success(scripted_hypervisor_new_computed(answer, play, &hypervisor, &error));
    assert_success(trial_run(hypervisor, spec, NULL, &result, &error));
    script_clear(&play->script);
    play->script = (struct script)SCRIPT_INIT;
    return result;
}

static void test_metrics_and_digest(void **state)
{
    _cleanup_stage_ struct stage stage = {0};
    CULPRIT_CLEANUP(trial_result_free) struct trial_result *first = NULL;
    CULPRIT_CLEANUP(trial_result_free) struct trial_result *again = NULL;
    CULPRIT_CLEANUP(trial_result_free) struct trial_result *seeded = NULL;
    CULPRIT_CLEANUP(trial_result_free) struct trial_result *slower = NULL;
    struct play play = {.p99 = 2516};
    double value = 0;

    stage_set(&stage, *state);
    first = run_play(&play, &stage.spec);
    assert_string_equal(first->message, "");
    assert_int_equal(first->outcome, OUTCOME_OK);
    assert_true(trial_result_metric(first, "wakeup.latency.p99", &value));
    assert_true(value == 2516);
    assert_false(trial_result_metric(first, "wakeup.latency.p42", &value));
    assert_int_equal(strlen(first->digest), 64);
    again = run_play(&play, &stage.spec);
    assert_string_equal(again->digest, first->digest);
    stage.spec.seed = 8;
    seeded = run_play(&play, &stage.spec);
    assert_string_not_equal(seeded->digest, first->digest);
    stage.spec.seed = 7;
    play.p99 = 15792;
    slower = run_play(&play, &stage.spec);
    assert_string_not_equal(slower->digest, first->digest);
}

/* Another kernel or image behind the same path is another trial. */
static void test_digest_covers_kernel_and_image(void **state)
{
    _cleanup_stage_ struct stage stage = {0};
    CULPRIT_CLEANUP(trial_result_free) struct trial_result *first = NULL;
    CULPRIT_CLEANUP(trial_result_free) struct trial_result *kernel = NULL;
    CULPRIT_CLEANUP(trial_result_free) struct trial_result *image = NULL;
    struct culprit_error error = {0};
    struct play play = {.p99 = 1};

    stage_set(&stage, *state);
    first = run_play(&play, &stage.spec);
    assert_success(file_write_atomic(stage.kernel, "other", 5, 0600, &error));
    kernel = run_play(&play, &stage.spec);
    assert_string_not_equal(kernel->digest, first->digest);
    assert_string_not_equal(kernel->kernel_digest, first->kernel_digest);
    assert_success(file_write_atomic(stage.image, "another", 7, 0600, &error));
    image = run_play(&play, &stage.spec);
    assert_string_not_equal(image->digest, kernel->digest);
}

static void test_result_as_json(void **state)
{
    static const char *const identity[] = {"kernel", "image",  "qemu", "definition", "topology",
                                           "engine", "memory", "seed", "cmdline",    "plan"};
    _cleanup_stage_ struct stage stage = {0};
    CULPRIT_CLEANUP(trial_result_free) struct trial_result *result = NULL;
    CULPRIT_CLEANUP(json_decref) json_t *json = NULL;
    struct play play = {.p99 = 2516.25};
    json_t *metric;

    stage_set(&stage, *state);
    result = run_play(&play, &stage.spec);
    json = trial_result_json(result);
    assert_non_null(json);
    assert_string_equal(json_string_value(json_object_get(json, "outcome")), "ok");
    assert_string_equal(json_string_value(json_object_get(json, "digest")), result->digest);
    metric = json_array_get(json_object_get(json, "metrics"), 1);
    assert_string_equal(json_string_value(json_object_get(metric, "name")), "wakeup.latency.p99");
    assert_true(json_real_value(json_object_get(metric, "value")) == 2516.25);
    assert_int_equal(json_array_size(json_object_get(json, "counters")), 1);
    assert_int_equal(json_array_size(json_object_get(json, "comparison")), 9);
    for (size_t i = 0; i < sizeof identity / sizeof *identity; i++) {
        if (!json_object_get(json_object_get(json, "identity"), identity[i]))
            fail_msg("the identity lacks \"%s\"", identity[i]);
    }
}

/* What was asked for reaches the guest. */
static void test_job_additions(void **state)
{
    _cleanup_stage_ struct stage stage = {0};
    _cleanup_strv_ struct strv cmdline = {0};
    _cleanup_strv_ struct strv sysctls = {0};
    CULPRIT_CLEANUP(trial_result_free) struct trial_result *result = NULL;
    struct play play = {.p99 = 1};
    const char *plan;

    stage_set(&stage, *state);
    strv_append(&cmdline, "nohz=off");
    strv_append(&sysctls, "kernel.sched_autogroup_enabled 0");
    stage.spec.cmdline = &cmdline;
    stage.spec.sysctls = &sysctls;
    result = run_play(&play, &stage.spec);
    assert_int_equal(result->outcome, OUTCOME_OK);
    assert_int_equal(play.seed, 7);
    assert_contains(play.cmdline, "nohz=off");
    plan = json_string_value(json_object_get(result->identity, "plan"));
    assert_contains(plan, "\nsysctl kernel.sched_autogroup_enabled 0\n");
}

static void test_wrong_layout(void **state)
{
    _cleanup_stage_ struct stage stage = {0};
    CULPRIT_CLEANUP(trial_result_free) struct trial_result *result = NULL;
    struct play play = {.p99 = 1, .l3 = "0"};
    double value;

    stage_set(&stage, *state);
    result = run_play(&play, &stage.spec);
    assert_int_equal(result->outcome, OUTCOME_BOOT_FAILED);
    assert_contains(result->message, "L3 caches: asked 0-1, seen 0");
    assert_string_equal(result->digest, "");
    assert_int_equal(result->metric_count, 0);
    assert_false(trial_result_metric(result, "wakeup.latency.p99", &value));
    assert_non_null(result->topology);
}

static void test_host_trouble(void **state)
{
    static const struct {
        enum culprit_code code;
        enum outcome outcome; /* OK: the trial has no result, but the error itself */
    } cases[] = {
        {CULPRIT_UNAVAILABLE, OUTCOME_INFRA_FAILED}, {CULPRIT_IO, OUTCOME_INFRA_FAILED},
        {CULPRIT_NO_SPACE, OUTCOME_INFRA_FAILED},    {CULPRIT_CANCELLED, OUTCOME_CANCELLED},
        {CULPRIT_UNSUPPORTED, OUTCOME_OK},           {CULPRIT_INVALID, OUTCOME_OK},
    };
    _cleanup_stage_ struct stage stage = {0};

    stage_set(&stage, *state);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct scripted_guest guest = {.start_failure = cases[i].code,
                                             .failure_message = "the host says no"};
        CULPRIT_CLEANUP(hypervisor_free) struct hypervisor *hypervisor = NULL;
        CULPRIT_CLEANUP(trial_result_free) struct trial_result *result = NULL;
        struct culprit_error error = {0};

        assert_success(scripted_hypervisor_new(&guest, 1, &hypervisor, &error));
        if (cases[i].outcome == OUTCOME_OK) {
            assert_failure(trial_run(hypervisor, &stage.spec, NULL, &result, &error),
                           cases[i].code);
            assert_contains(error.message, "the host says no");
        } else {
            assert_success(trial_run(hypervisor, &stage.spec, NULL, &result, &error));
            assert_int_equal(result->outcome, cases[i].outcome);
            assert_contains(result->message, "the host says no");
        }
    }
}

static void test_missing_kernel(void **state)
{
    _cleanup_stage_ struct stage stage = {0};
    CULPRIT_CLEANUP(trial_result_free) struct trial_result *result = NULL;
    struct play play = {.p99 = 1};

    stage_set(&stage, *state);
    assert_int_equal(remove(stage.kernel), 0);
    result = run_play(&play, &stage.spec);
    assert_int_equal(result->outcome, OUTCOME_INFRA_FAILED);
    assert_contains(result->message, stage.kernel);
}

static void test_silent_guest_meets_its_deadline(void **state)
{
    const struct scripted_guest guest = {.console = "Booting\n", .runs_forever = true};
    _cleanup_stage_ struct stage stage = {0};
    CULPRIT_CLEANUP(hypervisor_free) struct hypervisor *hypervisor = NULL;
    CULPRIT_CLEANUP(trial_result_free) struct trial_result *result = NULL;
    struct culprit_error error = {0};

    stage_set(&stage, *state);
    stage.spec.deadline_ns = 50000000;
    assert_success(scripted_hypervisor_new(&guest, 1, &hypervisor, &error));
    assert_success(trial_run(hypervisor, &stage.spec, NULL, &result, &error));
    assert_int_equal(result->outcome, OUTCOME_TIMED_OUT);
    assert_contains(result->message, "before the agent's first record");
}

static void test_cancelled(void **state)
{
    const struct scripted_guest guest = {.runs_forever = true};
    _cleanup_stage_ struct stage stage = {0};
    CULPRIT_CLEANUP(hypervisor_free) struct hypervisor *hypervisor = NULL;
    CULPRIT_CLEANUP(trial_result_free) struct trial_result *result = NULL;
    struct culprit_error error = {0};
    struct cancel *cancel = NULL;

    stage_set(&stage, *state);
    assert_success(cancel_new(&cancel, &error));
    cancel_request(cancel);
    assert_success(scripted_hypervisor_new(&guest, 1, &hypervisor, &error));
    assert_success(trial_run(hypervisor, &stage.spec, cancel, &result, &error));
    assert_int_equal(result->outcome, OUTCOME_CANCELLED);
    cancel_free(cancel);
}

/* A guest that floods the result port is stopped, and its file, as long as it may be, is read. */
static void test_flooded_port(void **state)
{
    _cleanup_stage_ struct stage stage = {0};
    CULPRIT_CLEANUP(hypervisor_free) struct hypervisor *hypervisor = NULL;
    CULPRIT_CLEANUP(trial_result_free) struct trial_result *result = NULL;
    size_t length = RECORD_BYTES_MAXIMUM + 1000;
    _cleanup_free_ char *garbage = malloc(length);
    struct scripted_guest guest = {.records = garbage, .records_length = length};
    struct culprit_error error = {0};

    assert_non_null(garbage);
    memset(garbage, 'x', length);
    stage_set(&stage, *state);
    assert_success(scripted_hypervisor_new(&guest, 1, &hypervisor, &error));
    assert_success(trial_run(hypervisor, &stage.spec, NULL, &result, &error));
    assert_int_equal(result->outcome, OUTCOME_INFRA_FAILED);
    assert_contains(result->message, "longer than 4096 bytes");
}

static void test_specification_is_checked(void **state)
{
    _cleanup_stage_ struct stage stage = {0};
    CULPRIT_CLEANUP(trial_result_free) struct trial_result *result = NULL;
    struct culprit_error error = {0};

    stage_set(&stage, *state);
    stage.spec.engine = ENGINE_AUTO;
    assert_failure(trial_run(NULL, &stage.spec, NULL, &result, &error), CULPRIT_INVALID);
    stage.spec.engine = ENGINE_DETERMINISTIC;
    stage.spec.seed = UINT64_C(1) << 63;
    assert_failure(trial_run(NULL, &stage.spec, NULL, &result, &error), CULPRIT_INVALID);
    stage.spec.seed = 1;
    stage.spec.kernel = NULL;
    assert_failure(trial_run(NULL, &stage.spec, NULL, &result, &error), CULPRIT_INVALID);
}

static void test_topology_check(void **state)
{
    _cleanup_stage_ struct stage stage = {0};
    struct topology_check check;
    struct play play = {.no_workload = true};

    stage_set(&stage, *state);
    check = (struct topology_check){.topology = stage.pair,
                                    .kernel = stage.kernel,
                                    .guest_image = stage.image,
                                    .engine = ENGINE_FUNCTIONAL,
                                    .directory = *state};
    for (int wrong = 0; wrong < 2; wrong++) {
        CULPRIT_CLEANUP(hypervisor_free) struct hypervisor *hypervisor = NULL;
        CULPRIT_CLEANUP(trial_result_free) struct trial_result *result = NULL;
        struct culprit_error error = {0};

        play.l3 = wrong ? "0" : NULL;
        assert_success(scripted_hypervisor_new_computed(answer, &play, &hypervisor, &error));
        assert_success(topology_check_run(hypervisor, &check, NULL, &result, &error));
        assert_int_equal(topology_comparison_same(&result->comparison), !wrong);
        assert_int_equal(result->comparison.count, 9);
    }
    script_clear(&play.script);
}

static void test_topology_check_needs_a_description(void **state)
{
    const struct scripted_guest guest = {.end = GUEST_PANICKED, .reason = "Kernel panic: VFS"};
    _cleanup_stage_ struct stage stage = {0};
    CULPRIT_CLEANUP(hypervisor_free) struct hypervisor *hypervisor = NULL;
    struct trial_result *result = NULL;
    struct culprit_error error = {0};
    struct topology_check check;

    stage_set(&stage, *state);
    check = (struct topology_check){.topology = stage.pair,
                                    .kernel = stage.kernel,
                                    .guest_image = stage.image,
                                    .engine = ENGINE_FUNCTIONAL,
                                    .directory = *state};
    assert_success(scripted_hypervisor_new(&guest, 1, &hypervisor, &error));
    assert_failure(topology_check_run(hypervisor, &check, NULL, &result, &error), CULPRIT_FAILED);
    assert_contains(error.message, "cannot check topology pair: the kernel panicked");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(test_metrics_and_digest),
        scratch_test(test_digest_covers_kernel_and_image),
        scratch_test(test_result_as_json),
        scratch_test(test_job_additions),
        scratch_test(test_wrong_layout),
        scratch_test(test_host_trouble),
        scratch_test(test_missing_kernel),
        scratch_test(test_silent_guest_meets_its_deadline),
        scratch_test(test_cancelled),
        scratch_test(test_flooded_port),
        scratch_test(test_specification_is_checked),
        scratch_test(test_topology_check),
        scratch_test(test_topology_check_needs_a_description),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
