/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"

enum { TEXT_MAXIMUM = 1024 * 1024 };

static char *text_of(const struct report *report)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(TEXT_MAXIMUM);
    struct culprit_error error = {0};

    if (report_text(report, &text, &error) < 0)
        fail_msg("%s", error.message);
    return buffer_take(&text);
}

static void expect_word(const char *text, const char *word)
{
    if (!strstr(text, word))
        fail_msg("\"%s\" is not in:\n%s", word, text);
}

static void refuse_word(const char *text, const char *word)
{
    if (strstr(text, word))
        fail_msg("\"%s\" is in:\n%s", word, text);
}

static void test_culprit(void **state)
{
    struct fixture fixture;
    _cleanup_free_ char *text = NULL;

    (void)state;
    fixture_make(&fixture);
    text = text_of(&fixture.report);
    fixture_compare("culprit.txt", text);
    fixture_clear(&fixture);
}

static void test_run(void **state)
{
    struct fixture fixture;
    _cleanup_free_ char *text = NULL;

    (void)state;
    fixture_make_run(&fixture);
    text = text_of(&fixture.report);
    fixture_compare("run.txt", text);
    fixture_clear(&fixture);
}

/* The same range, searched for a line of the console. */
static void ask_for_failures(struct fixture *fixture)
{
    fixture->job->criterion.kind = CRITERION_CONSOLE;
    fixture->job->criterion.console = strdup("rq_clock|WARNING");
    for (size_t i = 0; i < fixture->report.trial_count; i++) {
        struct report_trial *trial = &fixture->trials[i];

        trial->observed = true;
        trial->failed = trial->value > 15000;
        trial->value = trial->failed;
        trial->evidence = trial->failed ? "WARNING: CPU: 1 at rq_clock\x1b[2J" : "";
        if (trial->failed)
            trial->outcome = OUTCOME_KERNEL_CRASHED;
    }
    fixture->report.row_count = 0;
    fixture->checks[0].worse_failed = fixture->report.endpoint.worse_failed = 4;
    fixture->checks[0].base_failed = fixture->report.endpoint.base_failed = 1;
    fixture->report.confirmation_count = 0;
}

static void test_failures(void **state)
{
    struct fixture fixture;
    _cleanup_free_ char *text = NULL;

    (void)state;
    fixture_make(&fixture);
    ask_for_failures(&fixture);
    text = text_of(&fixture.report);
    expect_word(text, "lines like \"rq_clock|WARNING\" in 4\nof 5 trials, 1 of 5 before");
    expect_word(text, "bad worse than good: 4 of 5 trials failed against 1 of 5,");
    expect_word(text, "What was seen\n\n  trial 15 of 50695f2b34a4, on its console\n\n"
                      "    WARNING: CPU: 1 at rq_clock?[2J\n");
    expect_word(text, "0 of 3 failed");
    expect_word(text, "3 of 3 failed");
    expect_word(text, ", 0 of them without a result");
    refuse_word(text, "median");
    refuse_word(text, "Mann-Whitney");
    refuse_word(text, "good or bad:");
    fixture_clear(&fixture);
}

/* What a job that found no culprit says. */
static void test_other_ends(void **state)
{
    static const struct {
        const char *state;
        enum bisect_verdict_kind verdict;
        const char *reason, *words[4];
    } cases[] = {
        {"done",
         VERDICT_NO_REGRESSION,
         "That is no sign of a regression.",
         {"no regression of wakeup.latency.p99", "no sign of a regression", "Good against bad"}},
        {"done",
         VERDICT_MERGE_BASE_BAD,
         "Their merge base #0 was tested instead.",
         {"no regression of wakeup.latency.p99", "00695f2b34a4 (\"Linux 5.4\")"}},
        {"done",
         VERDICT_INCONCLUSIVE,
         "#5 was not found worse than #4.",
         {"inconclusive on wakeup.latency.p99", "40695f2b34a4", "The suspects",
          "Rework load_balance()"}},
        {"failed",
         VERDICT_NONE,
         "cannot fetch #4 of linux: no route to host",
         {"failed: tail-latency", "cannot fetch #4 of linux"}},
        {"cancelled", VERDICT_NONE, "cancelled by its owner", {"cancelled: tail-latency"}},
        {"running", VERDICT_NONE, NULL, {"not finished: tail-latency"}},
    };
    static const unsigned suspects[] = {4, 5};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture fixture;
        _cleanup_free_ char *text = NULL;

        fixture_make(&fixture);
        fixture.report.state = cases[i].state;
        fixture.report.verdict = cases[i].verdict;
        fixture.report.reason = cases[i].reason;
        fixture.report.check_count = 0;
        fixture.report.suspects = suspects;
        fixture.report.suspect_count = cases[i].verdict == VERDICT_INCONCLUSIVE ? 2 : 0;
        text = text_of(&fixture.report);
        for (size_t w = 0; w < 4 && cases[i].words[w]; w++)
            expect_word(text, cases[i].words[w]);
        refuse_word(text, "found the commit");
        refuse_word(text, "Fixes:");
        fixture_clear(&fixture);
    }
}

