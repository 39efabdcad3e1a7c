/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An incrementally built image equals the image of a clean build: commits of a history, two slots.
 * The first slot goes through them forwards over whatever it held; the second begins with nothing
 * and goes backwards; so each commit is reached over other files each time, and the last one is
 * built clean. After that a build in a third slot is killed on its way and built to its end, and
 * more are built from nothing there.
 *
 *     integration_build_incremental [COMMITS [CLEAN-BUILDS [SEED]]]
 *
 * Three commits and no further clean build by default: a clean build takes minutes. "10 10" builds
 * ten, each of them clean as well.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/wait.h>

#include "base/random.h"
#include "base/units.h"
#include "build/slot/slot.h"
#include "kernel_history.h"
#include "scratch.h"

enum { MAXIMUM_STEPS = 10, PLACES = 3, LOG_MAXIMUM = 64 << 20 };

static struct kernel_history history;
static size_t numbers[MAXIMUM_STEPS]; /* of the commits in the history */
static struct build_result results[PLACES][MAXIMUM_STEPS];
static uint64_t steps = 3, clean_builds = 0, seed = 1;
static size_t compiled_clean; /* files, in the clean build of the last commit */

/* The first is that of the other kernel tests, and of culpritd: it is warm more often than not. */
static char *place_directory(unsigned place)
{
    return place == 0 ? path_cache_home()
                      : text_format("%s/incremental-%u", history.directory, place);
}

static void empty_slot(unsigned place)
{
    _cleanup_free_ char *directory = place_directory(place);
    CULPRIT_CLEANUP(slot_release) struct slot *slot = NULL;
    static const struct slot_holds nothing;
    struct culprit_error error = {0};

    assert_success(slot_claim(directory, 1, &nothing, NULL, &slot, &error));
    assert_success(slot_wipe(slot, &error));
}

static char *log_of(unsigned place)
{
    return text_format("%s/slot-%u.log", history.directory, place);
}

/* How many files the last build at that place has compiled so far. */
static size_t compiled(unsigned place)
{
    _cleanup_free_ char *path = log_of(place), *log = NULL;
    size_t count = 0;

    if (file_read(path, LOG_MAXIMUM, &log, NULL, NULL) < 0)
        return 0;
    for (const char *line = log; (line = strstr(line, "\n  CC  ")) != NULL; line++)
        count++;
    return count;
}

static void build_step(unsigned place, unsigned step)
{
    _cleanup_free_ char *directory = place_directory(place);
    _cleanup_free_ char *image = text_format("%s/slot-%u.image", history.directory, place);
    _cleanup_free_ char *log = log_of(place);
    _cleanup_free_ char *config = text_format("%s/slot-%u.config", history.directory, place);
    const struct builder_options options = {.cache_directory = directory, .slots = 1};
    struct build_recipe recipe = kernel_history_recipe(&history, numbers[step]);
    CULPRIT_CLEANUP(builder_free) struct builder *builder = NULL;
    struct build_result *result = &results[place][step];
    struct culprit_error error = {0};

    assert_success(builder_new(&options, &builder, &error));
    assert_success(builder_build(builder, history.repository, &recipe, image, log, config, NULL,
                                 NULL, result, &error));
    print_message("slot %u, commit %2zu (%s): %s, image %.12s, %.1f s %s\n", place, numbers[step],
                  kernel_history_effect(&history, numbers[step]), outcome_name(result->outcome),
                  result->image_digest, (double)result->wall_ns / 1e9, result->message);
}

static void assert_equal_builds(const struct build_result *a, const struct build_result *b,
                                unsigned step)
{
    if (a->outcome != b->outcome || strcmp(a->image_digest, b->image_digest) != 0 ||
        strcmp(a->build_id, b->build_id) != 0 || strcmp(a->config_digest, b->config_digest) != 0 ||
        strcmp(a->message, b->message) != 0)
        fail_msg("commit %zu differs:\n%s, image %s %s\n%s, image %s %s", numbers[step],
                 outcome_name(a->outcome), a->image_digest, a->message, outcome_name(b->outcome),
                 b->image_digest, b->message);
}

