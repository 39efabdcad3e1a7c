/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that are right: what is read, which defaults are filled in, and the way to JSON and back. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/file.h"
#include "job/job.h"

static struct job *decode(const char *text)
{
    struct job *job = NULL;
    struct culprit_error error = {0};

    if (job_decode(text, strlen(text), NULL, &job, &error) < 0)
        fail_msg("%u:%u: %s: %s", error.line, error.column, error.where, error.message);
    return job;
}

static const char full[] =
    "version: 1\n"
    "name: lb-rework\n"
    "kind: bisect\n"
    "source: {repository: linux, good: v5.4, bad: v5.5~3, first_parent: true}\n"
    "kernel:\n"
    "  config: [guest-x86_64]\n"
    "  options: {HZ_250: y, NR_CPUS: 64, PHYSICAL_START: 0x1000000, LOCALVERSION: \"-x\",\n"
    "            MODULES: \"n\", SHIFT: -3}\n"
    "  config_file: |\n"
    "    # a comment\n"
    "    CONFIG_SMP=y\n"
    "    # CONFIG_KVM is not set\n"
    "  patches:\n"
    "    - |\n"
    "      --- a/kernel/sched/fair.c\n"
    "      +++ b/kernel/sched/fair.c\n"
    "      @@ -1 +1 @@\n"
    "      -\told \"text\" \\ ä\n"
    "      +\tnew\n"
    "guest:\n"
    "  topology: vm-40cpu-smt\n"
    "  image: full\n"
    "  memory: 2GiB\n"
    "  engine: deterministic\n"
    "  shift: 3\n"
    "  cmdline: [nosmt, 'sched_verbose=1']\n"
    "  sysctl: {kernel.sched_autogroup_enabled: 0, kernel.core_pattern: a b}\n"
    "  sched_features: [NO_PLACE_LAG]\n"
    "workloads:\n"
    "  - wakeup: {message_threads: 2, workers: 20, runtime: 30s, think: 1s, sleep: 1ms}\n"
    "  - exec: {command: \"true\", allow_failure: true}\n"
    "metric: {name: wakeup.latency.p99, better: lower, min_effect: 12.3%}\n"
    "confidence: 0.95\n"
    "trials: 7\n"
    "seed: 9223372036854775807\n"
    "budget: {builds: 8, trials: 40, time: 90m}\n"
    "notify: {mail: [sched-perf@example.org, \"o'neil+x@example.org\"]}\n";

static void test_every_key(void **state)
{
    CULPRIT_CLEANUP(job_free) struct job *job = decode(full);

    (void)state;
    assert_int_equal(job->version, 1);
    assert_string_equal(job->name, "lb-rework");
    assert_int_equal(job->kind, JOB_BISECT);
    assert_string_equal(job->source.good, "v5.4");
    assert_string_equal(job->source.bad, "v5.5~3");
    assert_true(job->source.first_parent);
    assert_int_equal(job->kernel.fragments.count, 1);
    assert_int_equal(job->kernel.option_count, 6);
    assert_string_equal(job->kernel.options[0].value, "y");
    assert_int_equal(job->kernel.options[0].line, 7);
    assert_int_equal(job->kernel.options[0].column, 13);
    assert_string_equal(job->kernel.options[1].value, "64");
    assert_string_equal(job->kernel.options[2].value, "0x1000000");
    assert_string_equal(job->kernel.options[3].value, "\"-x\"");
    assert_string_equal(job->kernel.options[4].value, "n");
    assert_string_equal(job->kernel.options[5].value, "-3");
    assert_non_null(strstr(job->kernel.config_file, "CONFIG_SMP=y\n"));
    assert_int_equal(job->kernel.patches.count, 1);
    assert_int_equal(job->guest.memory, UINT64_C(2) << 30);
    assert_int_equal(job->guest.engine, ENGINE_DETERMINISTIC);
    assert_int_equal(job->guest.shift, 3);
    assert_string_equal(job->guest.sysctls.items[0], "kernel.sched_autogroup_enabled 0");
    assert_string_equal(job->guest.sysctls.items[1], "kernel.core_pattern a b");
    assert_int_equal(job->workload_count, 2);
    assert_string_equal(job->workloads[0].options[2].value, "30000000000");
    assert_string_equal(job->metric.name, "wakeup.latency.p99");
    assert_true(job->metric.relative);
    assert_true(fabs(job->metric.min_effect - 0.123) < 1e-15);
    assert_true(job->seed == INT64_MAX);
    assert_true(job->budget.time_ns == UINT64_C(5400000000000));
    assert_int_equal(job->mail.count, 2);
}

