/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Histories by make-history, whose truth says of each commit what it does, against what a real
 * build of their first commit read: a commit that may change the image is never left out, and the
 * culprit least of all.
 *
 *     test_sched_prune_replica [HISTORIES]
 *
 * Eight of them, seeds 1 to 8, by default: each is cut from a whole kernel source.
 */
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/process.h"
#include "base/units.h"
#include "sched/prune_range.h"
#include "scratch.h"

enum { SEEDS_MAXIMUM = 1000, COMMITS = 64, EXIT_SKIPPED = 77 };

static struct culprit_error error;
static struct inputs *inputs;
static const char *package;
static uint64_t seeds = 8;

struct history {
    json_t *truth, *commits;
    struct repository *repository;
    char ids[COMMITS + 1][COMMIT_ID_SIZE];
    unsigned count;
};

static void history_close_cleanup(struct history *history)
{
    repository_free(history->repository);
    json_decref(history->truth);
}

static void make_history(const char *directory, unsigned seed, struct history *ret)
{
    _cleanup_strv_ struct strv argv = {0};
    _cleanup_free_ char *output = NULL, *path = text_format("%s/%u.git", directory, seed);
    _cleanup_free_ char *truth = text_format("%s.json", path);

    strv_append(&argv, CULPRIT_MAKE_HISTORY);
    strv_appendf(&argv, "--source=%s", package);
    strv_appendf(&argv, "--out=%s", path);
    strv_appendf(&argv, "--truth=%s", truth);
    strv_append(&argv, "--case=lb-spare-capacity");
    strv_appendf(&argv, "--commits=%d", COMMITS);
    strv_appendf(&argv, "--seed=%u", seed);
    assert_success(process_capture(&argv, NULL, 4096, &output, &error));
    assert_success(repository_open("history", path, directory, NULL, &ret->repository, &error));
    ret->truth = json_load_file(truth, 0, NULL);
    ret->commits = json_object_get(ret->truth, "history");
    ret->count = (unsigned)json_array_size(ret->commits);
    assert_int_equal(ret->count, COMMITS + 1);
}

static const char *word(const struct history *history, unsigned commit, const char *key)
{
    const json_t *value = json_object_get(json_array_get(history->commits, commit), key);

    return json_is_string(value) ? json_string_value(value) : "";
}

static void resolve(struct history *history)
{
    char good[COMMIT_ID_SIZE], bad[COMMIT_ID_SIZE];
    struct commit_range range;

    assert_success(repository_resolve(history->repository, "good", good, &error));
    assert_success(repository_resolve(history->repository, "bad", bad, &error));
    assert_success(repository_range(history->repository, good, bad, false, &range, &error));
    assert_int_equal(range.count, history->count);
    for (unsigned c = 0; c < range.count; c++) {
        memcpy(history->ids[c], range.commits[c].id, COMMIT_ID_SIZE);
        assert_string_equal(history->ids[c], word(history, c, "id"));
    }
    commit_range_clear(&range);
}

/* Only what has no effect, and touches nothing that is built, may be left out. */
static unsigned check(const struct history *history, unsigned seed, const enum relevance *relevance,
                      unsigned *without_effect)
{
    json_int_t culprit = json_integer_value(
        json_object_get(json_object_get(history->truth, "culprit"), "number"));
    unsigned pruned = 0;

    assert_int_equal(relevance[culprit], RELEVANCE_MATTERS);
    for (unsigned c = 1; c < history->count; c++) {
        bool none = strcmp(word(history, c, "effect"), "none") == 0;
        bool touches = json_is_true(
            json_object_get(json_array_get(history->commits, c), "touches_built_file"));

        *without_effect += none && !touches;
        if (relevance[c] == RELEVANCE_MATTERS)
            continue;
        pruned++;
        if (!none || touches)
            fail_msg("seed %u: commit %u (%s, effect %s, %s) is left out as %s", seed, c,
                     word(history, c, "kind"), word(history, c, "effect"), word(history, c, "path"),
                     relevance_name(relevance[c]));
    }
    return pruned;
}

static void nothing_is_left_out_that_has_an_effect(void **state)
{
    unsigned pruned = 0, without_effect = 0, total = 0, reasons[RELEVANCE_COUNT] = {0};

    for (unsigned seed = 1; seed <= seeds; seed++) {
        _cleanup_free_ char *directory = text_format("%s/%u", (const char *)*state, seed);
        CULPRIT_CLEANUP(history_close) struct history history = {0};
        enum relevance relevance[COMMITS + 1];

        assert_success(file_make_directories(directory, 0755, &error));
        make_history(directory, seed, &history);
        resolve(&history);
        const struct work_prune request = {
            .ids = history.ids, .count = history.count, .inputs = inputs};
        assert_success(prune_range(history.repository, &request, false, NULL, relevance, &error));
        pruned += check(&history, seed, relevance, &without_effect);
        total += history.count - 1;
        for (unsigned c = 1; c < history.count; c++)
            reasons[relevance[c]]++;
        assert_success(file_remove_tree(directory, &error));
    }
    print_message("%u of %u commits left out (%.1f %%), %u could be:", pruned, total,
                  100.0 * pruned / total, without_effect);
    for (int r = 1; r < RELEVANCE_COUNT; r++)
        print_message(" %u %s", reasons[r], relevance_name((enum relevance)r));
    print_message("\n");
    /* At least a third cannot matter, and most of those should be known for it. */
    assert_true(3 * without_effect >= total);
    assert_true(10 * pruned >= 9 * without_effect);
}

static const char *find_package(void)
{
    if (file_exists("/usr/src/linux-source-6.1.tar.xz"))
        return "linux-source-6.1";
    return file_exists("/usr/src/linux-source-6.12.tar.xz") ? "linux-source-6.12" : NULL;
}

/* What integration_build_test_kernel left beside the image. */
static int load_inputs(void)
{
    const char *image = getenv("CULPRIT_TEST_KERNEL");
    _cleanup_free_ char *directory = image ? path_directory(image) : NULL;
    _cleanup_free_ char *path = directory ? path_join(directory, "inputs") : NULL;
    _cleanup_free_ char *text = NULL;
    size_t length = 0;
    int r;

    if (!path)
        return culprit_fail(&error, CULPRIT_NOT_FOUND, "CULPRIT_TEST_KERNEL names no image");
    r = file_read(path, INPUTS_TEXT_MAXIMUM, &text, &length, &error);
    return r < 0 ? r : inputs_parse(text, length, &inputs, &error);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        scratch_test(nothing_is_left_out_that_has_an_effect),
    };

    if (argc > 1)
        assert_success(parse_count(argv[1], 1, SEEDS_MAXIMUM, &seeds, &error));
    package = find_package();
    if (!package) {
        puts("skipped: there is no /usr/src/linux-source-*.tar.xz");
        return EXIT_SKIPPED;
    }
    if (load_inputs() < 0) {
        print_error("%s\n", error.message);
        return EXIT_FAILURE;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    inputs_free(inputs);
    return failed;
}
