/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/local.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "base/path.h"
#include "base/paths.h"
#include "guest/libvirt/libvirt.h"
#include "trial/choose.h"
#include "trial/kernel_image.h"

enum { DRIVER_SLOTS = 64 };

static int no_memory(struct culprit_error *error)
{
    return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot run a guest: no memory");
}

/* One process holds a driver directory at a time: the first free one of a few. */
static int open_driver(struct local *local, struct culprit_error *error)
{
    _cleanup_free_ char *state = path_state_home();
    int r = -CULPRIT_CONFLICT;

    if (!state)
        return culprit_fail(error, CULPRIT_NOT_FOUND,
                            "cannot run a guest: there is no home directory to keep state in "
                            "(set XDG_STATE_HOME)");
    for (unsigned slot = 0; slot < DRIVER_SLOTS && r == -CULPRIT_CONFLICT; slot++) {
        struct libvirt_options options = {.owner = "local"};

        free(local->driver);
        local->driver = text_format("%s/local/%u", state, slot);
        if (!local->driver)
            return no_memory(error);
        options.directory = local->driver;
        r = libvirt_hypervisor_open(&options, &local->hypervisor, error);
    }
    return r;
}

/* The user's own directory, as a whole path: QEMU and libvirt want that. */
static int keep_directory(const char *directory, struct local *local, struct culprit_error *error)
{
    int r = file_make_directories(directory, 0755, error);

    if (r < 0)
        return r;
    local->keep = true;
    local->directory = realpath(directory, NULL);
    return local->directory ? 0 : culprit_fail_errno(error, errno, "cannot use %s", directory);
}

/* Whoever holds the driver's directory holds this one too; a killed process may have left it. */
static int make_directory(struct local *local, struct culprit_error *error)
{
    int r;

    local->directory = text_format("%s.trial", local->driver);
    if (!local->directory)
        return no_memory(error);
    r = file_remove_tree(local->directory, error);
    return r < 0 ? r : file_make_directories(local->directory, 0700, error);
}

static int find_image(struct local *local, struct culprit_error *error)
{
    local->image = paths_image("minimal");
    if (!local->image)
        return no_memory(error);
    if (!file_exists(local->image))
        return culprit_fail(error, CULPRIT_NOT_FOUND,
                            "cannot run a guest: the guest image %s is not there; build it with "
                            "\"./bootstrap build\", or set CULPRIT_DATA_DIR",
                            local->image);
    return 0;
}

int local_open(const char *directory, struct local *ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(local_close) struct local local = {0};
    _cleanup_free_ char *cache = path_cache_home();
    int r;

    r = find_image(&local, error);
    if (r == 0)
        r = open_driver(&local, error);
    if (r == 0)
        r = local.hypervisor->ops->clean_leftovers(local.hypervisor, &(unsigned){0}, error);
    if (r == 0)
        r = host_capabilities_read(libvirt_hypervisor_qemu_version(local.hypervisor), cache,
                                   &local.capabilities, error);
    if (r == 0)
        r = directory ? keep_directory(directory, &local, error) : make_directory(&local, error);
    if (r < 0)
        return r;
    *ret = local;
    memset(&local, 0, sizeof local);
    return 0;
}

void local_close(struct local *local)
{
    if (local->directory && !local->keep)
        file_remove_tree(local->directory, NULL);
    hypervisor_free(local->hypervisor); /* gives up the hold on the directories */
    host_capabilities_clear(&local->capabilities);
    free(local->driver);
    free(local->directory);
    free(local->image);
}

int local_topology(const char *name, struct topology **ret, struct culprit_error *error)
{
    _cleanup_free_ char *directory = paths_topologies();

    if (!directory)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot find topology %s: no memory", name);
    if (strchr(name, '/'))
        return topology_load(name, ret, error);
    return topology_find(directory, name, ret, error);
}

int local_engine(struct local *local, struct cli *cli, const char *kernel, enum engine asked,
                 const struct topology *topology, enum engine *ret,
                 char ret_reason[ENGINE_REASON_SIZE], struct culprit_error *error)
{
    CULPRIT_CLEANUP(topology_free) struct topology *pair = NULL;
    _cleanup_free_ char *cache = path_cache_home();
    struct engine_choice choice = {
        .kernel = kernel,
        .guest_image = local->image,
        .directory = local->directory,
        .cache_directory = cache,
    };
    int r = local_topology("pair", &pair, error);

    if (r < 0)
        return r;
    choice.pair = pair;
    return engine_choose(local->hypervisor, &choice, asked, topology, &local->capabilities,
                         cli->cancel, ret, ret_reason, error);
}

int local_engine_option(const struct arguments *arguments, enum engine fallback, enum engine *ret,
                        struct culprit_error *error)
{
    const char *name = arguments_value(arguments, "engine");

    *ret = fallback;
    if (name && !engine_from_name(name, ret))
        return culprit_fail(error, CULPRIT_INVALID,
                            "--engine: there is no engine \"%s\": auto, realtime, deterministic "
                            "or functional",
                            name);
    return 0;
}

int local_kernel_option(const struct arguments *arguments, char **ret, struct culprit_error *error)
{
    const char *kernel = arguments_value(arguments, "kernel");
    _cleanup_free_ char *path = NULL;
    int r;

    if (!kernel)
        kernel = getenv("CULPRIT_KERNEL");
    if (!kernel || !*kernel)
        return culprit_fail(error, CULPRIT_INVALID,
                            "no kernel to boot: give --kernel BZIMAGE, or set CULPRIT_KERNEL");
    path = realpath(kernel, NULL);
    if (!path)
        return culprit_fail_errno(error, errno, "cannot boot %s", kernel);
    r = kernel_image_check(path, error);
    if (r == 0)
        *ret = take(path);
    return r;
}
