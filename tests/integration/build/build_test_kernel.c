/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build_test_kernel DIRECTORY: leaves DIRECTORY/bzImage, commit 0 of the tests' kernel history, for
 * the tests that boot a real kernel, and DIRECTORY/inputs, the list of what its build read. Skipped
 * (77) where there is no kernel source.
 */
#include "base/cleanup.h"
#include "base/file.h"
#include "kernel_history.h"

static int build(const struct kernel_history *history, const char *directory,
                 struct culprit_error *error)
{
    _cleanup_free_ char *image = path_join(directory, "bzImage");
    _cleanup_free_ char *log = path_join(directory, "log");
    _cleanup_free_ char *config = path_join(directory, "config");
    _cleanup_free_ char *inputs = path_join(directory, "inputs");
    _cleanup_free_ char *cache = path_cache_home();
    const struct builder_options options = {.cache_directory = cache, .slots = 1};
    struct build_recipe recipe = kernel_history_recipe(history, 0);
    CULPRIT_CLEANUP(builder_free) struct builder *builder = NULL;
    struct build_result result;
    int r = file_make_directories(directory, 0755, error);

    if (r == 0)
        r = builder_new(&options, &builder, error);
    if (r == 0)
        r = builder_build(builder, history->repository, &recipe, image, log, config, inputs, NULL,
                          &result, error);
    if (r == 0 && result.outcome != OUTCOME_OK)
        r = culprit_fail(error, CULPRIT_FAILED, "%s", result.message);
    if (r == 0 && !result.inputs)
        r = culprit_fail(error, CULPRIT_FAILED, "the build left no list of its inputs");
    return r;
}

int main(int argc, char **argv)
{
    struct kernel_history history;
    struct culprit_error error = {0};
    int r;

    if (argc != 2) {
        fprintf(stderr, "usage: build_test_kernel DIRECTORY\n");
        return EXIT_FAILURE;
    }
    if (!kernel_history_possible())
        return EXIT_SKIPPED;
    r = kernel_history_open(&history, &error);
    if (r == 0) {
        r = build(&history, argv[1], &error);
        kernel_history_close(&history);
    }
    if (r < 0)
        fprintf(stderr, "%s\n", error.message);
    return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
