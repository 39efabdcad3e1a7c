/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mail, as python's email module reads it: a reader that was not written with it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "fixture.h"

static char path[] = "/tmp/culprit-mail-XXXXXX";

static char *items[] = {(char *)(uintptr_t) "sched-perf@example.org",
                        (char *)(uintptr_t) "\"Pöhl, Jürgen\" <j.poehl@example.org>", NULL};
static const struct strv recipients = {.items = items, .count = 2};
static const struct mail_address address = {
    .from = "culprit at bench <culprit@bench.example.org>",
    .domain = "bench.example.org",
    .to = &recipients,
};

static char *mail_of(const struct report *report)
{
    _cleanup_buffer_ struct buffer mail = BUFFER_INIT(1024 * 1024);
    struct culprit_error error = {0};

    if (report_mail(report, &address, &mail, &error) < 0)
        fail_msg("%s", error.message);
    return buffer_take(&mail);
}

/* What python reads; the caller frees. */
static json_t *read_mail(const char *mail)
{
    char command[1024];
    json_t *json;
    FILE *pipe;

    if (file_write_atomic(path, mail, strlen(mail), 0600, NULL) < 0)
        fail_msg("cannot write %s", path);
    snprintf(command, sizeof command, "%s %s/tests/unit/report/check_mail.py < %s",
             getenv("CULPRIT_TEST_PYTHON") ? getenv("CULPRIT_TEST_PYTHON") : "/usr/bin/python3",
             CULPRIT_SOURCE_DIR, path);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    json = json_loadf(pipe, 0, NULL);
    pclose(pipe);
    if (!json)
        fail_msg("python cannot read this mail:\n%s", mail);
    return json;
}

static const char *header(const json_t *json, const char *name)
{
    const char *value = json_string_value(json_object_get(json_object_get(json, "headers"), name));

    if (!value)
        fail_msg("the mail has no %s", name);
    return value;
}

static void expect_well_formed(const json_t *json)
{
    if (json_array_size(json_object_get(json, "defects")) > 0)
        fail_msg("defects: %s", json_dumps(json_object_get(json, "defects"), 0));
    assert_true(json_is_false(json_object_get(json, "bare")));
    assert_true(json_is_false(json_object_get(json, "eight_bit")));
    assert_true(json_integer_value(json_object_get(json, "longest_header")) <= 78);
    assert_true(json_integer_value(json_object_get(json, "longest")) <= 998);
}

static const char *part_text(const json_t *json, size_t part)
{
    return json_string_value(
        json_object_get(json_array_get(json_object_get(json, "parts"), part), "text"));
}

static void test_culprit(void **state)
{
    struct fixture fixture;
    _cleanup_free_ char *mail = NULL, *again = NULL;
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(1024 * 1024), log = BUFFER_INIT(1024 * 1024);
    json_t *json;

    (void)state;
    fixture_make(&fixture);
    mail = mail_of(&fixture.report);
    again = mail_of(&fixture.report);
    assert_string_equal(mail, again); /* a second delivery is the same message */
    json = read_mail(mail);
    expect_well_formed(json);
    assert_string_equal(header(json, "Subject"), "[linux] [sched/fair] 50695f2b34a4: "
                                                 "wakeup.latency.p99 +119.3% regression");
    assert_string_equal(header(json, "Message-ID"), "<culprit-job-12@bench.example.org>");
    assert_string_equal(header(json, "Auto-Submitted"), "auto-generated");
    assert_string_equal(json_string_value(json_object_get(json, "date")),
                        "2023-11-14T22:33:54+00:00");
    json_t *second = json_array_get(json_object_get(json, "to"), 1);
    assert_string_equal(json_string_value(json_array_get(second, 0)), "Pöhl, Jürgen");
    assert_string_equal(json_string_value(json_array_get(second, 1)), "j.poehl@example.org");
    assert_int_equal(json_array_size(json_object_get(json, "parts")), 2);
    report_text(&fixture.report, &text, NULL);
    report_bisect_log(&fixture.report, &log, NULL);
    assert_memory_equal(part_text(json, 0), text.data, strlen(text.data) - 1);
    assert_memory_equal(part_text(json, 1), log.data, strlen(log.data) - 1);
    assert_string_equal(json_string_value(json_object_get(
                            json_array_get(json_object_get(json, "parts"), 1), "file")),
                        "bisect-job-12.log");
    assert_string_equal(json_string_value(json_object_get(
                            json_array_get(json_object_get(json, "parts"), 0), "encoding")),
                        "7bit");
    json_decref(json);
    fixture_clear(&fixture);
}

