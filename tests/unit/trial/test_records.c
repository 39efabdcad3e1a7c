/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result port as hostile input: what is right is read, and what is wrong gets a sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "script.h"
#include "trial/records.h"

static const struct script_guest plain_guest = {.cmdline = "console=ttyS0", .seed = 7};

static struct guest_report *read_bytes(const void *bytes, size_t length)
{
    struct guest_report *report = NULL;
    struct culprit_error error = {0};

    if (records_read(bytes, length, &report, &error) < 0)
        fail_msg("records_read: %s", error.message);
    return report;
}

static struct guest_report *read_script(const struct script *script)
{
    return read_bytes(script->bytes.data ? script->bytes.data : "", script->bytes.length);
}

static void complete(struct script *script)
{
    script_describe(script, &plain_guest);
    script_wakeup(script, 490, 2516.5);
    script_end(script);
}

static void expect_fault(const struct guest_report *report, const char *what, const char *sentence)
{
    if (!strstr(report->fault, sentence))
        fail_msg("%s: the fault should say \"%s\", and says \"%s\"", what, sentence, report->fault);
}

static void test_complete_run(void **state)
{
    _cleanup_script_ struct script script = SCRIPT_INIT;
    CULPRIT_CLEANUP(guest_report_free) struct guest_report *report = NULL;

    (void)state;
    complete(&script);
    report = read_script(&script);
    assert_string_equal(report->fault, "");
    assert_int_equal(report->stage, STAGE_END);
    assert_int_equal(report->hello.seed, 7);
    assert_string_equal(report->hello.cmdline, "console=ttyS0");
    assert_int_equal(report->seen.cpu_count, 2);
    assert_int_equal(report->seen.cache_count, 7);
    assert_int_equal(report->started.count, 1);
    assert_int_equal(report->finished, 1);
    assert_int_equal(report->metric_count, 3);
    assert_string_equal(report->metrics[1].name, "wakeup.latency.p99");
    assert_true(report->metrics[1].value == 2516.5);
    assert_true(report->metrics[2].counter);
    assert_int_equal(report->bytes, script.bytes.length);
}

/* A guest may end anywhere: every prefix is read without a fault, and is not complete. */
static void test_every_prefix(void **state)
{
    _cleanup_script_ struct script script = SCRIPT_INIT;

    (void)state;
    complete(&script);
    for (size_t length = 0; length < script.bytes.length; length++) {
        CULPRIT_CLEANUP(guest_report_free)
        struct guest_report *report = read_bytes(script.bytes.data, length);

        if (*report->fault || report->stage == STAGE_END)
            fail_msg("prefix of %zu bytes: stage %d, fault \"%s\"", length, (int)report->stage,
                     report->fault);
        assert_int_equal(report->cut_line, report->bytes != length);
    }
}

/* No single changed byte passes: the checksum covers all of a line but itself. */
static void test_every_changed_byte(void **state)
{
    _cleanup_script_ struct script script = SCRIPT_INIT;

    (void)state;
    complete(&script);
    for (size_t i = 0; i < script.bytes.length; i++) {
        CULPRIT_CLEANUP(guest_report_free) struct guest_report *report = NULL;

        script.bytes.data[i] ^= 1;
        report = read_script(&script);
        if (!*report->fault && report->stage == STAGE_END && !report->cut_line)
            fail_msg("byte %zu changed, and nobody noticed", i);
        script.bytes.data[i] ^= 1;
    }
}

static void test_lost_and_repeated_lines(void **state)
{
    _cleanup_script_ struct script script = SCRIPT_INIT;
    size_t begin = 0;

    (void)state;
    complete(&script);
    while (begin < script.bytes.length) {
        const char *newline = memchr(script.bytes.data + begin, '\n', script.bytes.length - begin);
        size_t end = (size_t)(newline - script.bytes.data) + 1;
        _cleanup_buffer_ struct buffer without = BUFFER_INIT(1 << 20);
        _cleanup_buffer_ struct buffer twice = BUFFER_INIT(1 << 20);
        CULPRIT_CLEANUP(guest_report_free) struct guest_report *lost = NULL;
        CULPRIT_CLEANUP(guest_report_free) struct guest_report *repeated = NULL;

        buffer_append(&without, script.bytes.data, begin);
        buffer_append(&without, script.bytes.data + end, script.bytes.length - end);
        lost = read_bytes(without.data, without.length);
        if (end < script.bytes.length)
            expect_fault(lost, "a lost line", "a record was lost or came twice");
        else
            assert_int_not_equal(lost->stage, STAGE_END);
        buffer_append(&twice, script.bytes.data, end);
        buffer_append(&twice, script.bytes.data + begin, script.bytes.length - begin);
        repeated = read_bytes(twice.data, twice.length);
        expect_fault(repeated, "a repeated line",
                     end < script.bytes.length ? "a record was lost or came twice"
                                               : "follows the end record");
        begin = end;
    }
}

