/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stays of a build directory whose make was killed. The command files are as Linux 6.1, 5.10
 * and 4.4 write them, with fewer members. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "build/slot/cut_off.h"
#include "build/slot/instant.h"
#include "scratch.h"

/* Seconds, in the order of a build. */
enum { BEFORE = 1000, MARK = 2000, EARLY = 3000, LATE = 4000 };

struct tree {
    char *mark, *build, *config;
};

static void put(const char *directory, const char *name, const char *text, time_t seconds)
{
    const struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    _cleanup_free_ char *path = path_join(directory, name);
    _cleanup_free_ char *parent = path_directory(path);
    struct culprit_error error = {0};

    assert_success(file_make_directories(parent, 0755, &error));
    assert_success(file_write_atomic(path, text, strlen(text), 0644, &error));
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static bool has(const char *directory, const char *name)
{
    _cleanup_free_ char *path = path_join(directory, name);

    return file_exists(path);
}

static int make_tree(void **state)
{
    struct tree *tree = calloc(1, sizeof *tree);
    const struct timespec times[2] = {{.tv_sec = MARK}, {.tv_sec = MARK}};
    struct culprit_error error = {0};

    assert_int_equal(scratch_setup(state), 0);
    assert_non_null(tree);
    tree->mark = path_join(*state, "building");
    tree->build = path_join(*state, "build");
    tree->config = path_join(*state, "config");
    free(*state);
    *state = tree;
    assert_success(cut_off_mark(tree->mark, &error));
    assert_success(cut_off_check_clock(tree->mark, &error));
    assert_int_equal(utimensat(AT_FDCWD, tree->mark, times, 0), 0);
    return 0;
}

static int remove_tree(void **state)
{
    struct tree *tree = *state;

    *state = path_directory(tree->mark);
    free(tree->mark);
    free(tree->build);
    free(tree->config);
    free(tree);
    return scratch_teardown(state);
}

static void recover(const struct tree *tree)
{
    struct culprit_error error = {0};
    bool was = false;

    assert_success(cut_off_recover(tree->mark, tree->build, tree->config, &was, &error));
    assert_true(was);
}

static void members_of_a_finished_archive_stay(void **state)
{
    static const struct {
        const char *name;
        const char *command_file, *command;
    } cases[] = {
        {"printf", "kernel/.built-in.a.cmd",
         "cmd_kernel/built-in.a := rm -f kernel/built-in.a;  printf \"kernel/%s \" fork.o "
         "sched/built-in.a sub/deep.o | xargs ar cDPrST kernel/built-in.a\n"},
        {"savedcmd", "kernel/.built-in.a.cmd",
         "savedcmd_kernel/built-in.a := rm -f kernel/built-in.a;  printf \"kernel/%s \" fork.o "
         "sub/deep.o | xargs ar cDPrST kernel/built-in.a\n"},
        {"ar", "kernel/.built-in.a.cmd",
         "cmd_kernel/built-in.a := rm -f kernel/built-in.a; ar cDPrST kernel/built-in.a "
         "kernel/fork.o kernel/sub/deep.o\n"},
        {"ld", "kernel/.built-in.o.cmd",
         "cmd_kernel/built-in.o :=  ld -m elf_x86_64   -r -o kernel/built-in.o kernel/fork.o "
         "kernel/sub/deep.o \n"},
        {"library", "kernel/.lib.a.cmd",
         "cmd_kernel/lib.a := rm -f kernel/lib.a; ar cDPrsT kernel/lib.a kernel/fork.o "
         "kernel/sub/deep.o\n"},
    };
    const struct tree *tree = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put(tree->build, "kernel/fork.o", "x", EARLY);
        put(tree->build, "kernel/.fork.o.cmd", "x", EARLY);
        put(tree->build, "kernel/sub/deep.o", "x", EARLY);
        put(tree->build, "fork.o", "x", EARLY);
        put(tree->build, "sub/deep.o", "x", EARLY);
        put(tree->build, "kernel/exit.o", "x", EARLY);
        put(tree->build, "kernel/.exit.o.cmd", "x", EARLY);
        put(tree->build, cases[i].command_file, cases[i].command, LATE);
        recover(tree);
        if (!has(tree->build, "kernel/fork.o") || !has(tree->build, "kernel/.fork.o.cmd") ||
            !has(tree->build, "kernel/sub/deep.o"))
            fail_msg("%s: a member is gone", cases[i].name);
        if (has(tree->build, "fork.o") || has(tree->build, "sub/deep.o") ||
            has(tree->build, "kernel/exit.o") || has(tree->build, "kernel/.exit.o.cmd"))
            fail_msg("%s: what is no member stayed", cases[i].name);
    }
}

