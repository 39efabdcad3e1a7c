/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "build/builder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/process.h"
#include "build/config/configure.h"
#include "build/config/kconfig.h"
#include "build/elf_build_id.h"
#include "build/make.h"
#include "build/read_inputs.h"
#include "build/slot/slot.h"

/* Goes into recipe digests: to be raised when the way of building changes the image. */
#define BUILD_METHOD "1"

/* The directory below arch/. */
#define ARCHITECTURE "x86"

static const uint64_t TIMEOUT_DEFAULT = UINT64_C(3600000000000);
static const uint64_t LOG_DEFAULT = UINT64_C(64) << 20;

enum { SLOTS_MAXIMUM = 64, JOBS_MAXIMUM = 4096 };
enum { VERSION_SIZE = 128, VERSION_MAXIMUM = 64 * 1024, RELEASE_MAXIMUM = 256 };

/* Does not change once made, so several threads may build at a time. */
struct builder {
    char *cache_directory; /* absolute, without links */
    char *compiler;
    char compiler_version[VERSION_SIZE];
    char linker_version[VERSION_SIZE];
    unsigned slots;
    unsigned jobs;
    int nice;
    uint64_t timeout_ns;
    uint64_t log_maximum;
};

void builder_free(struct builder *builder)
{
    if (!builder)
        return;
    free(builder->cache_directory);
    free(builder->compiler);
    free(builder);
}

static int find_sandbox(struct culprit_error *error)
{
    _cleanup_strv_ struct strv argv = {0};
    _cleanup_free_ char *output = NULL;

    strv_append(&argv, "bwrap");
    strv_append(&argv, "--version");
    if (process_capture(&argv, NULL, VERSION_MAXIMUM, &output, error) < 0)
        return culprit_fail(error, CULPRIT_UNSUPPORTED,
                            "kernels are built under bubblewrap, which is not here: install the "
                            "package bubblewrap");
    return 0;
}

/* The first line that a tool says of its version. */
static int find_version(const char *tool, char version[VERSION_SIZE], struct culprit_error *error)
{
    _cleanup_strv_ struct strv argv = {0};
    _cleanup_free_ char *output = NULL;
    struct culprit_error reason = {0};

    strv_append(&argv, tool);
    strv_append(&argv, "--version");
    if (process_capture(&argv, NULL, VERSION_MAXIMUM, &output, &reason) < 0)
        return culprit_fail(error, CULPRIT_UNSUPPORTED, "cannot build kernels with %s: %s", tool,
                            reason.message);
    output[strcspn(output, "\n")] = '\0';
    snprintf(version, VERSION_SIZE, "%s", output);
    return 0;
}

static int set_cache_directory(struct builder *builder, const char *path,
                               struct culprit_error *error)
{
    int r = file_make_directories(path, 0755, error);

    if (r < 0)
        return r;
    builder->cache_directory = realpath(path, NULL);
    if (!builder->cache_directory)
        return culprit_fail_errno(error, errno, "cannot use %s for builds", path);
    return 0;
}

static unsigned online_cpus(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);

    return count > 0 ? (unsigned)count : 1;
}

int builder_new(const struct builder_options *options, struct builder **ret,
                struct culprit_error *error)
{
    CULPRIT_CLEANUP(builder_free) struct builder *builder = NULL;
    int r;

    if (options->slots > SLOTS_MAXIMUM || options->jobs > JOBS_MAXIMUM)
        return culprit_fail(error, CULPRIT_INVALID,
                            "at most %d build slots and %d jobs a build are possible",
                            SLOTS_MAXIMUM, JOBS_MAXIMUM);
    builder = calloc(1, sizeof *builder);
    if (!builder)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a builder");
    builder->slots = options->slots ? options->slots : 1;
    builder->jobs = options->jobs ? options->jobs : online_cpus();
    builder->nice = options->nice;
    builder->timeout_ns = options->timeout_ns ? options->timeout_ns : TIMEOUT_DEFAULT;
    builder->log_maximum = options->log_maximum ? options->log_maximum : LOG_DEFAULT;
    builder->compiler = strdup(options->compiler ? options->compiler : "gcc");
    if (!builder->compiler)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a builder");
    r = set_cache_directory(builder, options->cache_directory, error);
    if (r == 0)
        r = find_sandbox(error);
    if (r == 0)
        r = find_version(builder->compiler, builder->compiler_version, error);
    if (r == 0)
        r = find_version("ld", builder->linker_version, error);
    if (r < 0)
        return r;
    *ret = take(builder);
    return 0;
}