/* After a good description, one record that must not be taken. */
struct refusal {
    const char *members;
    const char *sentence;
};

static const struct refusal refusals[] = {
    {"\"t\":\"surprise\"", "unknown type \"surprise\""},
    {"\"t\":\"\\u001b[2J\"", "unknown type \"\\x1b[2J\""},
    {"\"x\":1", "does not say its type"},
    {"\"t\":\"hello\"", "a hello record at the wrong place"},
    {"\"t\":\"cpu\"", "a cpu record at the wrong place"},
    {"\"t\":\"ready\",\"t\":\"ready\"", "not a JSON object"},
    {"\"t\":\"start\",\"workload\":\"wakeup\",\"index\":1", "workload 1 should not start now"},
    {"\"t\":\"start\",\"workload\":7,\"index\":0", "\"workload\" must be a string"},
    {"\"t\":\"start\",\"workload\":\"wakeup\",\"index\":-1", "\"index\" must be a whole number"},
    {"\"t\":\"start\",\"workload\":\"wakeup\",\"index\":0.0", "\"index\" must be a whole number"},
    {"\"t\":\"finish\",\"workload\":\"wakeup\",\"index\":0", "workload 0 is not running"},
    {"\"t\":\"sample\",\"index\":0,\"name\":\"a\",\"value\":1,\"unit\":\"us\",\"better\":\"lower\"",
     "workload 0 is not running"},
    {"\"t\":\"end\",\"records\":3,\"digest\":\"00000000\"", "it counts 3 records"},
    {"\"t\":\"end\",\"records\":13,\"digest\":\"00000001\"", "its digest does not fit"},
    {"\"t\":\"end\",\"records\":13,\"digest\":\"000000000\"", "\"digest\" must be a string"},
};

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        _cleanup_script_ struct script script = SCRIPT_INIT;
        CULPRIT_CLEANUP(guest_report_free) struct guest_report *report = NULL;

        script_describe(&script, &plain_guest);
        assert_int_equal(script.count, 13);
        script_add(&script, "%s", refusals[i].members);
        report = read_script(&script);
        expect_fault(report, refusals[i].members, refusals[i].sentence);
        expect_fault(report, refusals[i].members, "line 14 of the result port");
    }
}

/* The same within a running workload. */
static const struct refusal measured_refusals[] = {
    {"\"t\":\"sample\",\"index\":1,\"name\":\"a\",\"value\":1,\"unit\":\"us\",\"better\":\"lower\"",
     "workload 1 is not running"},
    {"\"t\":\"sample\",\"index\":0,\"name\":\"A\",\"value\":1,\"unit\":\"us\",\"better\":\"lower\"",
     "byte 0x41 in a name"},
    {"\"t\":\"sample\",\"index\":0,\"name\":\"a "
     "b\",\"value\":1,\"unit\":\"us\",\"better\":\"lower\"",
     "byte 0x20 in a name"},
    {"\"t\":\"sample\",\"index\":0,\"name\":\"\",\"value\":1,\"unit\":\"us\",\"better\":\"lower\"",
     "an empty name"},
    {"\"t\":\"sample\",\"index\":0,\"name\":\"a\",\"value\":\"1\",\"unit\":\"us\","
     "\"better\":\"lower\"",
     "\"value\" must be a finite number"},
    {"\"t\":\"sample\",\"index\":0,\"name\":\"a\",\"value\":1e999,\"unit\":\"us\","
     "\"better\":\"lower\"",
     "not a JSON object"},
    {"\"t\":\"sample\",\"index\":0,\"name\":\"a\",\"value\":NaN,\"unit\":\"us\",\"better\":"
     "\"lower\"",
     "not a JSON object"},
    {"\"t\":\"sample\",\"index\":0,\"name\":\"a\",\"value\":1,\"unit\":\"us\",\"better\":\"up\"",
     "\"better\" must be lower, higher or neither"},
    {"\"t\":\"sample\",\"index\":0,\"name\":\"a\",\"value\":1,\"unit\":\"0123456789abcdef\","
     "\"better\":\"lower\"",
     "\"unit\" must be a string of at most 15 bytes"},
    {"\"t\":\"counter\",\"index\":0,\"name\":\"a/b\",\"value\":1", "byte 0x2f in a name"},
    {"\"t\":\"histogram\",\"index\":0,\"name\":\"a\",\"unit\":\"us\",\"buckets\":[[1]]",
     "bucket 0 must be [upper bound, count]"},
    {"\"t\":\"histogram\",\"index\":0,\"name\":\"a\",\"unit\":\"us\",\"buckets\":{}",
     "\"buckets\" must be an array"},
    {"\"t\":\"start\",\"workload\":\"wakeup\",\"index\":0", "workload 0 should not start now"},
    {"\"t\":\"finish\",\"workload\":\"exec\",\"index\":0", "started under another name"},
    {"\"t\":\"end\",\"records\":14,\"digest\":\"00000000\"", "the end comes while workload 0 runs"},
};

