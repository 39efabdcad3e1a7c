/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words for people: quoting, numbers, what is safe on a terminal, and jobs in words. */
#include "scratch.h"

#include <string.h>

#include "cli/job_text.h"
#include "cli/text.h"

static void test_quoting(void **state)
{
    static const struct {
        const char *word, *quoted;
    } cases[] = {
        {"runtime=5s", "runtime=5s"},
        {"", "''"},
        {"a b", "'a b'"},
        {"it's", "'it'\\''s'"},
        {"$(reboot)", "'$(reboot)'"},
        {"command=echo \"x\"", "'command=echo \"x\"'"},
        {"/tmp/bzImage", "/tmp/bzImage"},
        {"a;b", "'a;b'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        _cleanup_buffer_ struct buffer text = BUFFER_INIT(256);

        text_quote(&text, cases[i].word);
        assert_string_equal(text.data, cases[i].quoted);
    }
}

static void test_numbers(void **state)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0"},
        {2516, "2516"},
        {123456789012, "123456789012"},
        {1027.07, "1027.07"},
        {0.000123456789, "0.000123457"},
        {-3, "-3"},
    };
    char text[32];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(text_number(cases[i].value, text), cases[i].text);
}

static void test_terminal_safety(void **state)
{
    char *printed = NULL;
    size_t length;
    FILE *stream = open_memstream(&printed, &length);

    (void)state;
    text_print_safe(stream, "caf\xc3\xa9 \x1b[2J\x7f\n\xc2\x9b");
    fclose(stream);
    assert_string_equal(printed, "caf\xc3\xa9 ?[2J???");
    free(printed);
    assert_int_equal(text_width("caf\xc3\xa9"), 4);
}