/* Digests of what is wanted: all but the sources, and all. */
static int digest_wanted(const struct builder *builder, const struct build_recipe *recipe,
                         const struct kconfig *asked, struct slot_holds *ret,
                         struct culprit_error *error)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(16 << 20);
    struct digest digest;
    int r;

    kconfig_write(NULL, asked, &text);
    r = buffer_status(&text, "the configuration", error);
    if (r < 0)
        return r;
    *ret = (struct slot_holds){0};
    digest_init(&digest);
    digest_field(&digest, "method", BUILD_METHOD);
    digest_field(&digest, "compiler", builder->compiler_version);
    digest_field(&digest, "linker", builder->linker_version);
    digest_field(&digest, "base", recipe->config_file);
    digest_field(&digest, "options", text.data ? text.data : "");
    digest_finish(&digest, ret->settings);

    digest_init(&digest);
    digest_field(&digest, "settings", ret->settings);
    digest_field(&digest, "commit", recipe->commit_id);
    if (recipe->reverts_id)
        digest_field(&digest, "reverts", recipe->reverts_id);
    for (size_t i = 0; recipe->patches && i < recipe->patches->count; i++)
        digest_field(&digest, "patch", recipe->patches->items[i]);
    digest_finish(&digest, ret->recipe);
    return 0;
}

int builder_recipe_digest(struct builder *builder, const struct build_recipe *recipe,
                          char ret_hex[DIGEST_HEX_SIZE], struct culprit_error *error)
{
    CULPRIT_CLEANUP(kconfig_free) struct kconfig *asked = NULL;
    struct slot_holds wanted;
    int r = configure_asked(recipe, &asked, error);

    if (r == 0)
        r = digest_wanted(builder, recipe, asked, &wanted, error);
    if (r < 0)
        return r;
    memcpy(ret_hex, wanted.recipe, DIGEST_HEX_SIZE);
    return 0;
}

/* One build under way. */
struct build {
    const struct builder *builder;
    const struct build_recipe *recipe;
    const struct kconfig *asked;
    struct slot_holds wanted;
    struct slot *slot;
    struct make make;
    const char *image_path;
    const char *config_path;
    const char *inputs_path;
    struct build_result *result;
    bool long_one; /* likely: the slot holds no build, or one with other settings */
};

/* A file of the build directory; NULL without memory. */
static char *built(const struct build *build, const char *name)
{
    return path_join(build->slot->build, name);
}

static void set_limits(struct build *build, const char *log_path, struct cancel *cancel)
{
    const struct builder *builder = build->builder;

    build->make = (struct make){
        .sandbox =
            {
                .source = build->slot->source,
                .build = build->slot->build,
                .config = build->slot->config,
                .compiler = builder->compiler,
            },
        .jobs = builder->jobs,
        .nice = builder->nice,
        .log_path = log_path,
        .log_maximum = builder->log_maximum,
        .timeout_ns = builder->timeout_ns,
        /* Counted from here: waiting for a slot is not building. */
        .deadline_ns = clock_monotonic(&clock_system) + builder->timeout_ns,
        .cancel = cancel,
    };
}

/* Copies image and configuration out and fills in what they are. */
static int collect(struct build *build, struct culprit_error *error)
{
    struct build_result *result = build->result;
    _cleanup_free_ char *image = built(build, "arch/x86/boot/bzImage");
    _cleanup_free_ char *config = built(build, ".config");
    _cleanup_free_ char *vmlinux = built(build, "vmlinux");
    _cleanup_free_ char *release_path = built(build, "include/config/kernel.release");
    _cleanup_free_ char *release = NULL;
    int r;

    if (!image || !config || !vmlinux || !release_path)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for the names of built files");
    r = file_copy(image, build->image_path, 0644, error);
    if (r == 0)
        r = digest_file(build->image_path, result->image_digest, error);
    if (r == 0)
        r = file_copy(config, build->config_path, 0644, error);
    if (r == 0)
        r = digest_file(config, result->config_digest, error);
    if (r == 0)
        r = elf_build_id(vmlinux, result->build_id, error);
    if (r == 0)
        r = file_read(release_path, RELEASE_MAXIMUM, &release, NULL, error);
    if (r != 0)
        return r;
    release[strcspn(release, "\n")] = '\0';
    snprintf(result->release, sizeof result->release, "%s", release);
    return 0;
}

/* What the build read, for telling which commits bear on it. Without it all of them are built. */
static void list_inputs(struct build *build)
{
    CULPRIT_CLEANUP(inputs_free) struct inputs *inputs = NULL;
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(INPUTS_TEXT_MAXIMUM);

    if (!build->inputs_path ||
        read_inputs(build->slot->build, SANDBOX_SOURCE, ARCHITECTURE, &inputs, NULL) < 0 ||
        inputs_write(inputs, &text, NULL) < 0)
        return;
    build->result->inputs = file_write_atomic(build->inputs_path, text.data, text.length, 0644,
                                              NULL) == 0;
}

/* Whether the slot still has exactly what is wanted; then it has been collected. */
static bool reuse(struct build *build)
{
    struct culprit_error ignored;

    return strcmp(build->slot->holds.recipe, build->wanted.recipe) == 0 &&
           collect(build, &ignored) == 0 &&
           strcmp(build->result->image_digest, build->slot->holds.image) == 0;
}

