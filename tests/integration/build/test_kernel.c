/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Real builds of a real kernel: one from nothing, then small steps from it. */
#include <string.h>

#include "base/cancel.h"
#include "build/elf_build_id.h"
#include "kernel_history.h"
#include "scratch.h"

static struct kernel_history history;
static struct builder *builder;
static struct build_result first; /* of commit 0 */

struct outputs {
    char *image, *log, *config;
};

static void outputs_cleanup(struct outputs *outputs)
{
    free(outputs->image);
    free(outputs->log);
    free(outputs->config);
}

#define OUTPUTS(directory_)                                                               \
    {                                                                                     \
        .image = path_join((directory_), "image"), .log = path_join((directory_), "log"), \
        .config = path_join((directory_), "config"),                                      \
    }

static struct build_result build(const struct build_recipe *recipe, const char *directory)
{
    CULPRIT_CLEANUP(outputs) struct outputs outputs = OUTPUTS(directory);
    struct culprit_error error = {0};
    struct build_result result;

    assert_success(builder_build(builder, history.repository, recipe, outputs.image, outputs.log,
                                 outputs.config, NULL, NULL, &result, &error));
    print_message("%s %.12s %s: %.1f s %s\n", outcome_name(result.outcome), recipe->commit_id,
                  result.fresh ? "built" : "held", (double)result.wall_ns / 1e9, result.message);
    return result;
}

static void assert_outcome(const struct build_result *result, enum outcome expected)
{
    if (result->outcome != expected)
        fail_msg("%s instead of %s: %s", outcome_name(result->outcome), outcome_name(expected),
                 result->message);
}

static void a_commit_is_built(void **state)
{
    struct build_recipe recipe = kernel_history_recipe(&history, 0);
    CULPRIT_CLEANUP(outputs) struct outputs outputs = OUTPUTS(*state);
    struct culprit_error error = {0};
    char digest[DIGEST_HEX_SIZE];
    _cleanup_free_ char *config = NULL;

    first = build(&recipe, *state);
    assert_outcome(&first, OUTCOME_OK);
    assert_success(digest_file(outputs.image, digest, &error));
    assert_string_equal(first.image_digest, digest);
    assert_success(digest_file(outputs.config, digest, &error));
    assert_string_equal(first.config_digest, digest);
    assert_int_equal(strlen(first.build_id), 40);
    assert_int_equal(strncmp(first.release, history.package + strlen("linux-source-"), 3), 0);
    assert_contains(first.compiler, "gcc");
    assert_success(file_read(outputs.config, 1 << 20, &config, NULL, &error));
    assert_contains(config, "\nCONFIG_SCHEDSTATS=y\n");
    assert_true(file_exists(outputs.log));
}

static void the_same_again_is_not_built_again(void **state)
{
    struct build_recipe recipe = kernel_history_recipe(&history, 0);
    struct build_result again = build(&recipe, *state);

    assert_outcome(&again, OUTCOME_OK);
    assert_false(again.fresh);
    assert_string_equal(again.image_digest, first.image_digest);
    assert_string_equal(again.build_id, first.build_id);
}

static void recipes_are_told_apart(void **state)
{
    struct build_recipe recipe = kernel_history_recipe(&history, 0);
    struct build_recipe other = kernel_history_recipe(&history, 1);
    const struct build_option options[] = {{"NUMA", "y"}, {"NUMA", "n"}};
    struct culprit_error error = {0};
    char digests[5][DIGEST_HEX_SIZE];

    (void)state;
    assert_success(builder_recipe_digest(builder, &recipe, digests[0], &error));
    assert_success(builder_recipe_digest(builder, &other, digests[1], &error));
    recipe.options = &options[0];
    recipe.option_count = 1;
    assert_success(builder_recipe_digest(builder, &recipe, digests[2], &error));
    assert_string_equal(digests[0], digests[2]); /* the fragment says so already */
    recipe.options = &options[1];
    assert_success(builder_recipe_digest(builder, &recipe, digests[3], &error));
    assert_string_not_equal(digests[0], digests[1]);
    assert_string_not_equal(digests[0], digests[3]);
    other.reverts_id = recipe.commit_id;
    assert_success(builder_recipe_digest(builder, &other, digests[4], &error));
    assert_string_not_equal(digests[1], digests[4]);
}

