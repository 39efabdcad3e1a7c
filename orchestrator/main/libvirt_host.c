/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "main/libvirt_host.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/path.h"
#include "guest/libvirt/libvirt.h"

/* Copies, for an attempt that nobody waits for any more may outlive the configuration. */
struct opener {
    char *uri; /* NULL: the embedded driver */
    char *directory, *owner, *cache_directory;
};

static void opener_free(void *context)
{
    struct opener *opener = context;

    if (!opener)
        return;
    free(opener->uri);
    free(opener->directory);
    free(opener->owner);
    free(opener->cache_directory);
    free(opener);
}
DEFINE_CLEANUP(struct opener *, opener_free);

static struct opener *opener_new(const struct config *config)
{
    CULPRIT_CLEANUP(opener_free) struct opener *opener = calloc(1, sizeof *opener);

    if (!opener)
        return NULL;
    opener->uri = config->guests.uri ? strdup(config->guests.uri) : NULL;
    opener->directory = path_join(config->state_directory, "libvirt");
    opener->owner = strdup(config->guests.owner);
    opener->cache_directory = strdup(config->cache_directory);
    if ((config->guests.uri && !opener->uri) || !opener->directory || !opener->owner ||
        !opener->cache_directory)
        return NULL;
    return take(opener);
}

static int clean_leftovers(struct hypervisor *hypervisor, struct culprit_error *error)
{
    unsigned count = 0;
    char text[64];

    int status = hypervisor_clean_leftovers(hypervisor, &count, error);
    if (status == 0 && count) {
        snprintf(text, sizeof text, "COUNT=%u", count);
        log_info("guests of an earlier run were removed", text, NULL);
    }
    return status;
}

static int open_libvirt(void *context, struct hypervisor **ret,
                        struct host_capabilities *ret_capabilities, struct culprit_error *error)
{
    CULPRIT_CLEANUP(hypervisor_free) struct hypervisor *hypervisor = NULL;
    const struct opener *opener = context;
    const struct libvirt_options options = {
        .uri = opener->uri, .directory = opener->directory, .owner = opener->owner};

    int status = libvirt_hypervisor_open(&options, &hypervisor, error);
    if (status == 0)
        status = clean_leftovers(hypervisor, error);
    if (status == 0)
        status = host_capabilities_read(libvirt_hypervisor_qemu_version(hypervisor),
                                        opener->cache_directory, ret_capabilities, error);
    if (status < 0)
        return status;
    *ret = take(hypervisor);
    return 0;
}

int libvirt_host_new(const struct config *config, sd_event *event,
                     void (*answered)(void *owner, const struct culprit_error *why), void *owner,
                     struct guest_host **ret, struct culprit_error *error)
{
    const struct guest_host_options options = {
        .event = event,
        .open = open_libvirt,
        .free_context = opener_free,
        .context = opener_new(config),
        .answered = answered,
        .owner = owner,
    };

    if (!options.context)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot set up guests: out of memory");
    return guest_host_new(&options, ret, error);
}