static void two_slots_build_equal_images(void **state)
{
    (void)state;
    for (unsigned step = 0; step < steps; step++)
        build_step(0, step);
    empty_slot(1);
    for (unsigned step = (unsigned)steps; step-- > 0;) {
        build_step(1, step);
        if (step == steps - 1)
            compiled_clean = compiled(1);
    }
    for (unsigned step = 0; step < steps; step++) {
        const struct build_result *result = &results[0][step];
        bool broken = strcmp(kernel_history_effect(&history, numbers[step]), "broken") == 0;

        if (result->outcome != (broken ? OUTCOME_BUILD_FAILED : OUTCOME_OK))
            fail_msg("commit %zu: %s %s", numbers[step], outcome_name(result->outcome),
                     result->message);
        assert_equal_builds(result, &results[1][step], step);
    }
}

/* Sleeps until the log has grown. */
static void wait_for_log(int watch)
{
    char events[4096];

    if (read(watch, events, sizeof events) <= 0)
        fail_msg("cannot watch the log: %s", strerror(errno));
}

static void build_and_kill(unsigned place, unsigned step, size_t files)
{
    int watch = inotify_init1(IN_CLOEXEC);
    pid_t builder;

    assert_true(watch >= 0);
    assert_true(inotify_add_watch(watch, history.directory, IN_MODIFY) >= 0);
    builder = fork();
    assert_true(builder >= 0);
    if (builder == 0) {
        build_step(place, step);
        _exit(0);
    }
    while (compiled(place) < files)
        wait_for_log(watch);
    close(watch);
    assert_int_equal(kill(builder, SIGKILL), 0);
    assert_int_equal(waitpid(builder, NULL, 0), builder);
}

/* To the same image, and without doing all of it again. */
static void a_killed_build_goes_on(void **state)
{
    unsigned last = (unsigned)steps - 1;
    _cleanup_free_ char *log = log_of(2);
    size_t again;

    (void)state;
    empty_slot(2);
    assert_int_equal(file_remove_tree(log, NULL), 0);
    build_and_kill(2, last, compiled_clean * 2 / 3);
    build_step(2, last);
    assert_equal_builds(&results[0][last], &results[2][last], last);
    again = compiled(2);
    print_message("killed after %zu of %zu files; %zu to go\n", compiled_clean * 2 / 3,
                  compiled_clean, again);
    assert_true(again > 0 && again < compiled_clean * 2 / 3);
}

static void clean_builds_equal_incremental_ones(void **state)
{
    unsigned order[MAXIMUM_STEPS];
    struct random random;

    (void)state;
    random_seed(&random, seed);
    for (unsigned step = 0; step < steps; step++) {
        unsigned other = (unsigned)random_below(&random, step + 1);

        order[step] = order[other];
        order[other] = step;
    }
    for (unsigned i = 0; i < clean_builds; i++) {
        empty_slot(2);
        build_step(2, order[i]);
        assert_equal_builds(&results[0][order[i]], &results[2][order[i]], order[i]);
    }
}

/* Evenly over the history, ends included, and the one that does not compile among them. */
static void choose_commits(void)
{
    size_t last = kernel_history_count(&history) - 1;
    size_t nearest = 0, broken = 0;

    while (broken < last && strcmp(kernel_history_effect(&history, broken), "broken") != 0)
        broken++;
    for (size_t i = 0; i < steps; i++) {
        numbers[i] = i * last / (steps - 1);
        if (numbers[i] <= broken)
            nearest = i;
    }
    if (broken < last)
        numbers[nearest] = broken;
}

static int read_arguments(int argc, char **argv, struct culprit_error *error)
{
    int r = 0;

    if (argc > 1)
        r = parse_count(argv[1], 2, MAXIMUM_STEPS, &steps, error);
    if (r == 0 && argc > 2)
        r = parse_count(argv[2], 0, steps, &clean_builds, error);
    if (r == 0 && argc > 3)
        r = parse_count(argv[3], 0, UINT64_MAX, &seed, error);
    return r;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_slots_build_equal_images),
        cmocka_unit_test(a_killed_build_goes_on),
        cmocka_unit_test(clean_builds_equal_incremental_ones),
    };
    struct culprit_error error = {0};
    int failed, r = read_arguments(argc, argv, &error);

    if (!kernel_history_possible())
        return EXIT_SKIPPED;
    if (r == 0)
        r = kernel_history_open(&history, &error);
    if (r < 0) {
        print_error("%s\n", error.message);
        return EXIT_FAILURE;
    }
    choose_commits();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    kernel_history_close(&history);
    return failed;
}