static void what_may_be_torn_goes(void **state)
{
    static const char archive[] = "cmd_fs/built-in.a := rm -f fs/built-in.a;  printf \"fs/%s \" "
                                  "again.o same.o open.o | xargs ar cDPrST fs/built-in.a\n";
    /* The name that is cut is that of another member. */
    static const char torn[] = "cmd_mm/built-in.a := rm -f mm/built-in.a; ar cDPrST mm/built-in.a "
                               "mm/slub.o";
    static const struct {
        const char *path;
        const char *text;
        time_t seconds;
        bool stays;
    } files[] = {
        {"fs/.built-in.a.cmd", archive, LATE, false},
        {"fs/built-in.a", "x", LATE, false},
        {"fs/open.o", "x", EARLY, true},
        {"fs/again.o", "x", LATE + 1, false}, /* made once more since */
        {"fs/same.o", "x", LATE, false},      /* in the same tick: who knows */
        {"fs/.open.o.d", "x", EARLY, false},
        {"fs/old.o", "x", BEFORE, true},
        {"fs/marked.o", "x", MARK, false},
        {"mm/.built-in.a.cmd", torn, LATE, false},
        {"mm/slub.o", "x", EARLY, false},
        /* The archive is of an earlier build: its members may be in work again. */
        {"net/.built-in.a.cmd", "cmd_net/built-in.a := ar net/built-in.a net/socket.o\n", BEFORE,
         true},
        {"net/socket.o", "x", EARLY, false},
        {"include/generated/asm-offsets.h", "x", EARLY, false},
        {"include/generated/bounds.h", "x", BEFORE, true},
        {"vmlinux", "x", LATE, false},
    };
    const struct tree *tree = *state;

    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        put(tree->build, files[i].path, files[i].text, files[i].seconds);
    put(tree->config, "kernel/fork.o", "x", EARLY);
    put(tree->config, ".config", "x", BEFORE);
    recover(tree);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (has(tree->build, files[i].path) != files[i].stays)
            fail_msg("%s %s", files[i].path, files[i].stays ? "is gone" : "stayed");
    }
    assert_false(has(tree->config, "kernel/fork.o"));
    assert_true(has(tree->config, ".config"));
}

/* The cleaning itself may be killed; what told of the members is gone then. */
static void cleaning_again_is_safe(void **state)
{
    const struct tree *tree = *state;

    put(tree->build, "fs/.built-in.a.cmd", "cmd_fs/built-in.a := ar fs/built-in.a fs/open.o\n",
        LATE);
    put(tree->build, "fs/open.o", "x", EARLY);
    recover(tree);
    assert_true(has(tree->build, "fs/open.o"));
    recover(tree);
    assert_false(has(tree->build, "fs/open.o"));
}

static void nothing_is_trusted_after_a_crash_of_the_host(void **state)
{
    const struct tree *tree = *state;
    _cleanup_free_ char *directory = path_directory(tree->mark);

    put(directory, "building", "00000000-0000-0000-0000-000000000000 0 0\n", MARK);
    put(tree->build, "fs/.built-in.a.cmd", "cmd_fs/built-in.a := ar fs/built-in.a fs/open.o\n",
        LATE);
    put(tree->build, "fs/open.o", "x", EARLY);
    put(tree->build, "fs/old.o", "x", BEFORE);
    recover(tree);
    assert_false(has(tree->build, "fs/open.o"));
    assert_true(has(tree->build, "fs/old.o"));
}

/* The times of files tell nothing then, and a mark that cannot be read tells nothing either. */
static void nothing_stays_after_the_clock_was_set_back(void **state)
{
    static const char *const cases[] = {"an hour back", "torn"};
    const struct tree *tree = *state;
    _cleanup_free_ char *directory = path_directory(tree->mark);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct culprit_error error = {0};
        struct instant then;
        char text[INSTANT_TEXT_MAXIMUM];

        assert_success(instant_now(&then, &error));
        then.wall_ns += INT64_C(3600000000000);
        instant_write(&then, text);
        put(directory, "building", i == 0 ? text : "00000000-0000", MARK);
        assert_failure(cut_off_check_clock(tree->mark, &error), CULPRIT_IO);
        put(tree->build, "fs/.built-in.a.cmd", "cmd_fs/built-in.a := ar fs/built-in.a fs/open.o\n",
            LATE);
        put(tree->build, "fs/open.o", "x", EARLY);
        put(tree->build, "fs/old.o", "x", BEFORE);
        recover(tree);
        if (has(tree->build, "fs/open.o") || has(tree->build, "fs/old.o"))
            fail_msg("%s: objects stayed", cases[i]);
    }
}

static void a_build_that_ended_is_left_alone(void **state)
{
    const struct tree *tree = *state;
    _cleanup_free_ char *nowhere = path_join(tree->build, "nowhere");
    struct culprit_error error = {0};
    bool was = true;

    put(tree->build, "fs/open.o", "x", EARLY);
    assert_success(cut_off_recover(nowhere, tree->build, tree->config, &was, &error));
    assert_false(was);
    assert_true(has(tree->build, "fs/open.o"));
    /* Directories that are not there are empty. */
    assert_success(cut_off_recover(tree->mark, nowhere, nowhere, &was, &error));
    assert_true(was);
}

#define tree_test(function) cmocka_unit_test_setup_teardown(function, make_tree, remove_tree)

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(members_of_a_finished_archive_stay),
        tree_test(what_may_be_torn_goes),
        tree_test(cleaning_again_is_safe),
        tree_test(nothing_is_trusted_after_a_crash_of_the_host),
        tree_test(nothing_stays_after_the_clock_was_set_back),
        tree_test(a_build_that_ended_is_left_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