static void test_refusals_while_running(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof measured_refusals / sizeof *measured_refusals; i++) {
        _cleanup_script_ struct script script = SCRIPT_INIT;
        CULPRIT_CLEANUP(guest_report_free) struct guest_report *report = NULL;

        script_describe(&script, &plain_guest);
        script_add(&script, "\"t\":\"start\",\"workload\":\"wakeup\",\"index\":0");
        script_add(&script, "%s", measured_refusals[i].members);
        report = read_script(&script);
        expect_fault(report, measured_refusals[i].members, measured_refusals[i].sentence);
        assert_int_equal(report->metric_count, 0);
    }
}

static void test_hello_is_checked(void **state)
{
    static const struct refusal hellos[] = {
        {"\"t\":\"hello\",\"protocol\":1,\"agent\":\"a\",\"seed\":-1", "\"seed\" must be"},
        {"\"t\":\"hello\",\"protocol\":\"1\"", "\"protocol\" must be"},
        {"\"t\":\"hello\",\"protocol\":1,\"agent\":\"a\",\"seed\":1,\"release\":\"r\","
         "\"version\":\"v\",\"build_id\":\"XYZ\",\"cmdline\":\"\",\"cpus\":1,\"memory\":1,"
         "\"clocksource\":\"tsc\"",
         "\"build_id\" must be hexadecimal"},
        {"\"t\":\"ready\"", "a ready record at the wrong place"},
        {"\"t\":\"log\",\"text\":\"hi\"", "a log record at the wrong place"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof hellos / sizeof *hellos; i++) {
        _cleanup_script_ struct script script = SCRIPT_INIT;
        CULPRIT_CLEANUP(guest_report_free) struct guest_report *report = NULL;

        script_add(&script, "%s", hellos[i].members);
        report = read_script(&script);
        expect_fault(report, hellos[i].members, hellos[i].sentence);
        assert_int_equal(report->stage, STAGE_NOTHING);
    }
}

static void test_garbage(void **state)
{
    static const struct {
        const char *bytes, *sentence;
    } garbage[] = {
        {"Linux version 6.1.0\n", "no checksum"},
        {"\n", "no checksum"},
        {"\xff\xfe\n", "byte 0xff, which no record has"},
        {"{\"n\":0,\"t\":\"ready\",\"crc\":\"0000000g\"}\n", "no checksum"},
        {"{\"n\":0,\"t\":\"ready\",\"crc\":\"00000000\"}\n", "checksum does not fit"},
    };
    _cleanup_buffer_ struct buffer line = BUFFER_INIT(1 << 20);
    CULPRIT_CLEANUP(guest_report_free) struct guest_report *longest = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) {
        CULPRIT_CLEANUP(guest_report_free)
        struct guest_report *report = read_bytes(garbage[i].bytes, strlen(garbage[i].bytes));
        expect_fault(report, garbage[i].bytes, garbage[i].sentence);
    }
    for (int i = 0; i < RECORD_LINE_MAXIMUM; i++)
        buffer_puts(&line, "x");
    longest = read_bytes(line.data, line.length);
    expect_fault(longest, "a long line", "longer than 4096 bytes");
}

