/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "relevance/inputs.h"
#include "relevance/string_set.h"
#include "scratch.h"

static struct culprit_error error;

static struct inputs *inputs_of(const char *const *paths)
{
    struct inputs *inputs = NULL;

    assert_success(inputs_new("x86", &inputs, &error));
    for (; *paths; paths++)
        assert_success(inputs_add(inputs, *paths, strlen(*paths), &error));
    return inputs;
}

static void paths_are_resolved(void **state)
{
    static const struct {
        const char *written;
        const char *path; /* NULL: none */
    } cases[] = {
        {"kernel/fork.c", "kernel/fork.c"},
        {"/kernel/fork.c", "kernel/fork.c"},
        {"kernel//fork.c", "kernel/fork.c"},
        {"./kernel/./fork.c", "kernel/fork.c"},
        {"kernel/sched/../smpboot.h", "kernel/smpboot.h"},
        {"arch/x86/boot/compressed/../../../../lib/lz4/lz4defs.h", "lib/lz4/lz4defs.h"},
        {"../kernel/fork.c", NULL},
        {"kernel/../../fork.c", NULL},
        {"", NULL},
        {"/", NULL},
        {"kernel/..", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *const paths[] = {cases[i].written, NULL};
        CULPRIT_CLEANUP(inputs_free) struct inputs *inputs = inputs_of(paths);

        assert_int_equal(inputs_count(inputs), cases[i].path ? 1 : 0);
        if (cases[i].path && !inputs_has(inputs, cases[i].path))
            fail_msg("\"%s\" is not \"%s\"", cases[i].written, cases[i].path);
    }
}

static void names_and_stems_are_known(void **state)
{
    static const char *const paths[] = {"kernel/sched/core.c", "kernel/sched/sched.h",
                                        "arch/x86/lib/memcpy_64.S", "Kconfig", NULL};
    CULPRIT_CLEANUP(inputs_free) struct inputs *inputs = inputs_of(paths);

    (void)state;
    assert_true(inputs_has_name(inputs, "drivers/gpu/sched.h"));
    assert_true(inputs_has_name(inputs, "sched.h"));
    assert_false(inputs_has_name(inputs, "drivers/gpu/chedule.h"));
    assert_true(inputs_has_stem(inputs, "arch/x86/lib/memcpy_64.c"));
    assert_true(inputs_has_stem(inputs, "kernel/sched/core.c_shipped"));
    assert_false(inputs_has_stem(inputs, "lib/memcpy_64.c"));
    assert_true(inputs_has_stem(inputs, "Kconfig.debug"));
    assert_false(inputs_has(inputs, "Kconfig.debug"));
    assert_false(inputs_has(inputs, "kernel/sched"));
}

static void text_keeps_all_of_it(void **state)
{
    static const char *const paths[] = {"kernel/b.c", "kernel/a.c", "Kconfig", "kernel/a.c", NULL};
    CULPRIT_CLEANUP(inputs_free) struct inputs *inputs = inputs_of(paths);
    CULPRIT_CLEANUP(inputs_free) struct inputs *again = NULL;
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(1 << 16);

    (void)state;
    assert_success(inputs_write(inputs, &text, &error));
    assert_string_equal(text.data, "culprit-inputs 1 x86\nKconfig\nkernel/a.c\nkernel/b.c\n.\n");
    assert_success(inputs_parse(text.data, text.length, &again, &error));
    assert_int_equal(inputs_count(again), 3);
    assert_string_equal(inputs_architecture(again), "x86");
    assert_true(inputs_has(again, "kernel/b.c"));
}

/* A list with a hole would have commits pruned that matter. */
static void a_torn_list_is_refused(void **state)
{
    static const char whole[] = "culprit-inputs 1 x86\nKconfig\nkernel/a.c\n.\n";
    static const char *const others[] = {"",
                                         "\n",
                                         "culprit-inputs 2 x86\nKconfig\n.\n",
                                         "culprit-inputs 1 \nKconfig\n.\n",
                                         "culprit-inputs 1 x 86\nKconfig\n.\n",
                                         "culprit-inputs 1 x86\nKconfig\n"};
    struct inputs *inputs = NULL;

    (void)state;
    for (size_t length = 0; length + 1 < sizeof whole; length++) {
        char *part = strndup(whole, length); /* exact, so that a sanitizer sees reads beyond it */
        int r = inputs_parse(part, length, &inputs, &error);

        free(part);
        if (r != -CULPRIT_INVALID)
            fail_msg("a list cut at %zu bytes was taken", length);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_failure(inputs_parse(others[i], strlen(others[i]), &inputs, &error),
                       CULPRIT_INVALID);
    assert_success(inputs_parse(whole, sizeof whole - 1, &inputs, &error));
    inputs_free(inputs);
}

static void limits_hold(void **state)
{
    CULPRIT_CLEANUP(inputs_free) struct inputs *inputs = NULL;
    char path[INPUT_PATH_MAXIMUM + 2];
    int r = 0;

    (void)state;
    assert_success(inputs_new("x86", &inputs, &error));
    memset(path, 'a', sizeof path);
    assert_failure(inputs_add(inputs, path, INPUT_PATH_MAXIMUM, &error), CULPRIT_LIMIT);
    assert_success(inputs_add(inputs, path, INPUT_PATH_MAXIMUM - 1, &error));
    assert_failure(inputs_add(inputs, "a\nb", 3, &error), CULPRIT_INVALID);
    for (unsigned i = 0; r == 0 && i <= INPUTS_MAXIMUM; i++) {
        snprintf(path, sizeof path, "kernel/file%u.c", i);
        r = inputs_add(inputs, path, strlen(path), &error);
    }
    assert_int_equal(r, -CULPRIT_LIMIT);
    assert_int_equal(inputs_count(inputs), INPUTS_MAXIMUM);
}

static void lists_are_joined(void **state)
{
    static const char *const left[] = {"kernel/a.c", "kernel/b.c", NULL};
    static const char *const right[] = {"kernel/b.c", "kernel/c.c", NULL};
    CULPRIT_CLEANUP(inputs_free) struct inputs *inputs = inputs_of(left);
    CULPRIT_CLEANUP(inputs_free) struct inputs *more = inputs_of(right);
    CULPRIT_CLEANUP(inputs_free) struct inputs *other = NULL;

    (void)state;
    assert_success(inputs_merge(inputs, more, &error));
    assert_int_equal(inputs_count(inputs), 3);
    assert_true(inputs_has(inputs, "kernel/c.c"));
    assert_success(inputs_new("arm64", &other, &error));
    assert_failure(inputs_merge(inputs, other, &error), CULPRIT_CONFLICT);
}

static void a_set_holds_what_it_got(void **state)
{
    CULPRIT_CLEANUP(string_set_clear) struct string_set set = {0};
    char text[32];

    (void)state;
    assert_false(string_set_has(&set, "a", 1));
    for (unsigned i = 0; i < 10000; i += 2) {
        snprintf(text, sizeof text, "%u", i);
        assert_true(string_set_add(&set, text, strlen(text)));
        assert_true(string_set_add(&set, text, strlen(text)));
    }
    assert_int_equal(set.count, 5000);
    for (unsigned i = 0; i < 10000; i++) {
        snprintf(text, sizeof text, "%u", i);
        if (string_set_has(&set, text, strlen(text)) != (i % 2 == 0))
            fail_msg("%u is %sin the set", i, i % 2 ? "" : "not ");
    }
    assert_false(string_set_has(&set, "", 0));
    _cleanup_free_ const char **sorted = string_set_sorted(&set);
    assert_non_null(sorted);
    for (unsigned i = 1; i < 5000; i++)
        assert_true(strcmp(sorted[i - 1], sorted[i]) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_resolved),
        cmocka_unit_test(names_and_stems_are_known),
        cmocka_unit_test(text_keeps_all_of_it),
        cmocka_unit_test(a_torn_list_is_refused),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(lists_are_joined),
        cmocka_unit_test(a_set_holds_what_it_got),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
