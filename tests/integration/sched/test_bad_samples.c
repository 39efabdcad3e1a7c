/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values that no statistics can be made of, through whole jobs: each has a defined end and a
 * sentence, and no report holds a NaN. */
#include <math.h>
#include <string.h>

#include "stand.h"

static struct culprit_error error;

static void expect_no_nan(const char *text)
{
    static const char *const words[] = {" nan", "-nan", ":nan", "(nan", " inf ", "-inf", ":inf"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i]))
            fail_msg("\"%s\" is in: %s", words[i], text);
}

/* Everything that the job says of itself. */
static void expect_reports(struct stand *stand, int64_t job, const char *part)
{
    static const enum report_form forms[] = {REPORT_FORM_TEXT, REPORT_FORM_JSON, REPORT_FORM_MAIL};

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        _cleanup_buffer_ struct buffer text = BUFFER_INIT(1024 * 1024);

        assert_success(service_report(stand->service, job, forms[i], &text, &error));
        expect_no_nan(text.data);
        if (forms[i] == REPORT_FORM_TEXT)
            assert_contains(text.data, part);
        if (forms[i] == REPORT_FORM_JSON) {
            json_t *json = json_loads(text.data, 0, NULL);

            assert_non_null(json);
            json_decref(json);
        }
    }
}

struct bad_case {
    const char *what;
    struct scripted_script script;
    const char *extra;   /* of the job */
    const char *state;   /* that it ends in … */
    const char *verdict; /* … and how; NULL: without one */
    const char *message; /* part of what is said */
    const char *report;  /* part of the text */
};

static void check(const char *directory, const struct bad_case *it, bool bisect)
{
    struct stand stand = {.directory = directory, .script = &it->script, .without_mailer = true};

    print_message("%s\n", it->what);
    stand_up(&stand);
    int64_t job = bisect ? stand_submit_bisect(&stand, it->extra)
                         : stand_submit_run(&stand, it->extra);
    stand_finish(&stand, job);
    stand_expect_end(&stand, job, it->state, it->message);
    if (it->verdict)
        stand_expect(&stand, job, "verdict", it->verdict);
    expect_reports(&stand, job, it->report);
    stand_down(&stand);
}

static void check_all(const char *parent, const struct bad_case *cases, size_t count, bool bisect)
{
    for (size_t i = 0; i < count; i++) {
        _cleanup_free_ char *directory = text_format("%s/%zu", parent, i);

        assert_success(file_make_directories(directory, 0700, &error));
        check(directory, &cases[i], bisect);
    }
}

static void runs_have_an_answer(void **state)
{
    static const struct bad_case cases[] = {
        {"not a number",
         {.good_level = (double)NAN},
         "",
         "failed",
         NULL,
         "a value of exec.duration that is no finite number",
         "no finite number"},
        {"infinite",
         {.good_level = (double)INFINITY},
         "",
         "failed",
         NULL,
         "a value of exec.duration that is no finite number",
         "no finite number"},
        {"one trial",
         {.good_level = 50, .noise = 1},
         "trials: 1\n",
         "done",
         "measured",
         "1 of 1 trials gave a result",
         "exec.duration"},
        {"all equal",
         {.good_level = 50},
         "trials: 5\n",
         "done",
         "measured",
         "5 of 5 trials gave a result",
         "50 +-  0%"},
        {"the metric is missing in some",
         {.good_level = 50, .noise = 1, .silent_every = 2},
         "trials: 12\n",
         "done",
         "measured",
         "of 12 trials gave a result",
         "without a result"},
        {"another metric is missing in some",
         {.good_level = 50, .noise = 1, .sparse_every = 2},
         "trials: 12\n",
         "done",
         "measured",
         "12 of 12 trials gave a result",
         "1 of the 2 metrics and counters was missing in some trials"},
    };

    check_all(*state, cases, sizeof cases / sizeof *cases, false);
}

static void bisections_have_an_answer(void **state)
{
    static const struct bad_case cases[] = {
        {"not a number",
         {.commits = 9, .good_level = (double)NAN, .bad_level = (double)NAN},
         "",
         "done",
         "inconclusive",
         "does not run the workload to its end",
         "inconclusive on exec.duration"},
        {"infinite when bad",
         {.commits = 9, .culprit = 5, .good_level = 50, .bad_level = (double)INFINITY},
         "",
         "done",
         "inconclusive",
         "does not run the workload to its end",
         "inconclusive on exec.duration"},
        {"all equal",
         {.commits = 9, .good_level = 50, .bad_level = 50},
         "",
         "done",
         "no_regression",
         "A regression of the job's min_effect is ruled out",
         "ruled out"},
        {"all zero", {.commits = 9}, "", "done", "no_regression", "ruled out", "ruled out"},
        {"equal on each side",
         {.commits = 9, .culprit = 5, .good_level = 50, .bad_level = 90},
         "",
         "done",
         "culprit",
         "the culprit is",
         "change number 5"},
        {"the metric is missing in some",
         {.commits = 9,
          .culprit = 5,
          .good_level = 50,
          .bad_level = 90,
          .noise = 2,
          .silent_every = 11},
         "",
         "done",
         "culprit",
         "the culprit is",
         "change number 5"},
        {"another metric is missing in some",
         {.commits = 9,
          .culprit = 5,
          .good_level = 50,
          .bad_level = 90,
          .noise = 2,
          .sparse_every = 2},
         "",
         "done",
         "culprit",
         "the culprit is",
         "was missing in some trials"},
        {"too few to tell",
         {.commits = 9, .culprit = 5, .good_level = 50, .bad_level = 60, .noise = 8},
         "trials: 3\nconfidence: 0.999\nbudget: {trials: 6}\n",
         "done",
         "inconclusive",
         "budget has",
         "budget has"},
    };

    check_all(*state, cases, sizeof cases / sizeof *cases, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(runs_have_an_answer),
        scratch_test(bisections_have_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
