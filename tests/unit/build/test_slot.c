/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cancel.h"
#include "build/slot/slot.h"
#include "scratch.h"

static struct slot_holds holds(char recipe, char settings)
{
    struct slot_holds wanted = {0};

    memset(wanted.recipe, recipe, DIGEST_HEX_SIZE - 1);
    memset(wanted.settings, settings, DIGEST_HEX_SIZE - 1);
    return wanted;
}

static struct slot *claim(const char *directory, unsigned slots, char recipe, char settings)
{
    struct slot_holds wanted = holds(recipe, settings);
    struct culprit_error error = {0};
    struct slot *slot = NULL;

    assert_success(slot_claim(directory, slots, &wanted, NULL, &slot, &error));
    return slot;
}

/* What a build of that recipe leaves behind. */
static void pretend_build(struct slot *slot, char recipe, char settings)
{
    struct slot_holds built = holds(recipe, settings);
    struct culprit_error error = {0};

    memset(built.image, 'f', DIGEST_HEX_SIZE - 1);
    assert_success(slot_begin(slot, built.settings, &error));
    assert_success(slot_end(slot, &built, &error));
}

static void takes_the_nearest(void **state)
{
    static const struct {
        char recipe, settings;
        unsigned number;
    } cases[] = {
        {'1', 'a', 0},                /* that recipe */
        {'2', 'b', 1}, {'3', 'b', 1}, /* those settings */
        {'4', 'c', 2},                /* the empty one before one with other settings */
        {'1', 'b', 0},                /* a recipe counts for more than settings */
    };
    const char *directory = *state;
    struct slot *first = claim(directory, 3, '1', 'a');
    struct slot *second = claim(directory, 3, '2', 'b');

    assert_int_equal(first->number, 0);
    assert_int_equal(second->number, 1);
    pretend_build(first, '1', 'a');
    pretend_build(second, '2', 'b');
    slot_release(first);
    slot_release(second);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CULPRIT_CLEANUP(slot_release)
        struct slot *slot = claim(directory, 3, cases[i].recipe, cases[i].settings);

        if (slot->number != cases[i].number)
            fail_msg("recipe %c with settings %c goes to slot %u", cases[i].recipe,
                     cases[i].settings, slot->number);
    }
}

static void remembers_what_it_holds(void **state)
{
    struct slot *slot = claim(*state, 1, '1', 'a');
    struct slot_holds expected = holds('1', 'a');
    struct culprit_error error = {0};
    _cleanup_free_ char *path = NULL;

    assert_string_equal(slot->holds.recipe, "");
    assert_true(file_exists(slot->build));
    assert_true(file_exists(slot->config));
    pretend_build(slot, '1', 'a');
    slot_release(slot);

    slot = claim(*state, 1, '2', 'b');
    assert_string_equal(slot->holds.recipe, expected.recipe);
    assert_string_equal(slot->holds.settings, expected.settings);
    assert_string_equal(slot->holds.image,
                        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
                        "ffffffff");
    assert_success(slot_begin(slot, slot->holds.settings, &error));
    assert_string_equal(slot->holds.recipe, "");
    slot_release(slot);

    /* Not ended: the recipe is gone, the settings are known. */
    slot = claim(*state, 1, '2', 'b');
    assert_string_equal(slot->holds.recipe, "");
    assert_string_equal(slot->holds.settings, expected.settings);

    path = path_join(slot->directory, "holds");
    assert_success(file_write_atomic(path, "recipe 12", 9, 0644, &error));
    slot_release(slot);
    slot = claim(*state, 1, '2', 'b');
    assert_string_equal(slot->holds.settings, "");
    slot_release(slot);
}

static void write_file(const char *directory, const char *name)
{
    _cleanup_free_ char *path = path_join(directory, name);

    assert_int_equal(file_write_atomic(path, "x", 1, 0644, NULL), 0);
}

static bool has_file(const char *directory, const char *name)
{
    _cleanup_free_ char *path = path_join(directory, name);

    return file_exists(path);
}

/* The kernel stamps files with its tick; two writes within one tick look equally old. */
static void set_time(const char *directory, const char *name, time_t seconds)
{
    _cleanup_free_ char *path = path_join(directory, name);
    const struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};

    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void a_cut_off_build_leaves_no_new_file(void **state)
{
    struct slot *slot = claim(*state, 1, '1', 'a');
    struct culprit_error error = {0};

    write_file(slot->build, "old.o");
    set_time(slot->build, "old.o", 1000);
    write_file(slot->build, "written-and-untouched.o");
    set_time(slot->build, "written-and-untouched.o", 1000);
    assert_success(slot_begin(slot, slot->holds.settings, &error));
    write_file(slot->build, "half.o");
    write_file(slot->build, "old.o");
    write_file(slot->config, "half");
    slot_release(slot);

    slot = claim(*state, 1, '1', 'a');
    assert_false(has_file(slot->build, "half.o"));
    assert_false(has_file(slot->build, "old.o"));
    assert_false(has_file(slot->config, "half"));
    assert_true(has_file(slot->build, "written-and-untouched.o"));
    assert_false(has_file(slot->directory, "building"));

    write_file(slot->build, "whole.o");
    slot_release(slot);
    slot = claim(*state, 1, '1', 'a');
    assert_true(has_file(slot->build, "whole.o"));

    /* What was there at a checkpoint is whole, though it came after the beginning. */
    assert_success(slot_begin(slot, slot->holds.settings, &error));
    set_time(slot->directory, "building", 1000);
    write_file(slot->build, "prepared.h");
    set_time(slot->build, "prepared.h", 1001);
    assert_success(slot_checkpoint(slot, &error));
    write_file(slot->build, "half.o");
    slot_release(slot);
    slot = claim(*state, 1, '1', 'a');
    assert_true(has_file(slot->build, "prepared.h"));
    assert_false(has_file(slot->build, "half.o"));
    assert_success(slot_wipe(slot, &error));
    assert_false(has_file(slot->build, "whole.o"));
    assert_true(file_exists(slot->build));
    slot_release(slot);
}