/* Random bytes, and random damage to a good run: nothing may crash or be taken for complete. */
static void test_random_damage(void **state)
{
    _cleanup_script_ struct script script = SCRIPT_INIT;
    struct random random;

    (void)state;
    complete(&script);
    random_seed(&random, 42);
    for (int round = 0; round < 2000; round++) {
        _cleanup_buffer_ struct buffer bytes = BUFFER_INIT(1 << 20);
        CULPRIT_CLEANUP(guest_report_free) struct guest_report *report = NULL;
        size_t from = random_below(&random, script.bytes.length);
        size_t length = 1 + random_below(&random, 64);

        buffer_append(&bytes, script.bytes.data, script.bytes.length);
        for (size_t i = from; i < from + length && i < bytes.length; i++)
            bytes.data[i] = (char)random_next(&random);
        if (memcmp(bytes.data, script.bytes.data, bytes.length) == 0)
            continue;
        report = read_bytes(bytes.data, bytes.length);
        if (report->stage == STAGE_END && !*report->fault)
            fail_msg("round %d: damage at byte %zu passed", round, from);
    }
}

static void test_failure_ends_the_plan(void **state)
{
    _cleanup_script_ struct script script = SCRIPT_INIT;
    CULPRIT_CLEANUP(guest_report_free) struct guest_report *report = NULL;

    (void)state;
    script_describe(&script, &plain_guest);
    script_add(&script, "\"t\":\"start\",\"workload\":\"wakeup\",\"index\":0");
    script_add(&script, "\"t\":\"log\",\"text\":\"caf\\u00e9 \\u0007\"");
    script_add(&script, "\"t\":\"failure\",\"index\":0,\"reason\":\"ended by signal 11\"");
    script_end(&script);
    report = read_script(&script);
    assert_string_equal(report->fault, "");
    assert_true(report->failed);
    assert_string_equal(report->failure, "ended by signal 11");
    assert_int_equal(report->failure_index, 0);
    assert_string_equal(report->logs.items[0], "caf\\xc3\\xa9 \\x07");
}

static void test_failure_before_any_workload(void **state)
{
    _cleanup_script_ struct script script = SCRIPT_INIT;
    CULPRIT_CLEANUP(guest_report_free) struct guest_report *report = NULL;

    (void)state;
    script_describe(&script, &plain_guest);
    script_add(&script, "\"t\":\"failure\",\"reason\":\"no such sysctl\"");
    script_end(&script);
    report = read_script(&script);
    assert_string_equal(report->fault, "");
    assert_true(report->failed);
    assert_true(report->failure_index == FAILURE_IN_SETUP);
}

static void test_end_needs_a_description(void **state)
{
    _cleanup_script_ struct script script = SCRIPT_INIT;
    CULPRIT_CLEANUP(guest_report_free) struct guest_report *report = NULL;

    (void)state;
    script_describe(&script, &plain_guest);
    script.bytes.length = (size_t)(strchr(script.bytes.data, '\n') - script.bytes.data) + 1;
    script.count = 1;
    script_end(&script);
    report = read_script(&script);
    expect_fault(report, "end after hello", "before the description is complete");
}

static void test_too_many_records(void **state)
{
    _cleanup_script_ struct script script = SCRIPT_INIT;
    CULPRIT_CLEANUP(guest_report_free) struct guest_report *report = NULL;

    (void)state;
    script_describe(&script, &plain_guest);
    while (script.count <= RECORD_COUNT_MAXIMUM)
        script_add(&script, "\"t\":\"log\",\"text\":\"\"");
    report = read_script(&script);
    assert_int_equal(report->record_count, RECORD_COUNT_MAXIMUM);
    expect_fault(report, "too many records", "more than 200000 records");
    assert_int_equal(report->logs.count, RECORD_LOGS_KEPT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_complete_run),
        cmocka_unit_test(test_every_prefix),
        cmocka_unit_test(test_every_changed_byte),
        cmocka_unit_test(test_lost_and_repeated_lines),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_refusals_while_running),
        cmocka_unit_test(test_hello_is_checked),
        cmocka_unit_test(test_garbage),
        cmocka_unit_test(test_random_damage),
        cmocka_unit_test(test_failure_ends_the_plan),
        cmocka_unit_test(test_failure_before_any_workload),
        cmocka_unit_test(test_end_needs_a_description),
        cmocka_unit_test(test_too_many_records),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
