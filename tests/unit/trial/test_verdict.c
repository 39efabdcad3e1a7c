/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each way in which a guest can end, and whether what it reported is what was asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "script.h"
#include "trial/verdict.h"

#define CMDLINE "console=ttyS0 culprit.pad=xyz"

/* How far the guest's records go. */
enum records {
    RECORDS_NONE,
    RECORDS_HELLO,    /* cut off within the description */
    RECORDS_READY,    /* the description is complete */
    RECORDS_RUNNING,  /* a workload has started */
    RECORDS_COMPLETE, /* end */
    RECORDS_FAILURE,
    RECORDS_SET_UP_FAILURE,
    RECORDS_UNREADABLE_PLAN, /* hello, failure, end */
    RECORDS_GARBLED,
};

static void write_records(struct script *script, enum records records,
                          const struct script_guest *guest)
{
    if (records == RECORDS_NONE)
        return;
    script_describe(script, guest);
    if (records == RECORDS_HELLO || records == RECORDS_UNREADABLE_PLAN) {
        script->bytes.length = (size_t)(strchr(script->bytes.data, '\n') - script->bytes.data) + 1;
        script->count = 1;
    }
    if (records == RECORDS_UNREADABLE_PLAN)
        script_add(script, "\"t\":\"failure\",\"reason\":\"plan, line 2: no seed\"");
    if (records == RECORDS_COMPLETE)
        script_wakeup(script, 1, 2);
    if (records == RECORDS_RUNNING || records == RECORDS_FAILURE)
        script_add(script, "\"t\":\"start\",\"workload\":\"wakeup\",\"index\":0");
    if (records == RECORDS_FAILURE)
        script_add(script, "\"t\":\"failure\",\"index\":0,\"reason\":\"ended by signal 11\"");
    if (records == RECORDS_SET_UP_FAILURE)
        script_add(script, "\"t\":\"failure\",\"reason\":\"no such sysctl: kernel.x\"");
    if (records == RECORDS_GARBLED)
        buffer_puts(&script->bytes, "[  1.0] garbage\n");
    if (records >= RECORDS_COMPLETE && records != RECORDS_GARBLED)
        script_end(script);
}

struct fixture {
    struct topology *pair;
    struct workload_request request;
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);

    fixture->pair = script_pair();
    script_request(&fixture->request);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    topology_free(fixture->pair);
    workload_request_clear(&fixture->request);
    free(fixture);
    return 0;
}

static void reach(const struct fixture *fixture, const struct trial_spec *wanted,
                  const struct guest_run *run, const struct script *script, struct verdict *verdict)
{
    CULPRIT_CLEANUP(guest_report_free) struct guest_report *report = NULL;
    struct topology_comparison comparison = {0};
    struct trial_spec spec = *wanted;

    spec.topology = fixture->pair;
    spec.workloads = &fixture->request;
    spec.workload_count = 1;
    spec.memory = UINT64_C(512) << 20;
    assert_int_equal(records_read(script->bytes.data ? script->bytes.data : "",
                                  script->bytes.length, &report, NULL),
                     0);
    if (report->described)
        assert_int_equal(topology_compare(fixture->pair, &report->seen, &comparison, NULL), 0);
    verdict_reach(&spec, CMDLINE, run, report, &comparison, verdict);
    topology_comparison_clear(&comparison);
}

