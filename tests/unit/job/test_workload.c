/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "job/workload.h"

static void request_clear_cleanup(struct workload_request *request)
{
    workload_request_clear(request);
}

#define _cleanup_request_ __attribute__((cleanup(request_clear_cleanup)))

static const struct workload_option *option_of(const struct workload_request *request,
                                               const char *name)
{
    for (size_t i = 0; i < request->schema->option_count; i++)
        if (strcmp(request->options[i].schema->name, name) == 0)
            return &request->options[i];
    fail_msg("workload %s has no option %s", request->schema->name, name);
    return NULL;
}

static void test_defaults_in_base_units(void **state)
{
    _cleanup_request_ struct workload_request request = {0};

    (void)state;
    assert_int_equal(workload_request_init("wakeup", &request, NULL), 0);
    assert_string_equal(option_of(&request, "message_threads")->value, "2");
    assert_string_equal(option_of(&request, "runtime")->value, "30000000000");
    assert_string_equal(option_of(&request, "think")->value, "30000000");
    assert_string_equal(option_of(&request, "transfer")->value, "0");
    assert_int_equal(workload_request_runtime(&request), 30000000000);
    assert_int_equal(workload_request_check(&request, NULL), 0);
}

/* Every workload's defaults satisfy its own limits, whatever workloads there are. */
static void test_every_workload_has_sound_defaults(void **state)
{
    (void)state;
    for (size_t i = 0; i < workload_schema_count; i++) {
        _cleanup_request_ struct workload_request request = {0};
        struct culprit_error error = {0};

        if (workload_request_init(workload_schemas[i]->name, &request, &error) < 0)
            fail_msg("%s: %s", workload_schemas[i]->name, error.message);
    }
}

struct setting {
    const char *workload, *option, *text;
    const char *value;   /* NULL: refused */
    const char *message; /* of the refusal */
};

static const struct setting settings[] = {
    {"wakeup", "runtime", "12s", "12000000000", NULL},
    {"wakeup", "runtime", "1.5s", "1500000000", NULL},
    {"wakeup", "think", "0", "0", NULL},
    {"wakeup", "transfer", "64KiB", "65536", NULL},
    {"wakeup", "workers", "20", "20", NULL},
    {"exec", "command", "echo 'a  b'", "echo 'a  b'", NULL},
    {"exec", "parser", "lines", "lines", NULL},
    {"exec", "allow_failure", "true", "true", NULL},
    {"wakeup", "runtime", "12", NULL, "duration"},
    {"wakeup", "runtime", "2d", NULL, "must be 1ms to 1d"},
    {"wakeup", "workers", "0", NULL, "must be 1 to 4096"},
    {"wakeup", "workers", "10x", NULL, "10x"},
    {"wakeup", "workers", "010", NULL, "010"},
    {"wakeup", "workers", "1e3", NULL, "1e3"},
    {"wakeup", "workers", " 1", NULL, "workers"},
    {"wakeup", "transfer", "2MiB", NULL, "must be 0 to 1MiB"},
    {"wakeup", "transfer", "64KB", NULL, "size"},
    {"wakeup", "worker", "2", NULL, "did you mean \"workers\"?"},
    {"exec", "command", "", NULL, "0 bytes"},
    {"exec", "command", "a\nb", NULL, "0x0a at byte 2"},
    {"exec", "parser", "line", NULL, "did you mean \"lines\"?"},
    {"exec", "allow_failure", "yes", NULL, "true or false"},
};

static void test_settings(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const struct setting *setting = &settings[i];
        _cleanup_request_ struct workload_request request = {0};
        struct culprit_error error = {0};
        int r;

        assert_int_equal(workload_request_init(setting->workload, &request, NULL), 0);
        r = workload_request_set(&request, setting->option, setting->text, &error);
        if (setting->value) {
            if (r < 0)
                fail_msg("%s=%s: %s", setting->option, setting->text, error.message);
            assert_string_equal(option_of(&request, setting->option)->value, setting->value);
        } else if (r != -CULPRIT_INVALID || !strstr(error.message, setting->message)) {
            fail_msg("%s=%s gave %d: %s", setting->option, setting->text, r, error.message);
        }
    }
}

static void test_missing_option(void **state)
{
    _cleanup_request_ struct workload_request request = {0};
    struct culprit_error error = {0};

    (void)state;
    assert_int_equal(workload_request_init("exec", &request, NULL), 0);
    assert_null(option_of(&request, "command")->value);
    assert_null(workload_option_text(option_of(&request, "command")));
    assert_int_equal(workload_request_check(&request, &error), -CULPRIT_INVALID);
    assert_non_null(strstr(error.message, "needs its option command"));
    assert_int_equal(workload_request_set(&request, "command", "true", NULL), 0);
    assert_int_equal(workload_request_check(&request, NULL), 0);
    assert_int_equal(workload_request_runtime(&request), 60000000000);
}

static void test_unknown_workload(void **state)
{
    _cleanup_request_ struct workload_request request = {0};
    struct culprit_error error = {0};

    (void)state;
    assert_int_equal(workload_request_init("wakup", &request, &error), -CULPRIT_INVALID);
    assert_non_null(strstr(error.message, "did you mean \"wakeup\"?"));
    assert_non_null(strstr(error.allowed, "exec"));
}

static void test_text_reads_back(void **state)
{
    static const char *const texts[] = {"90s", "1500ms", "1h", "0", "1ns"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        _cleanup_request_ struct workload_request one = {0}, two = {0};
        _cleanup_free_ char *text = NULL;

        assert_int_equal(workload_request_init("wakeup", &one, NULL), 0);
        assert_int_equal(workload_request_init("wakeup", &two, NULL), 0);
        assert_int_equal(workload_request_set(&one, "think", texts[i], NULL), 0);
        text = workload_option_text(option_of(&one, "think"));
        assert_int_equal(workload_request_set(&two, "think", text, NULL), 0);
        assert_string_equal(option_of(&one, "think")->value, option_of(&two, "think")->value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults_in_base_units),
        cmocka_unit_test(test_every_workload_has_sound_defaults),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_missing_option),
        cmocka_unit_test(test_unknown_workload),
        cmocka_unit_test(test_text_reads_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
