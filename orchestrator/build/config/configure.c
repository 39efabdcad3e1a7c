/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "build/config/configure.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "build/config/kconfig_tree.h"

enum { CONFIG_MAXIMUM = 4 << 20 };

/* Options of which one is on at a time: asking for one takes back what was asked of the others. The
 * choices that people of the scheduler compare, and those that the shipped fragments make. */
static const char *const choices[][6] = {
    {"HZ_100", "HZ_250", "HZ_300", "HZ_1000"},
    {"HZ_PERIODIC", "NO_HZ_IDLE", "NO_HZ_FULL"},
    {"PREEMPT_NONE", "PREEMPT_VOLUNTARY", "PREEMPT", "PREEMPT_LAZY", "PREEMPT_RT"},
    {"CC_OPTIMIZE_FOR_PERFORMANCE", "CC_OPTIMIZE_FOR_SIZE"},
    {"KERNEL_GZIP", "KERNEL_XZ", "KERNEL_LZO", "KERNEL_LZ4", "KERNEL_ZSTD"},
};

enum { CHOICE_COUNT = sizeof choices / sizeof *choices, CHOICE_SIZE = 6 };

static void leave_choice(struct kconfig *asked, const char *name)
{
    for (size_t i = 0; i < CHOICE_COUNT; i++) {
        bool member = false;

        for (size_t j = 0; j < CHOICE_SIZE && choices[i][j]; j++)
            member = member || strcmp(choices[i][j], name) == 0;
        for (size_t j = 0; member && j < CHOICE_SIZE && choices[i][j]; j++)
            kconfig_remove(asked, choices[i][j]);
    }
}

static int set_option(void *context, const char *name, const char *value,
                      struct culprit_error *error)
{
    struct kconfig *asked = context;

    if (strcmp(value, "y") == 0)
        leave_choice(asked, name);
    return kconfig_set(asked, name, value, error);
}

static int set_hz(struct kconfig *asked, const char *value, struct culprit_error *error)
{
    _cleanup_free_ char *choice = text_format("HZ_%s", value);

    if (!choice)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a configuration");
    leave_choice(asked, "HZ_100");
    return set_option(asked, choice, "y", error);
}

static int read_fragment(struct kconfig *asked, const char *path, struct culprit_error *error)
{
    CULPRIT_CLEANUP(kconfig_free) struct kconfig *fragment = NULL;
    _cleanup_free_ char *text = NULL;
    int r = file_read(path, CONFIG_MAXIMUM, &text, NULL, error);

    if (r == 0)
        r = kconfig_new(&fragment, error);
    if (r == 0)
        r = kconfig_parse(fragment, text, path, error);
    return r < 0 ? r : kconfig_each(fragment, set_option, asked, error);
}

static int read_options(struct kconfig *asked, const struct build_recipe *recipe,
                        struct culprit_error *error)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < recipe->option_count; i++) {
        const struct build_option *option = &recipe->options[i];

        r = set_option(asked, option->name, option->value, error);
        if (r == 0 && strcmp(option->name, "HZ") == 0)
            r = set_hz(asked, option->value, error);
    }
    return r;
}

int configure_asked(const struct build_recipe *recipe, struct kconfig **ret,
                    struct culprit_error *error)
{
    CULPRIT_CLEANUP(kconfig_free) struct kconfig *asked = NULL;
    int r = kconfig_new(&asked, error);

    for (size_t i = 0; r == 0 && recipe->fragments && i < recipe->fragments->count; i++)
        r = read_fragment(asked, recipe->fragments->items[i], error);
    if (r == 0)
        r = read_options(asked, recipe, error);
    if (r < 0)
        return r;
    *ret = take(asked);
    return 0;
}

static int read_config(const char *path, struct kconfig **ret, char **ret_text,
                       struct culprit_error *error)
{
    CULPRIT_CLEANUP(kconfig_free) struct kconfig *config = NULL;
    _cleanup_free_ char *text = NULL;
    int r = file_read(path, CONFIG_MAXIMUM, &text, NULL, error);

    if (r == 0)
        r = kconfig_new(&config, error);
    if (r == 0)
        r = kconfig_parse(config, text, ".config", error);
    if (r < 0)
        return r;
    *ret = take(config);
    if (ret_text)
        *ret_text = take(text);
    return 0;
}

/* Kernels before 3.17 have no tinyconfig; allnoconfig is what it grew out of. */
static const char *smallest_target(const struct slot *slot)
{
    _cleanup_free_ char *tiny = path_join(slot->source, "kernel/configs/tiny.config");

    return tiny && file_exists(tiny) ? "tinyconfig" : "allnoconfig";
}

static int base_config(struct make *make, const struct slot *slot, const char *config_file,
                       const char *path, struct kconfig **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(kconfig_free) struct kconfig *base = NULL;
    int r;

    if (!config_file) {
        r = make_target(make, SANDBOX_CONFIG, smallest_target(slot), error);
        return r < 0 ? r : read_config(path, ret, NULL, error);
    }
    r = kconfig_new(&base, error);
    if (r == 0)
        r = kconfig_parse(base, config_file, "config_file", error);
    if (r == 0)
        *ret = take(base);
    return r;
}

static int write_merged(const struct kconfig *base, const struct kconfig *asked, const char *path,
                        struct culprit_error *error)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(CONFIG_MAXIMUM);
    int r;

    kconfig_write(base, asked, &text);
    r = buffer_status(&text, "the configuration", error);
    return r < 0 ? r
                 : file_write_atomic(path, text.data ? text.data : "", text.length, 0644, error);
}

/* Tells an option that the kernel does not know from one whose dependencies are off. */
static int check(const struct slot *slot, const struct kconfig *asked, const struct kconfig *actual,
                 struct culprit_error *error)
{
    struct culprit_error ignored;
    const char *name = NULL;
    bool known = true;
    int r = kconfig_check(asked, actual, &name, error);

    if (r == 0 || !error || !name || kconfig_tree_knows(slot->source, name, &known, &ignored) < 0)
        return r;
    strncat(error->message,
            known ? " (see what it depends on)" : " (this kernel has no such option)",
            sizeof error->message - strlen(error->message) - 1);
    return r;
}

static int install(const struct slot *slot, const char *text, struct culprit_error *error)
{
    _cleanup_free_ char *path = path_join(slot->build, ".config");
    _cleanup_free_ char *old = NULL;

    if (!path)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a configuration");
    if (file_read(path, CONFIG_MAXIMUM, &old, NULL, NULL) == 0 && strcmp(old, text) == 0)
        return 0;
    return file_write_atomic(path, text, strlen(text), 0644, error);
}

int configure(struct make *make, const struct slot *slot, const struct kconfig *asked,
              const char *config_file, struct culprit_error *error)
{
    CULPRIT_CLEANUP(kconfig_free) struct kconfig *base = NULL, *actual = NULL;
    _cleanup_free_ char *path = path_join(slot->config, ".config");
    _cleanup_free_ char *text = NULL;
    int r;

    if (!path)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a configuration");
    r = base_config(make, slot, config_file, path, &base, error);
    if (r == 0)
        r = write_merged(base, asked, path, error);
    if (r == 0)
        r = make_target(make, SANDBOX_CONFIG, "olddefconfig", error);
    if (r == 0)
        r = read_config(path, &actual, &text, error);
    if (r == 0)
        r = check(slot, asked, actual, error);
    return r != 0 ? r : install(slot, text, error);
}
