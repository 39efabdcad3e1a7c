/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "build/config/configure.h"
#include "scratch.h"

static char *asked_text(const char *directory, const char *const *fragments, size_t count,
                        const struct build_option *options, size_t option_count)
{
    _cleanup_strv_ struct strv paths = {0};
    struct build_recipe recipe = {
        .fragments = &paths, .options = options, .option_count = option_count};
    CULPRIT_CLEANUP(kconfig_free) struct kconfig *asked = NULL;
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(10000);
    struct culprit_error error = {0};

    for (size_t i = 0; i < count; i++) {
        strv_appendf(&paths, "%s/%zu.config", directory, i);
        assert_success(
            file_write_atomic(paths.items[i], fragments[i], strlen(fragments[i]), 0644, &error));
    }
    assert_success(configure_asked(&recipe, &asked, &error));
    kconfig_write(NULL, asked, &text);
    return buffer_take(&text);
}

static void later_options_replace_earlier_ones(void **state)
{
    static const char *const fragments[] = {"CONFIG_SMP=y\nCONFIG_NR_CPUS=64\n",
                                            "CONFIG_NR_CPUS=256\n"};
    static const struct build_option options[] = {{"NUMA", "n"}, {"LOCALVERSION", "-x"}};
    _cleanup_free_ char *text = asked_text(*state, fragments, 2, options, 2);

    assert_string_equal(text, "CONFIG_SMP=y\nCONFIG_NR_CPUS=256\n# CONFIG_NUMA is not set\n"
                              "CONFIG_LOCALVERSION=\"-x\"\n");
}

static void a_choice_is_made_once(void **state)
{
    static const char *const fragments[] = {"CONFIG_PREEMPT_VOLUNTARY=y\nCONFIG_HZ_250=y\n",
                                            "CONFIG_PREEMPT_NONE=y\n"};
    static const struct build_option options[] = {{"PREEMPT", "y"}, {"HZ", "1000"}};
    _cleanup_free_ char *one = asked_text(*state, fragments, 2, NULL, 0);
    _cleanup_free_ char *two = asked_text(*state, fragments, 2, options, 2);

    assert_string_equal(one, "CONFIG_HZ_250=y\nCONFIG_PREEMPT_NONE=y\n");
    assert_string_equal(two, "CONFIG_PREEMPT=y\nCONFIG_HZ=1000\nCONFIG_HZ_1000=y\n");
}

static void bad_recipes_are_refused(void **state)
{
    const char *directory = *state;
    _cleanup_strv_ struct strv paths = {0};
    static const struct build_option bad_name = {"A=y\nCONFIG_B", "y"};
    struct build_recipe recipe = {.fragments = &paths};
    struct kconfig *asked = NULL;
    struct culprit_error error = {0};

    strv_appendf(&paths, "%s/missing.config", directory);
    assert_failure(configure_asked(&recipe, &asked, &error), CULPRIT_NOT_FOUND);
    assert_contains(error.message, "missing.config");
    assert_success(file_write_atomic(paths.items[0], "CONFIG_A=y\nnonsense\n", 20, 0644, &error));
    assert_failure(configure_asked(&recipe, &asked, &error), CULPRIT_INVALID);
    assert_contains(error.message, "missing.config, line 2");
    recipe = (struct build_recipe){.options = &bad_name, .option_count = 1};
    assert_failure(configure_asked(&recipe, &asked, &error), CULPRIT_INVALID);
    assert_null(asked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(later_options_replace_earlier_ones),
        scratch_test(a_choice_is_made_once),
        scratch_test(bad_recipes_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