static const struct ending {
    enum guest_end end;
    const char *reason;
    enum records records;
    enum outcome outcome;
    const char *message;
} endings[] = {
    {GUEST_POWERED_OFF, "", RECORDS_COMPLETE, OUTCOME_OK, ""},
    {GUEST_POWERED_OFF, "", RECORDS_NONE, OUTCOME_BOOT_FAILED,
     "the guest went down before the agent's first record"},
    {GUEST_POWERED_OFF, "", RECORDS_RUNNING, OUTCOME_WORKLOAD_FAILED,
     "the guest went down while workload wakeup ran, without its end record (14 records)"},
    {GUEST_POWERED_OFF, "", RECORDS_READY, OUTCOME_WORKLOAD_FAILED, "without its end record"},
    {GUEST_POWERED_OFF, "", RECORDS_FAILURE, OUTCOME_WORKLOAD_FAILED,
     "workload wakeup failed: ended by signal 11"},
    {GUEST_POWERED_OFF, "", RECORDS_SET_UP_FAILURE, OUTCOME_WORKLOAD_FAILED,
     "the agent could not carry out the plan: no such sysctl: kernel.x"},
    {GUEST_POWERED_OFF, "", RECORDS_UNREADABLE_PLAN, OUTCOME_WORKLOAD_FAILED,
     "the agent could not carry out the plan: plan, line 2: no seed"},
    {GUEST_POWERED_OFF, "", RECORDS_GARBLED, OUTCOME_INFRA_FAILED,
     "the guest's result port is garbled: line 14 of the result port: no checksum"},
    {GUEST_PANICKED, "Kernel panic - not syncing: VFS", RECORDS_NONE, OUTCOME_BOOT_FAILED,
     "the kernel panicked before the agent's first record: Kernel panic - not syncing: VFS"},
    {GUEST_PANICKED, "Kernel panic - not syncing: oops", RECORDS_RUNNING, OUTCOME_KERNEL_CRASHED,
     "the kernel panicked while workload wakeup ran: Kernel panic"},
    {GUEST_PANICKED, "Kernel panic", RECORDS_COMPLETE, OUTCOME_KERNEL_CRASHED,
     "after the last record"},
    {GUEST_PANICKED, "Kernel panic", RECORDS_GARBLED, OUTCOME_KERNEL_CRASHED, "panicked"},
    {GUEST_PANICKED, "Kernel panic - not syncing: Attempted to kill init! exitcode=0x0b",
     RECORDS_RUNNING, OUTCOME_WORKLOAD_FAILED, "the agent in the guest died"},
    {GUEST_PANICKED, "Kernel panic - not syncing: No working init found.", RECORDS_NONE,
     OUTCOME_BOOT_FAILED, "the agent in the guest died"},
    {GUEST_LOCKED_UP, "watchdog: BUG: soft lockup", RECORDS_HELLO, OUTCOME_KERNEL_CRASHED,
     "the kernel locked up while the agent described the guest: watchdog"},
    {GUEST_LOCKED_UP, "", RECORDS_NONE, OUTCOME_BOOT_FAILED, "its console does not say why"},
    {GUEST_DEADLINE, "", RECORDS_NONE, OUTCOME_TIMED_OUT,
     "the guest was stopped at its deadline, after 1m 30s, before the agent's first record"},
    {GUEST_DEADLINE, "", RECORDS_RUNNING, OUTCOME_TIMED_OUT, "while workload wakeup ran"},
    {GUEST_CONSOLE_LIMIT, "", RECORDS_NONE, OUTCOME_BOOT_FAILED, "more to its console"},
    {GUEST_CONSOLE_LIMIT, "", RECORDS_RUNNING, OUTCOME_WORKLOAD_FAILED, "more to its console"},
    {GUEST_RECORDS_LIMIT, "", RECORDS_RUNNING, OUTCOME_WORKLOAD_FAILED, "more to its result port"},
    {GUEST_RECORDS_LIMIT, "", RECORDS_GARBLED, OUTCOME_INFRA_FAILED, "garbled"},
    {GUEST_CANCELLED, "", RECORDS_RUNNING, OUTCOME_CANCELLED, "cancelled"},
    {GUEST_VANISHED, "killed by signal 9", RECORDS_RUNNING, OUTCOME_INFRA_FAILED,
     "QEMU ended by itself: killed by signal 9"},
    {GUEST_VANISHED, "", RECORDS_COMPLETE, OUTCOME_INFRA_FAILED, "QEMU ended by itself"},
};

static void expect(const struct verdict *verdict, size_t i, enum outcome outcome,
                   const char *message)
{
    if (verdict->outcome != outcome || !strstr(verdict->message, message) ||
        (outcome == OUTCOME_OK) != (verdict->message[0] == '\0'))
        fail_msg("case %zu: %s \"%s\", and not %s \"%s\"", i, outcome_name(verdict->outcome),
                 verdict->message, outcome_name(outcome), message);
}

static void test_endings(void **state)
{
    const struct script_guest guest = {.cmdline = CMDLINE, .seed = 7};
    const struct trial_spec spec = {.seed = 7};

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        _cleanup_script_ struct script script = SCRIPT_INIT;
        struct guest_run run = {.end = endings[i].end, .wall_ns = UINT64_C(90000000000)};
        struct verdict verdict;

        strcpy(run.reason, endings[i].reason);
        write_records(&script, endings[i].records, &guest);
        reach(*state, &spec, &run, &script, &verdict);
        assert_int_equal(verdict.by_workload, endings[i].records == RECORDS_FAILURE);
        expect(&verdict, i, endings[i].outcome, endings[i].message);
    }
}