/* Its objects would pass for newer than what is checked out now. */
static void a_build_of_the_future_goes(void **state)
{
    struct slot *slot = claim(*state, 1, '1', 'a');

    pretend_build(slot, '1', 'a');
    write_file(slot->build, "old.o");
    set_time(slot->directory, "holds", time(NULL) + 3600);
    slot_release(slot);
    slot = claim(*state, 1, '1', 'a');
    assert_false(has_file(slot->build, "old.o"));
    assert_string_equal(slot->holds.recipe, "");
    assert_string_equal(slot->holds.settings, "");
    pretend_build(slot, '1', 'a');
    write_file(slot->build, "new.o");
    slot_release(slot);
    slot = claim(*state, 1, '1', 'a');
    assert_true(has_file(slot->build, "new.o"));
    slot_release(slot);
}

struct waiter {
    const char *directory;
    struct cancel *cancel;
    struct slot *slot;
    int r;
};

static void *wait_for_slot(void *context)
{
    struct waiter *waiter = context;
    struct slot_holds wanted = holds('1', 'a');

    waiter->r = slot_claim(waiter->directory, 1, &wanted, waiter->cancel, &waiter->slot, NULL);
    return NULL;
}

static void waits_for_a_free_slot(void **state)
{
    for (int i = 0; i < 50; i++) {
        struct waiter waiter = {.directory = *state};
        struct slot *slot = claim(*state, 1, '1', 'a');
        pthread_t thread;

        assert_int_equal(pthread_create(&thread, NULL, wait_for_slot, &waiter), 0);
        slot_release(slot);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(waiter.r, 0);
        slot_release(waiter.slot);
    }
}

static void waiting_can_be_cancelled(void **state)
{
    struct waiter waiter = {.directory = *state};
    struct culprit_error error = {0};
    struct slot *slot = claim(*state, 1, '1', 'a');
    pthread_t thread;

    assert_success(cancel_new(&waiter.cancel, &error));
    assert_int_equal(pthread_create(&thread, NULL, wait_for_slot, &waiter), 0);
    cancel_request(waiter.cancel);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(waiter.r, -CULPRIT_CANCELLED);
    assert_null(waiter.slot);
    slot_release(slot);
    cancel_free(waiter.cancel);
}

static void a_killed_holder_frees_its_slot(void **state)
{
    int ready[2];
    char byte;
    pid_t holder;
    struct slot *slot;

    assert_int_equal(pipe(ready), 0);
    holder = fork();
    assert_true(holder >= 0);
    if (holder == 0) {
        claim(*state, 1, '1', 'a');
        if (write(ready[1], "x", 1) == 1)
            pause();
        _exit(1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(kill(holder, SIGKILL), 0);
    slot = claim(*state, 1, '1', 'a'); /* waits, or finds it free */
    assert_int_equal(waitpid(holder, NULL, 0), holder);
    slot_release(slot);
    close(ready[0]);
    close(ready[1]);
}

/* As a compiler that outlives its make. */
static void processes_that_still_write_are_waited_for(void **state)
{
    struct slot *slot = claim(*state, 1, '1', 'a');
    _cleanup_free_ char *late = path_join(slot->build, "late.o");
    struct culprit_error error = {0};
    int ready[2];
    char byte;
    pid_t writer;

    assert_int_equal(pipe(ready), 0);
    assert_success(slot_begin(slot, slot->holds.settings, &error));
    writer = fork();
    assert_true(writer >= 0);
    if (writer == 0) {
        int fd = open(slot->build, O_RDONLY | O_DIRECTORY);

        if (flock(fd, LOCK_SH) == 0 && write(ready[1], "x", 1) == 1)
            usleep(50000); /* so that the claim below comes first, as a rule */
        _exit(file_write_atomic(late, "x", 1, 0644, NULL) == 0 ? 0 : 1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    slot_release(slot);
    slot = claim(*state, 1, '1', 'a');
    assert_false(has_file(slot->build, "late.o"));
    assert_int_equal(waitpid(writer, NULL, 0), writer);
    assert_false(has_file(slot->build, "late.o"));
    slot_release(slot);
    close(ready[0]);
    close(ready[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(takes_the_nearest),
        scratch_test(remembers_what_it_holds),
        scratch_test(a_cut_off_build_leaves_no_new_file),
        scratch_test(a_build_of_the_future_goes),
        scratch_test(processes_that_still_write_are_waited_for),
        scratch_test(waits_for_a_free_slot),
        scratch_test(waiting_can_be_cancelled),
        scratch_test(a_killed_holder_frees_its_slot),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