/* Names, subjects and long lines that plain ASCII cannot carry. */
static void test_what_is_not_ascii(void **state)
{
    static const char line[] = "culprit submit – a line with a blank at its end and more = ";
    struct fixture fixture;
    _cleanup_buffer_ struct buffer command = BUFFER_INIT(8192);
    _cleanup_free_ char *mail = NULL;
    json_t *json;

    (void)state;
    fixture_make(&fixture);
    for (int i = 0; i < 40; i++)
        buffer_puts(&command, line);
    fixture.report.repeat_command = command.data;
    fixture.commits[5].author = "Peter Übermäßig <p@example.org>";
    fixture.commits[5].subject = "Grüße: kein Thema";
    free(fixture.job->metric.name);
    fixture.job->metric.name = strdup(
        "größter.gemessener.wert.der.überhaupt.je.in.einer.zeile.stand ∑ und noch mehr");
    mail = mail_of(&fixture.report);
    json = read_mail(mail);
    expect_well_formed(json);
    assert_string_equal(header(json, "Subject"),
                        "[linux] 50695f2b34a4: größter.gemessener.wert.der.überhaupt.je.in.einer."
                        "zeile.stand ∑ und noch mehr +119.3% regression");
    assert_non_null(strstr(part_text(json, 0), "Peter Übermäßig"));
    assert_non_null(strstr(part_text(json, 0), command.data));
    json_decref(json);
    fixture_clear(&fixture);
}

/* Whatever a commit or a job is called, it adds no header field and ends no part. */
static void test_no_field_is_injected(void **state)
{
    struct fixture fixture;
    _cleanup_free_ char *mail = NULL;
    json_t *json;
    const json_t *names;

    (void)state;
    fixture_make(&fixture);
    free(fixture.job->metric.name);
    fixture.job->metric.name = strdup("x\r\nBcc: everybody@example.org\r\n\r\nbody");
    fixture.commits[5].subject = "sched\nX-Evil: 1: y";
    fixture.report.culprit_message = "--=_culprit_0123\r\nContent-Type: text/html\r\n";
    mail = mail_of(&fixture.report);
    json = read_mail(mail);
    expect_well_formed(json);
    names = json_object_get(json, "names");
    assert_int_equal(json_array_size(names), 9);
    assert_int_equal(json_array_size(json_object_get(json, "parts")), 2);
    assert_non_null(strstr(header(json, "Subject"), "x??Bcc: everybody@example.org"));
    json_decref(json);
    fixture_clear(&fixture);
}

static void test_subjects(void **state)
{
    static const struct {
        const char *state;
        enum bisect_verdict_kind verdict;
        const char *subject;
    } cases[] = {
        {"done", VERDICT_NO_REGRESSION,
         "[linux] no regression of wakeup.latency.p99 between v5.4 and v5.5"},
        {"done", VERDICT_INCONCLUSIVE,
         "[linux] inconclusive on wakeup.latency.p99 between v5.4 and v5.5"},
        {"failed", VERDICT_NONE, "[linux] failed: tail-latency"},
        {"cancelled", VERDICT_NONE, "[linux] cancelled: tail-latency"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture fixture;
        _cleanup_free_ char *mail = NULL;
        json_t *json;

        fixture_make(&fixture);
        fixture.report.state = cases[i].state;
        fixture.report.verdict = cases[i].verdict;
        mail = mail_of(&fixture.report);
        json = read_mail(mail);
        expect_well_formed(json);
        assert_string_equal(header(json, "Subject"), cases[i].subject);
        json_decref(json);
        fixture_clear(&fixture);
    }
}

static void test_run_has_one_part(void **state)
{
    struct fixture fixture;
    _cleanup_free_ char *mail = NULL;
    json_t *json;

    (void)state;
    fixture_make_run(&fixture);
    mail = mail_of(&fixture.report);
    json = read_mail(mail);
    expect_well_formed(json);
    assert_string_equal(header(json, "Subject"), "[linux] 00695f2b34a4: results of one-kernel");
    assert_int_equal(json_array_size(json_object_get(json, "parts")), 1);
    json_decref(json);
    fixture_clear(&fixture);
}

static void test_addresses_that_are_none(void **state)
{
    static const char *const wrong[] = {
        "", "nobody", "a@b\r\nBcc: c@d", "x <a@b> y", "a b@c", "a@b, c@d", "<>", "a@"};
    static const char *const domains[] = {NULL, "", "a b", "a>\r\nX: y"};
    struct fixture fixture;

    (void)state;
    fixture_make(&fixture);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        _cleanup_buffer_ struct buffer mail = BUFFER_INIT(1024 * 1024);
        char *one[] = {(char *)(uintptr_t)wrong[i], NULL};
        struct strv to = {.items = one, .count = 1};
        struct mail_address bad = {.from = "a@b", .domain = "b", .to = &to};

        if (report_mail(&fixture.report, &bad, &mail, NULL) != -CULPRIT_INVALID)
            fail_msg("\"%s\" was taken for an address", wrong[i]);
    }
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++) {
        _cleanup_buffer_ struct buffer mail = BUFFER_INIT(1024 * 1024);
        struct mail_address bad = {.from = "a@b", .domain = domains[i], .to = &recipients};

        assert_int_equal(report_mail(&fixture.report, &bad, &mail, NULL), -CULPRIT_INVALID);
    }
    fixture_clear(&fixture);
}

static int make_file(void **state)
{
    int fd = mkstemp(path);

    (void)state;
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_culprit),
        cmocka_unit_test(test_what_is_not_ascii),
        cmocka_unit_test(test_no_field_is_injected),
        cmocka_unit_test(test_subjects),
        cmocka_unit_test(test_run_has_one_part),
        cmocka_unit_test(test_addresses_that_are_none),
    };

    return cmocka_run_group_tests(tests, make_file, remove_file);
}
