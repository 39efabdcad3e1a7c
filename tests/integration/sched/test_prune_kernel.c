/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commits of a kernel history that are left out, built all the same: each has its parent's image,
 * bit for bit. And one that is not left out has another. */
#include <stdio.h>
#include <string.h>

#include "../build/kernel_history.h"
#include "sched/prune_range.h"
#include "scratch.h"

enum { COMMITS_MAXIMUM = 64, CASES = 4 };

static struct kernel_history history;
static struct builder *builder;
static struct culprit_error error;

/* Builds a commit; the list of what was read goes into `inputs` (may be NULL). */
static void build(const char *directory, size_t number, char ret_image[DIGEST_HEX_SIZE],
                  struct inputs **inputs)
{
    _cleanup_free_ char *image = path_join(directory, "image"), *log = path_join(directory, "log");
    _cleanup_free_ char *config = path_join(directory, "config");
    _cleanup_free_ char *list = path_join(directory, "inputs"), *text = NULL;
    struct build_recipe recipe = kernel_history_recipe(&history, number);
    struct build_result result;
    size_t length = 0;

    assert_success(builder_build(builder, history.repository, &recipe, image, log, config, list,
                                 NULL, &result, &error));
    print_message("commit %2zu: %s, image %.12s, %.1f s %s\n", number, outcome_name(result.outcome),
                  result.image_digest, (double)result.wall_ns / 1e9, result.message);
    assert_int_equal(result.outcome, OUTCOME_OK);
    assert_true(result.inputs);
    memcpy(ret_image, result.image_digest, DIGEST_HEX_SIZE);
    if (!inputs)
        return;
    assert_success(file_read(list, INPUTS_TEXT_MAXIMUM, &text, &length, &error));
    assert_success(inputs_parse(text, length, inputs, &error));
}

static void judge(const char *directory, const struct commit_range *range,
                  enum relevance *relevance)
{
    CULPRIT_CLEANUP(inputs_free) struct inputs *inputs = NULL;
    CULPRIT_CLEANUP(inputs_free) struct inputs *of_bad = NULL;
    char ids[COMMITS_MAXIMUM][COMMIT_ID_SIZE], image[DIGEST_HEX_SIZE];

    assert_in_range(range->count, 3, COMMITS_MAXIMUM);
    for (unsigned c = 0; c < range->count; c++)
        memcpy(ids[c], range->commits[c].id, COMMIT_ID_SIZE);
    build(directory, 0, image, &inputs);
    build(directory, range->count - 1, image, &of_bad);
    assert_success(inputs_merge(inputs, of_bad, &error));
    const struct work_prune request = {.ids = ids, .count = range->count, .inputs = inputs};
    assert_success(prune_range(history.repository, &request, false, NULL, relevance, &error));
}

static bool is_buildable(const struct commit_range *range, unsigned commit)
{
    return strcmp(kernel_history_effect(&history, commit), "broken") != 0 &&
           strcmp(kernel_history_effect(&history, range->commits[commit].parents[0]), "broken") !=
               0;
}

static void expect_images(const char *directory, const struct commit_range *range, unsigned commit,
                          bool equal)
{
    char image[DIGEST_HEX_SIZE], parent[DIGEST_HEX_SIZE];

    build(directory, range->commits[commit].parents[0], parent, NULL);
    build(directory, commit, image, NULL);
    if ((strcmp(image, parent) == 0) != equal)
        fail_msg("commit %u (%s) has %s image as its parent", commit, range->commits[commit].id,
                 equal ? "not the same" : "the same");
}

/* One of each reason first, then others, CASES in all. */
static void what_is_left_out_has_its_parents_image(void **state)
{
    struct commit_range range;
    enum relevance relevance[COMMITS_MAXIMUM];
    bool seen[RELEVANCE_COUNT] = {0};
    unsigned cases = 0, fault = 0;
    size_t last = kernel_history_count(&history) - 1;

    assert_success(repository_range(history.repository, kernel_history_id(&history, 0),
                                    kernel_history_id(&history, last), false, &range, &error));
    judge(*state, &range, relevance);
    for (unsigned c = 1; c < range.count; c++) {
        if (strcmp(kernel_history_effect(&history, c), "fault") == 0)
            fault = c;
        if (relevance[c] == RELEVANCE_MATTERS || !is_buildable(&range, c) || cases >= CASES ||
            (seen[relevance[c]] && c < range.count / 2))
            continue;
        seen[relevance[c]] = true;
        cases++;
        expect_images(*state, &range, c, true);
    }
    assert_true(cases > 0);
    assert_int_equal(relevance[fault], RELEVANCE_MATTERS);
    if (fault > 0 && is_buildable(&range, fault))
        expect_images(*state, &range, fault, false);
    commit_range_clear(&range);
}

static int set_up_builder(void)
{
    _cleanup_free_ char *cache = path_cache_home();
    const struct builder_options options = {.cache_directory = cache, .slots = 1};

    return builder_new(&options, &builder, &error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(what_is_left_out_has_its_parents_image),
    };
    int failed;

    if (!kernel_history_possible())
        return EXIT_SKIPPED;
    if (kernel_history_open(&history, &error) < 0 || set_up_builder() < 0) {
        print_error("%s\n", error.message);
        return EXIT_FAILURE;
    }
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    builder_free(builder);
    kernel_history_close(&history);
    return failed;
}