/* As one line, single spaces. */
static char *unwrapped(const char *text)
{
    char *copy = strdup(text), *to = copy;

    for (const char *from = copy; *from; from++) {
        char c = *from == '\n' ? ' ' : *from;
        if (c != ' ' || to == copy || to[-1] != ' ')
            *to++ = c;
    }
    *to = '\0';
    return copy;
}

static void test_pruning(void **state)
{
    static const struct {
        struct report_pruning pruning;
        enum relevance relevance[3]; /* of commits 2, 3, 8 */
        const char *word;            /* NULL: nothing of it */
    } cases[] = {
        {{0}, {0}, NULL},
        {{.known = true}, {0}, "0 of 9 commits cannot change the image under this configuration."},
        {{.known = true},
         {RELEVANCE_NOT_COMPILED, RELEVANCE_DOCUMENTATION, RELEVANCE_ARCHITECTURE},
         "3 of 9 commits cannot change the image under this configuration (1 documentation, 1 "
         "other architectures, 1 not compiled) and were not considered."},
        {{.known = true},
         {RELEVANCE_TOOLS, RELEVANCE_TOOLS, RELEVANCE_EMPTY},
         "(1 without a change, 2 tools and tests) and were"},
        {{.known = true, .note = "no list"},
         {0},
         "is not known, so that all were considered: no list."},
        {{.known = true, .withdrawn = true, .witness = 4},
         {0},
         "building 40695f2b34a4 (\"sched/fair: Clean up a comment\") contradicts that"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture fixture;
        _cleanup_free_ char *text = NULL, *line = NULL;
        json_t *json;

        fixture_make(&fixture);
        fixture.report.pruning = cases[i].pruning;
        fixture.commits[2].relevance = cases[i].relevance[0];
        fixture.commits[3].relevance = cases[i].relevance[1];
        fixture.commits[8].relevance = cases[i].relevance[2];
        text = text_of(&fixture.report);
        line = unwrapped(text);
        if (cases[i].word)
            expect_word(line, cases[i].word);
        else
            refuse_word(line, "cannot change the image");
        json = report_json(&fixture.report);
        assert_non_null(json);
        assert_int_equal(json_is_null(json_object_get(json, "pruning")), !cases[i].word);
        json_decref(json);
        fixture_clear(&fixture);
    }
}

static void test_confirmations(void **state)
{
    static const struct {
        struct report_confirmation it;
        const char *word;
        bool compared;
    } cases[] = {
        {{CONFIRM_SHIFT,
          CONFIRMATION_HELD,
          {5, 4, 5, 5, 15100, 9900, 0, 0, 0.004, 0.004, true},
          NULL},
         "at icount shift 2 instead of 3: medians 15100 and 9900 us over 5 and 5 trials, p = "
         "0.0040",
         true},
        {{CONFIRM_ALIGNED,
          CONFIRMATION_OPEN,
          {5, 4, 4, 4, 15100, 9900, 0, 0, 0.2, 0.014, false},
          NULL},
         "with every function aligned to 64 bytes: medians 15100 and 9900 us over 4 and 4 trials, "
         "p = "
         "0.20, too few to tell",
         true},
        {{CONFIRM_REVERTED,
          CONFIRMATION_VANISHED,
          {9, 5, 5, 5, 15100, 15000, 0, 0, 0.4, 0.004, false},
          NULL},
         "bad against bad with the culprit taken back: medians 15100 and 15000 us over 5 and 5 "
         "trials, p "
         "= 0.40, which is less than half of the difference that was verified",
         true},
        {{CONFIRM_REVERTED, CONFIRMATION_VANISHED, {0}, NULL},
         "taken back: the two kernel images are one",
         false},
        {{CONFIRM_REVERTED, CONFIRMATION_IMPOSSIBLE, {0}, "it does not revert"},
         "taken back: not compared: it does not revert",
         false},
        {{CONFIRM_REVERTED, CONFIRMATION_IMPOSSIBLE, {0}, ""}, "taken back: not compared", false},
        {{CONFIRM_SHIFT, CONFIRMATION_NO_BUDGET, {0}, NULL},
         "not compared, because the budget has too few builds or trials left",
         false},
        {{CONFIRM_SHIFT, CONFIRMATION_NO_TIME, {0}, NULL},
         "not compared, because the time budget is used up",
         false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture fixture;
        _cleanup_free_ char *text = NULL, *line = NULL;
        json_t *json, *item;

        fixture_make(&fixture);
        fixture.report.confirmations = &cases[i].it;
        fixture.report.confirmation_count = 1;
        text = text_of(&fixture.report);
        line = unwrapped(text);
        expect_word(line, cases[i].word);
        json = report_json(&fixture.report);
        item = json_array_get(json_object_get(json, "confirmations"), 0);
        assert_string_equal(json_string_value(json_object_get(item, "kind")),
                            confirmation_kind_name(cases[i].it.kind));
        assert_string_equal(json_string_value(json_object_get(item, "outcome")),
                            confirmation_outcome_name(cases[i].it.outcome));
        assert_int_equal(json_is_object(json_object_get(item, "check")), cases[i].compared);
        assert_int_equal(json_is_integer(json_object_get(item, "shift")),
                         cases[i].it.kind == CONFIRM_SHIFT);
        json_decref(json);
        fixture_clear(&fixture);
    }
}

static void test_pruning_json(void **state)
{
    struct fixture fixture;
    json_t *json, *pruning, *commit;
    int commits, pruned, documentation, not_compiled;

    (void)state;
    fixture_make(&fixture);
    fixture.report.pruning.known = true;
    fixture.commits[3].relevance = RELEVANCE_DOCUMENTATION;
    json = report_json(&fixture.report);
    pruning = json_object_get(json, "pruning");
    assert_int_equal(json_unpack(pruning, "{s:i, s:i, s:{s:i, s:i}, s:n, s:n}", "commits", &commits,
                                 "pruned", &pruned, "by_reason", "documentation", &documentation,
                                 "not_compiled", &not_compiled, "note", "withdrawn_by"),
                     0);
    assert_int_equal(commits, 9);
    assert_int_equal(pruned, 1);
    assert_int_equal(documentation, 1);
    assert_int_equal(not_compiled, 0);
    commit = json_array_get(json_object_get(json, "commits"), 3);
    assert_string_equal(json_string_value(json_object_get(commit, "pruned")), "documentation");
    commit = json_array_get(json_object_get(json, "commits"), 4);
    assert_true(json_is_null(json_object_get(commit, "pruned")));
    json_decref(json);
    fixture_clear(&fixture);
}

/* A job that failed before anything was known. */
static void test_empty(void **state)
{
    struct fixture fixture;
    struct report empty = {.job_id = 1, .state = "failed", .reason = "x", .threshold = NAN};
    _cleanup_free_ char *text = NULL;

    (void)state;
    fixture_make(&fixture);
    empty.job = fixture.job;
    text = text_of(&empty);
    expect_word(text, "failed: tail-latency");
    refuse_word(text, "nan");
    fixture_clear(&fixture);
}

/* Figures that cannot be had are a dash, never a NaN. */
static void test_rows_that_lack_something(void **state)
{
    static const double infinite[] = {1, INFINITY, 3}, one[] = {5}, zeros[] = {0, 0, 0};
    static const double some[] = {1, 2, 4}, huge[] = {-1.7e308, 1.7e308};
    const struct report_row rows[] = {
        {"both.missing", "us", BETTER_LOWER, false, {{NULL, 0}, {NULL, 0}}},
        {"one.missing", "us", BETTER_LOWER, false, {{some, 3}, {NULL, 0}}},
        {"endless", "us", BETTER_LOWER, false, {{some, 3}, {infinite, 3}}},
        {"single", "us", BETTER_LOWER, false, {{one, 1}, {one, 1}}},
        {"zeros", "us", BETTER_LOWER, false, {{zeros, 3}, {some, 3}}},
        {"all.zero", "us", BETTER_LOWER, false, {{zeros, 3}, {zeros, 3}}},
        {"huge", "us", BETTER_LOWER, false, {{huge, 2}, {huge, 2}}},
        {"to.zero", NULL, BETTER_NEITHER, true, {{some, 3}, {zeros, 3}}},
    };
    struct fixture fixture;
    _cleanup_free_ char *text = NULL, *json_text = NULL;
    json_t *json;

    (void)state;
    fixture_make(&fixture);
    fixture.report.rows = rows;
    fixture.report.row_count = sizeof rows / sizeof *rows;
    fixture.report.threshold = NAN;
    fixture.report.posterior = NAN;
    text = text_of(&fixture.report);
    refuse_word(text, "nan");
    refuse_word(text, "inf");
    expect_word(text, "both.missing");
    expect_word(text, "+2"); /* a shift from zero stands in the metric's unit */
    json = report_json(&fixture.report);
    assert_non_null(json);
    json_text = json_dumps(json, 0);
    refuse_word(json_text, "nan");
    refuse_word(json_text, "inf,");
    assert_true(json_is_null(json_object_get(json, "threshold")));
    assert_true(json_is_null(json_object_get(json, "posterior")));
    json_decref(json);
    fixture_clear(&fixture);
}

/* Subjects and messages are other people's: nothing in them may move a cursor or forge a line. */
static void test_hostile_words(void **state)
{
    struct fixture fixture;
    _cleanup_free_ char *text = NULL;

    (void)state;
    fixture_make(&fixture);
    fixture.commits[5].subject = "sched: \x1b[2J\r\nverdict: none\xff\xc2\x9b";
    fixture.commits[2].reason = "a\nb\x07";
    fixture.report.repeat_command = "culprit \x1b]0;x\x07";
    text = text_of(&fixture.report);
    for (const char *at = text; *at; at++)
        if (((unsigned char)*at < 0x20 && *at != '\n') || *at == 0x7f)
            fail_msg("a control character %#x is in the text", *at);
    refuse_word(text, "\nverdict: none");
    refuse_word(text, "\xff");
    expect_word(text, "sched: ?[2J??verdict: none??");
    fixture_clear(&fixture);
}

static void test_lines_fit(void **state)
{
    struct fixture fixture;
    _cleanup_free_ char *text = NULL;

    (void)state;
    fixture_make(&fixture);
    text = text_of(&fixture.report);
    for (char *line = text, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        assert_non_null(end);
        *end = '\0';
        /* The table's last column is the name, the list's the subject: they may run on. */
        if (strlen(line) > 78 && !strstr(line, "schedstat.") && !strstr(line, "wakeup.") &&
            !strstr(line, "n="))
            fail_msg("%zu columns: %s", strlen(line), line);
    }
    fixture_clear(&fixture);
}

static void test_json(void **state)
{
    struct fixture fixture;
    json_t *json, *row;

    (void)state;
    fixture_make(&fixture);
    json = report_json(&fixture.report);
    assert_non_null(json);
    assert_string_equal(json_string_value(json_object_get(json, "verdict")), "culprit");
    assert_string_equal(json_string_value(json_object_get(json_object_get(json, "culprit"), "id")),
                        fixture.commits[5].id);
    assert_string_equal(json_string_value(json_object_get(json, "headline")),
                        "wakeup.latency.p99 +119.3% regression");
    assert_string_equal(json_string_value(json_object_get(json, "culprit_diffstat")),
                        fixture.report.culprit_diffstat);
    assert_int_equal(json_array_size(json_object_get(json, "commits")), FIXTURE_COMMITS);
    assert_int_equal(json_array_size(json_object_get(json, "trials")), fixture.report.trial_count);
    row = json_array_get(json_object_get(json, "rows"), 0);
    row = json_object_get(row, "comparison");
    assert_true(fabs(json_number_value(json_object_get(row, "p")) - 2 / 252.0) < 1e-12);
    assert_true(fabs(json_number_value(json_object_get(row, "p_holm")) - 2 / 252.0) < 1e-12);
    assert_string_equal(json_string_value(json_object_get(row, "verdict")), "worse");
    assert_true(json_number_value(json_object_get(json_object_get(row, "ratio"), "lower")) > 1);
    assert_int_equal(json_array_size(json_object_get(json, "verification")), 1);
    json_decref(json);
    fixture_clear(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_culprit),
        cmocka_unit_test(test_run),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_other_ends),
        cmocka_unit_test(test_confirmations),
        cmocka_unit_test(test_pruning),
        cmocka_unit_test(test_pruning_json),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_rows_that_lack_something),
        cmocka_unit_test(test_hostile_words),
        cmocka_unit_test(test_lines_fit),
        cmocka_unit_test(test_json),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