static void test_progress(void **state)
{
    static const struct {
        const char *json, *text;
    } cases[] = {
        {"{\"phase\":\"searching\",\"commits\":32,\"suspects\":7,"
         "\"builds\":{\"fresh\":3,\"reused\":1,\"failed\":0,\"running\":1},"
         "\"trials\":{\"done\":15,\"failed\":2,\"running\":0},\"seconds_left\":1260}",
         "searching: 31 commits, 7 suspects; builds 3 new, 1 reused, 1 running; "
         "trials 15, 2 failed; about 21m 00s left"},
        {"{\"phase\":\"verifying\",\"commits\":33,\"suspects\":1,"
         "\"builds\":{\"fresh\":6},\"trials\":{\"done\":17,\"running\":2},\"seconds_left\":121}",
         "verifying: 32 commits, 1 suspect; builds 6 new; trials 17, 2 running; about 2m 01s left"},
        {"{\"phase\":\"searching\",\"builds\":{\"fresh\":3},"
         "\"trials\":{\"done\":15,\"bad\":6,\"failed\":2},\"seconds_left\":60}",
         "searching; builds 3 new; trials 15, 6 bad, 2 failed; about 1m 00s left"},
        {"{\"phase\":\"measuring\",\"commits\":1,\"builds\":{},\"trials\":{},"
         "\"seconds_left\":null}",
         "measuring; builds 0 new; trials 0; time left not known yet"},
        {"{\"phase\":\"finished\",\"builds\":{\"fresh\":1},\"trials\":{\"done\":5}}",
         "finished; builds 1 new; trials 5"},
        {"{\"phase\":7,\"builds\":[],\"trials\":\"x\",\"seconds_left\":\"soon\"}",
         "unknown; builds 0 new; trials 0; time left not known yet"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        _cleanup_buffer_ struct buffer text = BUFFER_INIT(4096);
        json_t *progress = json_loads(cases[i].json, 0, NULL);

        assert_non_null(progress);
        job_progress_text(progress, &text);
        assert_string_equal(text.data, cases[i].text);
        json_decref(progress);
    }
}

static void test_events(void **state)
{
    static const struct {
        const char *type, *json, *text;
    } cases[] = {
        {"state", "{\"state\":\"running\",\"message\":\"\"}", "state    running"},
        {"range", "{\"commits\":32,\"good\":\"0123456789abcdef\",\"bad\":\"fedcba9876543210\"}",
         "range    31 commits after 0123456789ab, up to fedcba987654"},
        {"build",
         "{\"commit\":\"0123456789abcdef\",\"outcome\":\"ok\",\"fresh\":true,\"message\":\"\","
         "\"seconds\":25.4}",
         "build    0123456789ab  ok, 25 s"},
        {"build",
         "{\"commit\":\"0123456789abcdef\",\"outcome\":\"build_failed\",\"fresh\":true,"
         "\"message\":\"fair.c:812: error\",\"seconds\":3}",
         "build    0123456789ab  build_failed, 3 s: fair.c:812: error"},
        {"trial",
         "{\"number\":7,\"commit\":\"0123456789abcdef\",\"purpose\":\"search\",\"seed\":3,"
         "\"outcome\":\"ok\",\"message\":\"\",\"value\":2516.5,\"unit\":\"us\",\"seconds\":41}",
         "trial 7   0123456789ab  ok  2516.5 us  (search, seed 3, 41 s)"},
        {"trial",
         "{\"number\":8,\"commit\":\"0123456789abcdef\",\"purpose\":\"search\",\"seed\":4,"
         "\"outcome\":\"kernel_crashed\",\"message\":\"the kernel panicked\",\"value\":null,"
         "\"failed\":true,\"evidence\":\"BUG: x\",\"seconds\":9}",
         "trial 8   0123456789ab  kernel_crashed  bad  (search, seed 4, 9 s): \"BUG: x\""},
        {"verdict", "{\"verdict\":\"culprit\",\"message\":\"found\"}", "verdict  culprit: found"},
        {"mail", "{\"state\":\"delivered\",\"message\":\"\"}", "mail     delivered"},
        {"notice", "{\"message\":\"good is not an ancestor\"}", "notice   good is not an ancestor"},
        {"something new", "{}", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        _cleanup_buffer_ struct buffer text = BUFFER_INIT(4096);
        json_t *data = json_loads(cases[i].json, 0, NULL);

        assert_non_null(data);
        assert_int_equal(job_event_text(cases[i].type, data, &text), cases[i].text != NULL);
        if (cases[i].text)
            assert_string_equal(text.data, cases[i].text);
        json_decref(data);
    }
}

/* Exit statuses as docs/cli.md has them. */
static void test_job_status(void **state)
{
    static const struct {
        const char *job;
        int status;
    } cases[] = {
        {"{\"state\":\"done\",\"verdict\":\"culprit\"}", 0},
        {"{\"state\":\"done\",\"verdict\":\"measured\"}", 0},
        {"{\"state\":\"done\",\"verdict\":\"no_regression\"}", 1},
        {"{\"state\":\"done\",\"verdict\":\"merge_base_bad\"}", 1},
        {"{\"state\":\"done\",\"verdict\":\"inconclusive\"}", 2},
        {"{\"state\":\"failed\",\"verdict\":null,\"message\":\"no such ref\"}", -CULPRIT_FAILED},
        {"{\"state\":\"cancelled\"}", -CULPRIT_CANCELLED},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct culprit_error error = {0};
        json_t *job = json_loads(cases[i].job, 0, NULL);

        if (job_status(job, &error) != cases[i].status)
            fail_msg("%s: %d", cases[i].job, job_status(job, &error));
        json_decref(job);
    }
}

static void test_being_cancelled(void **state)
{
    static const struct {
        const char *job;
        bool cancelling;
    } cases[] = {
        {"{\"state\":\"running\",\"cancelling\":true}", true},
        {"{\"state\":\"running\",\"cancelling\":false}", false},
        {"{\"state\":\"running\"}", false},
        {"{\"state\":\"cancelled\",\"cancelling\":true}", false},
        {"{\"state\":\"running\",\"cancelling\":1}", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *job = json_loads(cases[i].job, 0, NULL);

        if (job_is_cancelling(job) != cases[i].cancelling)
            fail_msg("%s: %d", cases[i].job, job_is_cancelling(job));
        json_decref(job);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quoting),         cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_terminal_safety), cmocka_unit_test(test_progress),
        cmocka_unit_test(test_events),          cmocka_unit_test(test_job_status),
        cmocka_unit_test(test_being_cancelled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