static void test_defaults(void **state)
{
    CULPRIT_CLEANUP(job_free)
    struct job *job = decode("version: 1\nname: x\nkind: run\n"
                             "source: {repository: linux, commit: v6.1}\n"
                             "guest: {topology: pair}\n"
                             "workloads: [{wakeup: }]\n");

    (void)state;
    assert_int_equal(job->kernel.fragments.count, 2);
    assert_string_equal(job->kernel.fragments.items[0], "guest-x86_64");
    assert_string_equal(job->kernel.fragments.items[1], "sched");
    assert_string_equal(job->guest.image, "minimal");
    assert_int_equal(job->guest.memory, 0);
    assert_int_equal(job->guest.shift, -1);
    assert_int_equal(job->guest.engine, ENGINE_AUTO);
    assert_null(job->metric.name);
    assert_true(job->confidence > 0.989 && job->confidence < 0.991);
    assert_int_equal(job->trials, 5);
    assert_int_equal(job->seed, 1);
    assert_int_equal(job->budget.builds, 40);
    assert_int_equal(job->budget.trials, 400);
}

/* The user's .config is taken as it is: no fragment unless the job names one. */
static void test_config_file_stands_alone(void **state)
{
    CULPRIT_CLEANUP(job_free)
    struct job *job = decode("version: 1\nname: x\nkind: run\n"
                             "source: {repository: linux, commit: v6.1}\n"
                             "kernel: {config_file: \"CONFIG_SMP=y\\n\"}\n"
                             "guest: {topology: pair}\n"
                             "workloads: [{wakeup: {}}]\n");

    (void)state;
    assert_int_equal(job->kernel.fragments.count, 0);
}

static void test_direction_is_the_metrics(void **state)
{
    CULPRIT_CLEANUP(job_free)
    struct job *job = decode("version: 1\nname: x\nkind: run\n"
                             "source: {repository: linux, commit: v6.1}\n"
                             "guest: {topology: pair}\n"
                             "workloads: [{wakeup: {}}]\n"
                             "metric: {name: wakeup.loops, min_effect: 0.5}\n");

    (void)state;
    assert_int_equal(job->metric.better, BETTER_HIGHER);
    assert_false(job->metric.relative);
    assert_true(fabs(job->metric.min_effect - 0.5) < 1e-15);
}

static void test_counters_can_be_the_metric(void **state)
{
    CULPRIT_CLEANUP(job_free)
    struct job *job = decode("version: 1\nname: x\nkind: run\n"
                             "source: {repository: linux, commit: v6.1}\n"
                             "guest: {topology: pair}\n"
                             "workloads: [{wakeup: {}}]\n"
                             "metric: {name: schedstat.domain0.lb_failed_idle, better: lower}\n");

    (void)state;
    assert_int_equal(job->metric.better, BETTER_LOWER);
}

/* The JSON form decodes to an equal job: its own JSON form is the same text. */
static void assert_round_trip(const char *text)
{
    CULPRIT_CLEANUP(job_free) struct job *first = decode(text);
    CULPRIT_CLEANUP(job_free) struct job *second = NULL;
    _cleanup_free_ char *one = NULL;
    _cleanup_free_ char *two = NULL;
    json_t *json = job_json(first);

    assert_non_null(json);
    one = json_dumps(json, 0);
    json_decref(json);
    assert_non_null(one);
    second = decode(one);
    json = job_json(second);
    two = json_dumps(json, JSON_INDENT(2));
    json_decref(json);
    assert_non_null(two);
    json = job_json(second);
    free(two);
    two = json_dumps(json, 0);
    json_decref(json);
    assert_string_equal(one, two);
    assert_true(memcmp(&first->confidence, &second->confidence, sizeof(double)) == 0);
    assert_true(memcmp(&first->metric.min_effect, &second->metric.min_effect, sizeof(double)) == 0);
    assert_int_equal(first->seed, second->seed);
    assert_int_equal(first->kernel.patches.count, second->kernel.patches.count);
    for (size_t i = 0; i < first->kernel.patches.count; i++)
        assert_string_equal(first->kernel.patches.items[i], second->kernel.patches.items[i]);
}