/* A guest that ran to its end, and is not the one asked for. */
static void test_identity(void **state)
{
    static const struct {
        struct script_guest guest;
        const char *build_id;
        enum outcome outcome;
        const char *message;
    } cases[] = {
        {{.cmdline = CMDLINE, .seed = 7, .build_id = "abcd"}, "abcd", OUTCOME_OK, ""},
        {{.cmdline = CMDLINE, .seed = 7, .build_id = "abcd"}, "", OUTCOME_OK, ""},
        {{.cmdline = "quiet " CMDLINE, .seed = 7}, NULL, OUTCOME_OK, ""},
        {{.cmdline = CMDLINE, .seed = 7, .build_id = "abce"},
         "abcd",
         OUTCOME_INFRA_FAILED,
         "build id asked abcd, seen abce"},
        {{.cmdline = CMDLINE, .seed = 7},
         "abcd",
         OUTCOME_INFRA_FAILED,
         "build id asked abcd, seen none"},
        {{.cmdline = CMDLINE, .seed = 8}, NULL, OUTCOME_INFRA_FAILED, "seed asked 7, seen 8"},
        {{.cmdline = "console=ttyS0", .seed = 7},
         NULL,
         OUTCOME_BOOT_FAILED,
         "command line is not the one asked for"},
        {{.cmdline = CMDLINE, .seed = 7, .l3 = "0"},
         NULL,
         OUTCOME_BOOT_FAILED,
         "the guest is not laid out as asked: L3 caches: asked 0-1, seen 0"},
        {{.cmdline = CMDLINE, .seed = 7, .memory = UINT64_C(128) << 20},
         NULL,
         OUTCOME_BOOT_FAILED,
         "memory is not what was asked for: asked 512MiB, seen 128MiB"},
        {{.cmdline = CMDLINE, .seed = 7, .memory = UINT64_C(1) << 30},
         NULL,
         OUTCOME_BOOT_FAILED,
         "memory is not what was asked for"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        _cleanup_script_ struct script script = SCRIPT_INIT;
        const struct trial_spec spec = {.seed = 7, .build_id = cases[i].build_id};
        const struct guest_run run = {.end = GUEST_POWERED_OFF};
        struct verdict verdict;

        write_records(&script, RECORDS_COMPLETE, &cases[i].guest);
        reach(*state, &spec, &run, &script, &verdict);
        expect(&verdict, i, cases[i].outcome, cases[i].message);
    }
}

/* What a workload reports must be what its schema says. */
static void test_metrics(void **state)
{
    static const struct {
        const char *name, *unit, *better, *message;
    } cases[] = {
        {"wakeup.latency.p99", "us", "lower", ""},
        {"wakeup.latency.p99", "ms", "lower", "wakeup.latency.p99 (ms)"},
        {"wakeup.latency.p99", "us", "higher", "a metric that it does not give"},
        {"wakeup.other", "us", "lower", "workload wakeup reports a metric that it does not give"},
        {"exec.duration", "s", "lower", "a metric that it does not give: exec.duration"},
    };
    const struct script_guest guest = {.cmdline = CMDLINE, .seed = 7};
    const struct trial_spec spec = {.seed = 7};
    const struct guest_run run = {.end = GUEST_POWERED_OFF};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        _cleanup_script_ struct script script = SCRIPT_INIT;
        struct verdict verdict;

        script_describe(&script, &guest);
        script_add(&script, "\"t\":\"start\",\"workload\":\"wakeup\",\"index\":0");
        script_add(&script,
                   "\"t\":\"sample\",\"index\":0,\"name\":\"%s\",\"value\":1,\"unit\":\"%s\","
                   "\"better\":\"%s\"",
                   cases[i].name, cases[i].unit, cases[i].better);
        script_add(&script, "\"t\":\"finish\",\"workload\":\"wakeup\",\"index\":0");
        script_end(&script);
        reach(*state, &spec, &run, &script, &verdict);
        expect(&verdict, i, *cases[i].message ? OUTCOME_WORKLOAD_FAILED : OUTCOME_OK,
               cases[i].message);
    }
}

static void test_plan_not_carried_out(void **state)
{
    const struct script_guest guest = {.cmdline = CMDLINE, .seed = 7};
    const struct trial_spec spec = {.seed = 7};
    const struct guest_run run = {.end = GUEST_POWERED_OFF};
    _cleanup_script_ struct script none = SCRIPT_INIT;
    _cleanup_script_ struct script other = SCRIPT_INIT;
    struct verdict verdict;

    script_describe(&none, &guest);
    script_end(&none);
    reach(*state, &spec, &run, &none, &verdict);
    expect(&verdict, 0, OUTCOME_WORKLOAD_FAILED, "the agent finished 0 of 1 workloads");
    script_describe(&other, &guest);
    script_add(&other, "\"t\":\"start\",\"workload\":\"exec\",\"index\":0");
    script_add(&other, "\"t\":\"finish\",\"workload\":\"exec\",\"index\":0");
    script_end(&other);
    reach(*state, &spec, &run, &other, &verdict);
    expect(&verdict, 1, OUTCOME_INFRA_FAILED, "workload 0 asked wakeup, seen exec");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_endings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_identity, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_metrics, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_plan_not_carried_out, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
