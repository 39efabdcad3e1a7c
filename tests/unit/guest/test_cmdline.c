/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "guest/domain.h"
#include "scratch.h"

static char *make(enum engine engine, uint64_t seed, const char *addition)
{
    struct culprit_error error = {0};
    _cleanup_strv_ struct strv additions = {0};
    char *line = NULL;

    if (addition)
        strv_append(&additions, addition);
    assert_success(guest_cmdline(engine, seed, &additions, &line, &error));
    return line;
}

static void test_what_every_guest_needs(void **state)
{
    (void)state;
    static const char *const needed[] = {"console=ttyS0 ", " nokaslr ",    " random.trust_cpu=off ",
                                         " panic=-1 ",     " oops=panic ", " culprit.seed=7 "};
    _cleanup_free_ char *line = make(ENGINE_DETERMINISTIC, 7, "sched_verbose");

    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        assert_contains(line, needed[i]);
    assert_contains(line, " softlockup_panic=1 ");
    assert_string_equal(line + strlen(line) - strlen(" sched_verbose"), " sched_verbose");

    _cleanup_free_ char *functional = make(ENGINE_FUNCTIONAL, 7, NULL);
    assert_null(strstr(functional, "softlockup_panic"));
    assert_contains(functional, " nosoftlockup ");
}

/* Equal seeds give equal lines; different ones differ, in length too for most. */
static void test_seeds(void **state)
{
    (void)state;
    unsigned lengths = 0;
    _cleanup_free_ char *one = make(ENGINE_DETERMINISTIC, 1, NULL);
    _cleanup_free_ char *again = make(ENGINE_DETERMINISTIC, 1, NULL);

    assert_string_equal(one, again);
    for (uint64_t seed = 2; seed < 10; seed++) {
        _cleanup_free_ char *other = make(ENGINE_DETERMINISTIC, seed, NULL);
        assert_string_not_equal(one, other);
        lengths += strlen(one) != strlen(other);
    }
    assert_true(lengths >= 6);
}

static void test_additions(void **state)
{
    (void)state;
    static const char *const good[] = {"mitigations=off", "isolcpus=1-3", "dyndbg=\"file x +p\"",
                                       "consoleblank=0", "initcall_debug"};
    static const char *const bad[] = {
        "console=tty0", "init=/bin/sh", "panic=5", "two words", "",
        "--",           "a\nb",         "x=\"y",   "nokaslr",   "\x80"};

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        _cleanup_free_ char *line = make(ENGINE_DETERMINISTIC, 1, good[i]);
        assert_contains(line, good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct culprit_error error = {0};
        _cleanup_strv_ struct strv additions = {0};
        char *line = NULL;
        strv_append(&additions, bad[i]);
        assert_failure(guest_cmdline(ENGINE_DETERMINISTIC, 1, &additions, &line, &error),
                       CULPRIT_INVALID);
        assert_contains(error.message, bad[i]);
    }
}

/* The kernel cuts a longer line without a word; culprit refuses it. */
static void test_too_long(void **state)
{
    (void)state;
    struct culprit_error error = {0};
    _cleanup_strv_ struct strv additions = {0};
    char *line = NULL;

    for (unsigned i = 0; i < 300; i++)
        strv_appendf(&additions, "word%u=12", i);
    assert_failure(guest_cmdline(ENGINE_REALTIME, 1, &additions, &line, &error), CULPRIT_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_every_guest_needs),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_additions),
        cmocka_unit_test(test_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