/* Makes host programs and generated headers by themselves. Everything depends on them: if they had
 * to go after a build that was cut off, so would every object. */
static int make_prepared(struct build *build, struct culprit_error *error)
{
    int r = make_target(&build->make, SANDBOX_BUILD, "prepare", error);

    return r < 0 ? r : slot_checkpoint(build->slot, error);
}

/* Runs make for the configuration and for the image, and collects the result. */
static int make_image(struct build *build, struct culprit_error *error)
{
    int r = configure(&build->make, build->slot, build->asked, build->recipe->config_file, error);

    if (r == 0 && build->long_one)
        r = make_prepared(build, error);
    if (r == 0)
        r = make_target(&build->make, SANDBOX_BUILD, "bzImage", error);
    return r < 0 ? r : collect(build, error);
}

static int build_fresh(struct build *build, struct repository *repository,
                       struct culprit_error *error)
{
    const struct build_recipe *recipe = build->recipe;
    const struct checkout sources = {recipe->commit_id, recipe->reverts_id, recipe->patches};
    struct slot_holds holds = build->wanted;
    int r, ended;

    build->result->fresh = true;
    build->long_one = !build->slot->holds.recipe[0] ||
                      strcmp(build->slot->holds.settings, holds.settings) != 0;
    r = repository_checkout(repository, &sources, build->slot->source, build->make.cancel, error);
    if (r == 0)
        r = slot_begin(build->slot, holds.settings, error);
    if (r < 0)
        return r;
    r = make_image(build, error);
    if (r == 0)
        memcpy(holds.image, build->result->image_digest, sizeof holds.image);
    else
        holds.recipe[0] = '\0';
    if (build->make.cut_off)
        return r;
    ended = slot_end(build->slot, &holds, r < 0 ? NULL : error);
    return r < 0 ? r : ended;
}

/* Broken is not bad: only what the commit itself is to blame for is a failed build. */
static enum outcome outcome_of(enum culprit_code code)
{
    switch (code) {
    case CULPRIT_OK:
        return OUTCOME_OK;
    case CULPRIT_FAILED:
    case CULPRIT_INVALID:
    case CULPRIT_LIMIT:
        return OUTCOME_BUILD_FAILED;
    case CULPRIT_TIMED_OUT:
        return OUTCOME_TIMED_OUT;
    case CULPRIT_CANCELLED:
        return OUTCOME_CANCELLED;
    default:
        return OUTCOME_INFRA_FAILED;
    }
}

static int start_log(const char *log_path, const struct build *build, struct culprit_error *error)
{
    _cleanup_free_ char *text = text_format("# commit %s, recipe %s\n# %s, slot %u\n",
                                            build->recipe->commit_id, build->wanted.recipe,
                                            build->builder->compiler_version, build->slot->number);

    if (!text)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a build log");
    return file_write_atomic(log_path, text, strlen(text), 0644, error);
}

static void conclude(struct build *build, int r, const struct culprit_error *reason,
                     uint64_t start_ns)
{
    struct build_result *result = build->result;

    result->outcome = outcome_of((enum culprit_code) - r);
    result->wall_ns = clock_monotonic(&clock_system) - start_ns;
    if (r < 0)
        snprintf(result->message, sizeof result->message, "cannot build %.12s: %.990s",
                 build->recipe->commit_id, reason->message);
}

int builder_build(struct builder *builder, struct repository *repository,
                  const struct build_recipe *recipe, const char *image_path, const char *log_path,
                  const char *config_path, const char *inputs_path, struct cancel *cancel,
                  struct build_result *ret, struct culprit_error *error)
{
    uint64_t start_ns = clock_monotonic(&clock_system);
    CULPRIT_CLEANUP(kconfig_free) struct kconfig *asked = NULL;
    CULPRIT_CLEANUP(slot_release) struct slot *slot = NULL;
    struct culprit_error reason = {0};
    struct build_result result = {0};
    struct build build = {
        .builder = builder,
        .recipe = recipe,
        .image_path = image_path,
        .config_path = config_path,
        .inputs_path = inputs_path,
        .result = &result,
    };
    int r = configure_asked(recipe, &asked, error);

    if (r == 0)
        r = digest_wanted(builder, recipe, asked, &build.wanted, error);
    if (r < 0)
        return r;
    build.asked = asked;
    snprintf(result.compiler, sizeof result.compiler, "%s", builder->compiler_version);
    r = slot_claim(builder->cache_directory, builder->slots, &build.wanted, cancel, &slot, &reason);
    if (r == 0) {
        build.slot = slot;
        set_limits(&build, log_path, cancel);
        r = start_log(log_path, &build, &reason);
    }
    if (r == 0 && !reuse(&build))
        r = build_fresh(&build, repository, &reason);
    if (r == 0)
        list_inputs(&build);
    conclude(&build, r, &reason, start_ns);
    *ret = result;
    return 0;
}