static void an_option_that_does_not_take_is_named(void **state)
{
    static const struct {
        struct build_option option;
        const char *message;
    } cases[] = {
        {{"NO_SUCH_OPTION", "y"},
         "CONFIG_NO_SUCH_OPTION was asked to be y and is not set (this kernel has no such option)"},
        {{"HZ", "333"}, "CONFIG_HZ was asked to be 333 and is 250"},
        {{"KERNFS", "n"}, "CONFIG_KERNFS was asked to be off and is y (see what it depends on)"},
    };
    struct build_recipe recipe = kernel_history_recipe(&history, 0);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct build_result result;

        recipe.options = &cases[i].option;
        recipe.option_count = 1;
        result = build(&recipe, *state);
        assert_outcome(&result, OUTCOME_BUILD_FAILED);
        assert_int_equal(strncmp(result.message, "cannot build ", 13), 0);
        assert_int_equal(strncmp(result.message + 13, recipe.commit_id, 12), 0);
        assert_contains(result.message, cases[i].message);
    }
}

static void the_first_compiler_error_is_told(void **state)
{
    size_t number = 0;
    struct build_recipe recipe;
    struct build_result result;

    while (number < kernel_history_count(&history) &&
           strcmp(kernel_history_effect(&history, number), "broken") != 0)
        number++;
    assert_true(number < kernel_history_count(&history));
    recipe = kernel_history_recipe(&history, number);
    result = build(&recipe, *state);
    assert_outcome(&result, OUTCOME_BUILD_FAILED);
    assert_contains(result.message, ": error: ");
    assert_null(strstr(result.message, "/culprit/"));
}

static void a_patch_that_does_not_apply_fails_the_build(void **state)
{
    _cleanup_strv_ struct strv patches = {0};
    struct build_recipe recipe = kernel_history_recipe(&history, 0);
    struct build_result result;

    strv_append(&patches, "--- a/kernel/sched/fair.c\n+++ b/kernel/sched/fair.c\n"
                          "@@ -10,3 +10,3 @@\n nothing\n-like\n+unlike\n this\n");
    recipe.patches = &patches;
    result = build(&recipe, *state);
    assert_outcome(&result, OUTCOME_BUILD_FAILED);
    assert_contains(result.message, "kernel/sched/fair.c");
}

/* After failures, and over the sources of other commits: the image of before, bit for bit. */
static void the_slot_stays_usable(void **state)
{
    struct build_recipe recipe = kernel_history_recipe(&history, 0);
    struct build_result result = build(&recipe, *state);

    assert_outcome(&result, OUTCOME_OK);
    assert_true(result.fresh);
    assert_string_equal(result.image_digest, first.image_digest);
}

static void a_cancelled_build_says_so(void **state)
{
    struct build_recipe recipe = kernel_history_recipe(&history, 1);
    CULPRIT_CLEANUP(outputs) struct outputs outputs = OUTPUTS(*state);
    CULPRIT_CLEANUP(cancel_free) struct cancel *cancel = NULL;
    struct culprit_error error = {0};
    struct build_result result;

    assert_success(cancel_new(&cancel, &error));
    cancel_request(cancel);
    assert_success(builder_build(builder, history.repository, &recipe, outputs.image, outputs.log,
                                 outputs.config, NULL, cancel, &result, &error));
    assert_outcome(&result, OUTCOME_CANCELLED);
}

static int set_up_builder(struct culprit_error *error)
{
    _cleanup_free_ char *cache = path_cache_home();
    const struct builder_options options = {.cache_directory = cache, .slots = 1};

    return builder_new(&options, &builder, error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(a_commit_is_built),
        scratch_test(the_same_again_is_not_built_again),
        cmocka_unit_test(recipes_are_told_apart),
        scratch_test(an_option_that_does_not_take_is_named),
        scratch_test(the_first_compiler_error_is_told),
        scratch_test(a_patch_that_does_not_apply_fails_the_build),
        scratch_test(the_slot_stays_usable),
        scratch_test(a_cancelled_build_says_so),
    };
    struct culprit_error error = {0};
    int failed;

    if (!kernel_history_possible())
        return EXIT_SKIPPED;
    if (kernel_history_open(&history, &error) < 0 || set_up_builder(&error) < 0) {
        print_error("%s\n", error.message);
        return EXIT_FAILURE;
    }
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    builder_free(builder);
    kernel_history_close(&history);
    return failed;
}
