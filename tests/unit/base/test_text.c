/* SPDX-License-Identifier: GPL-2.0-or-later */
/* String lists, words, names of outcomes and engines, paths, and the printed clock. */
#include <string.h>
#include <sys/stat.h>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/outcome.h"
#include "base/path.h"
#include "base/strv.h"
#include "scratch.h"

static void lists_grow_and_end_in_null(void **state)
{
    _cleanup_strv_ struct strv list = {0};
    _cleanup_strv_ struct strv copy = {0};

    (void)state;
    for (int i = 0; i < 1000; i++) {
        assert_true(strv_appendf(&list, "item %d", i));
        assert_int_equal(list.count, i + 1);
        assert_null(list.items[list.count]);
    }
    assert_true(strv_copy(&list, &copy));
    assert_string_equal(copy.items[999], "item 999");
    assert_ptr_not_equal(copy.items[999], list.items[999]);
    assert_true(strv_contains(&list, "item 500"));
    assert_false(strv_contains(&list, "item 1000"));
    assert_false(list.failed);
}

static void nearest_word_suggests(void **state)
{
    static const char *const words[] = {"runtime", "think", "workers", "sleep", "message_threads"};
    static const struct {
        const char *word;
        const char *expected;
    } cases[] = {
        {"runtme", "runtime"},
        {"runitme", "runtime"},
        {"worker", "workers"},
        {"thnik", "think"},
        {"slep", "sleep"},
        {"message_thread", "message_threads"},
        {"massege_threds", "message_threads"},
        {"memory", NULL},
        {"x", NULL},
        {"", NULL},
        {"runtime", "runtime"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *got = nearest_word(cases[i].word, words, sizeof words / sizeof *words);

        if (got != cases[i].expected &&
            (!got || !cases[i].expected || strcmp(got, cases[i].expected) != 0))
            fail_msg("\"%s\" suggests %s instead of %s", cases[i].word, got ? got : "nothing",
                     cases[i].expected ? cases[i].expected : "nothing");
    }
}

static void names_read_back(void **state)
{
    enum outcome outcome;
    enum engine engine;

    (void)state;
    for (unsigned i = 0; i < OUTCOME_COUNT; i++) {
        assert_true(outcome_from_name(outcome_name(i), &outcome));
        assert_int_equal(outcome, i);
    }
    for (unsigned i = 0; i < ENGINE_COUNT; i++) {
        assert_true(engine_from_name(engine_name(i), &engine));
        assert_int_equal(engine, i);
    }
    assert_false(outcome_from_name("OK", &outcome));
    assert_false(engine_from_name(NULL, &engine));
}

static void paths_join_and_split(void **state)
{
    static const struct {
        const char *directory, *name, *joined;
    } joins[] = {
        {"a", "b", "a/b"}, {"a/", "b", "a/b"}, {"a//", "/b", "a/b"},
        {"/", "b", "/b"},  {"", "b", "b"},
    };
    static const struct {
        const char *path, *directory;
    } splits[] = {{"a/b/c", "a/b"}, {"c", "."}, {"/c", "/"}};

    (void)state;
    for (size_t i = 0; i < sizeof joins / sizeof *joins; i++) {
        _cleanup_free_ char *got = path_join(joins[i].directory, joins[i].name);

        assert_string_equal(got, joins[i].joined);
    }
    for (size_t i = 0; i < sizeof splits / sizeof *splits; i++) {
        _cleanup_free_ char *got = path_directory(splits[i].path);

        assert_string_equal(got, splits[i].directory);
    }
}

static void homes_follow_the_environment(void **state)
{
    const char *directory = *state;
    _cleanup_free_ char *set = NULL, *fallback = NULL, *runtime = NULL, *refused = NULL;

    setenv("HOME", directory, 1);
    setenv("XDG_CACHE_HOME", "/somewhere", 1);
    set = path_cache_home();
    assert_string_equal(set, "/somewhere/culprit");
    setenv("XDG_CACHE_HOME", "relative is to be ignored", 1);
    fallback = path_cache_home();
    assert_contains(fallback, directory);
    assert_contains(fallback, "/.cache/culprit");

    unsetenv("XDG_RUNTIME_DIR");
    setenv("TMPDIR", directory, 1);
    runtime = path_runtime_home();
    assert_non_null(runtime);
    assert_true(file_exists(runtime));
    assert_int_equal(chmod(runtime, 0777), 0);
    refused = path_runtime_home();
    assert_null(refused);
}

static void clock_prints_utc(void **state)
{
    char text[CLOCK_TEXT_SIZE];

    (void)state;
    assert_string_equal(clock_format(0, text), "1970-01-01T00:00:00Z");
    assert_string_equal(clock_format(UINT64_C(1767323045999999999), text), "2026-01-02T03:04:05Z");
    assert_true(clock_monotonic(&clock_system) <= clock_monotonic(&clock_system));
    assert_true(clock_realtime(&clock_system) > UINT64_C(1700000000000000000));
}

static void cancellation_stays(void **state)
{
    struct culprit_error error = {0};
    CULPRIT_CLEANUP(cancel_free) struct cancel *cancel = NULL;

    (void)state;
    assert_success(cancel_new(&cancel, &error));
    assert_false(cancel_requested(cancel));
    cancel_request(cancel);
    cancel_request(cancel);
    assert_true(cancel_requested(cancel));
    cancel_request(NULL);
    assert_false(cancel_requested(NULL));
    assert_int_equal(cancel_fd(NULL), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_grow_and_end_in_null),
        cmocka_unit_test(nearest_word_suggests),
        cmocka_unit_test(names_read_back),
        cmocka_unit_test(paths_join_and_split),
        scratch_test(homes_follow_the_environment),
        cmocka_unit_test(clock_prints_utc),
        cmocka_unit_test(cancellation_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