static void test_round_trip(void **state)
{
    (void)state;
    assert_round_trip(full);
    for (int i = 1; i < 400; i++) {
        _cleanup_buffer_ struct buffer text = BUFFER_INIT(4096);

        buffer_printf(&text,
                      "version: 1\nname: x\nkind: bisect\n"
                      "source: {repository: linux, good: a, bad: b}\n"
                      "guest: {topology: pair}\n"
                      "workloads: [{wakeup: {}}]\n"
                      "confidence: 0.%d\n"
                      "metric: {name: wakeup.latency.p99, min_effect: %d.%02d%s}\n",
                      600 + i, i * 7, i % 100, i % 2 ? "%" : "");
        assert_round_trip(text.data);
    }
}

/* The largest inline text, all of it characters that JSON escapes, still fits when written. */
static void test_round_trip_of_large_patches(void **state)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(1 << 20);

    (void)state;
    buffer_puts(&text, "version: 1\nname: x\nkind: run\n"
                       "source: {repository: linux, commit: v6.1}\n"
                       "guest: {topology: pair}\n"
                       "workloads: [{wakeup: {}}]\n"
                       "kernel:\n  patches:\n    - |\n      diff --git a b\n");
    while (text.length < 447 * 1024)
        buffer_puts(
            &text,
            "      \t\t\t\t\t\t\t\"\"\"\"\"\"\"\"\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\t\t\t\t\t\n");
    assert_round_trip(text.data);
}

static void test_round_trip_of_criteria(void **state)
{
    static const char *const criteria[] = {"{exit: workload}",
                                           "{console: '\\[ *[0-9]+\\] \"(BUG|WARNING)\": x{2,3}'}"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        _cleanup_buffer_ struct buffer text = BUFFER_INIT(4096);
        CULPRIT_CLEANUP(job_free) struct job *job = NULL;

        buffer_printf(&text,
                      "version: 1\nname: x\nkind: bisect\n"
                      "source: {repository: linux, good: a, bad: b}\n"
                      "guest: {topology: pair}\n"
                      "workloads: [{wakeup: {}}]\n"
                      "criterion: %s\n",
                      criteria[i]);
        assert_round_trip(text.data);
        job = decode(text.data);
        assert_int_equal(job->criterion.kind, i == 0 ? CRITERION_EXIT : CRITERION_CONSOLE);
        assert_null(job->metric.name);
        if (i == 1)
            assert_string_equal(job->criterion.console, "\\[ *[0-9]+\\] \"(BUG|WARNING)\": x{2,3}");
    }
}

static void test_confirmations_can_be_left_out(void **state)
{
    static const struct {
        const char *line;
        bool alignment, revert;
    } cases[] = {
        {"", true, true},
        {"confirm: {}", true, true},
        {"confirm: {alignment: false}", false, true},
        {"confirm: {alignment: true, revert: false}", true, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CULPRIT_CLEANUP(job_free) struct job *job = NULL;
        _cleanup_buffer_ struct buffer text = BUFFER_INIT(4096);

        buffer_printf(&text,
                      "version: 1\nname: x\nkind: bisect\n"
                      "source: {repository: linux, good: a, bad: b}\n"
                      "guest: {topology: pair}\nworkloads: [{wakeup: {}}]\n"
                      "metric: {name: wakeup.latency.p99}\n%s\n",
                      cases[i].line);
        assert_round_trip(text.data);
        job = decode(text.data);
        assert_int_equal(job->confirm.alignment, cases[i].alignment);
        assert_int_equal(job->confirm.revert, cases[i].revert);
    }
}

/* All examples that are shipped are right. */
static void test_examples(void **state)
{
    static const char *const names[] = {"tail-latency.yaml", "run.yaml", "exec.yaml",
                                        "console.yaml", "flaky-test.yaml"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        _cleanup_free_ char *path = text_format("%s/jobs/examples/%s", CULPRIT_SOURCE_DIR,
                                                names[i]);
        _cleanup_free_ char *text = NULL;
        struct culprit_error error = {0};

        if (file_read(path, JOB_DOCUMENT_MAXIMUM, &text, NULL, &error) < 0)
            fail_msg("%s", error.message);
        assert_round_trip(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_key),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_config_file_stands_alone),
        cmocka_unit_test(test_direction_is_the_metrics),
        cmocka_unit_test(test_counters_can_be_the_metric),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_round_trip_of_large_patches),
        cmocka_unit_test(test_round_trip_of_criteria),
        cmocka_unit_test(test_confirmations_can_be_left_out),
        cmocka_unit_test(test_examples),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
