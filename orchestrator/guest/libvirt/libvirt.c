/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/libvirt/libvirt.h"

#include <libvirt/virterror.h>
#include <string.h>

#include "base/file.h"
#include "guest/libvirt/embed.h"
#include "guest/libvirt/event_loop.h"
#include "guest/libvirt/failure.h"
#include "guest/libvirt/internal.h"

enum { QEMU_VERSION_MINIMUM = 10 * 1000000 };

static int no_memory(struct culprit_error *error)
{
    return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a hypervisor");
}

static int check_owner(const char *owner, struct culprit_error *error)
{
    size_t length = owner ? strlen(owner) : 0;

    if (length == 0 || length > GUEST_OWNER_MAXIMUM ||
        strspn(owner, "abcdefghijklmnopqrstuvwxyz0123456789-") != length)
        return culprit_fail(error, CULPRIT_INVALID,
                            "an owner of guests is 1 to %d of a-z, 0-9 and '-'",
                            GUEST_OWNER_MAXIMUM);
    return 0;
}

static void hypervisor_free_libvirt(struct hypervisor *base)
{
    struct libvirt_hypervisor *hypervisor = (struct libvirt_hypervisor *)base;

    if (!hypervisor)
        return;
    connection_free(hypervisor->connection);
    free(hypervisor->owner);
    free(hypervisor->root);
    free(hypervisor);
}

static void libvirt_hypervisor_free(struct libvirt_hypervisor *hypervisor)
{
    hypervisor_free_libvirt(hypervisor ? &hypervisor->base : NULL);
}
DEFINE_CLEANUP(struct libvirt_hypervisor *, libvirt_hypervisor_free);

static const struct hypervisor_ops libvirt_ops = {
    .run = libvirt_run,
    .clean_leftovers = libvirt_clean_leftovers,
    .free = hypervisor_free_libvirt,
};

static int read_version(struct libvirt_hypervisor *hypervisor, virConnectPtr handle,
                        struct culprit_error *error)
{
    unsigned long version;

    if (virConnectGetVersion(handle, &version) < 0)
        return fail_libvirt(error, "cannot find qemu-system-x86_64");
    snprintf(hypervisor->qemu_version, sizeof hypervisor->qemu_version, "%lu.%lu.%lu",
             version / 1000000, version / 1000 % 1000, version % 1000);
    if (version < QEMU_VERSION_MINIMUM)
        return culprit_fail(error, CULPRIT_UNSUPPORTED,
                            "QEMU %s is too old: 10 or later is needed (on Debian 12 it comes "
                            "from bookworm-backports)",
                            hypervisor->qemu_version);
    return 0;
}

/* A system-wide daemon runs QEMU as a user of its own, confined to files that it knows of. The
 * guest's files are this user's, so QEMU runs as this user too, and unconfined. */
static int choose_labels(struct libvirt_hypervisor *hypervisor, virConnectPtr handle,
                         struct culprit_error *error)
{
    static const char *const models[] = {"apparmor", "selinux"};
    char *uri = virConnectGetURI(handle);
    bool is_system = uri && strstr(uri, "/system");

    free(uri);
    if (!is_system)
        return 0;
    snprintf(hypervisor->user_label, sizeof hypervisor->user_label, "+%u:+%u", (unsigned)geteuid(),
             (unsigned)getegid());
    char *capabilities = virConnectGetCapabilities(handle);
    if (!capabilities)
        return fail_libvirt(error, "cannot read what libvirt can do");
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char element[64];
        snprintf(element, sizeof element, "<model>%s</model>", models[i]);
        if (strstr(capabilities, element))
            snprintf(hypervisor->unconfined_model, sizeof hypervisor->unconfined_model, "%s",
                     models[i]);
    }
    free(capabilities);
    return 0;
}

static int connect_to(struct libvirt_hypervisor *hypervisor, const char *uri,
                      struct culprit_error *error)
{
    CULPRIT_CLEANUP(close_connection) virConnectPtr handle = NULL;
    _cleanup_free_ char *log = hypervisor->root ? embed_log_path(hypervisor->root) : NULL;

    int status = event_loop_start(log, error);
    if (status == 0)
        status = connection_new(uri, &hypervisor->connection, error);
    if (status == 0)
        status = connection_get(hypervisor->connection, &handle, error);
    if (status == 0)
        status = read_version(hypervisor, handle, error);
    return status < 0 ? status : choose_labels(hypervisor, handle, error);
}

static int connect_embedded(struct libvirt_hypervisor *hypervisor, const char *directory,
                            struct culprit_error *error)
{
    _cleanup_free_ char *uri = NULL;

    int status = embed_prepare(directory, &hypervisor->root, &uri, error);
    return status < 0 ? status : connect_to(hypervisor, uri, error);
}

static int connect_by_uri(struct libvirt_hypervisor *hypervisor, const char *uri,
                          struct culprit_error *error)
{
    static const char embedded[] = "qemu:///embed";

    if (strncmp(uri, embedded, strlen(embedded)) == 0) {
        _cleanup_free_ char *root = embed_root_of_uri(uri);
        if (!root || root[0] != '/')
            return culprit_fail(error, CULPRIT_INVALID,
                                "%s lacks an absolute directory: qemu:///embed?root=/DIR", uri);
        return connect_embedded(hypervisor, root, error);
    }
    /* "qemu:///system" is this host's; "qemu+ssh://host/system" is not. */
    const char *authority = strstr(uri, "://");
    if (!authority)
        return culprit_fail(error, CULPRIT_INVALID, "\"%s\" is no libvirt URI", uri);
    hypervisor->shared = authority[3] != '/';
    hypervisor->kill_with_us = true;
    return connect_to(hypervisor, uri, error);
}

int libvirt_hypervisor_open(const struct libvirt_options *options, struct hypervisor **ret,
                            struct culprit_error *error)
{
    int status = check_owner(options->owner, error);
    if (status < 0)
        return status;
    CULPRIT_CLEANUP(libvirt_hypervisor_free)
    struct libvirt_hypervisor *hypervisor = calloc(1, sizeof *hypervisor);
    if (!hypervisor || !(hypervisor->owner = strdup(options->owner)))
        return no_memory(error);
    hypervisor->base.ops = &libvirt_ops;
    if (options->uri && *options->uri)
        status = connect_by_uri(hypervisor, options->uri, error);
    else if (options->directory && *options->directory)
        status = connect_embedded(hypervisor, options->directory, error);
    else
        status = culprit_fail(error, CULPRIT_INVALID,
                              "libvirt needs a URI, or a directory for its embedded driver");
    if (status < 0)
        return status;
    *ret = &take(hypervisor)->base;
    return 0;
}

const char *libvirt_hypervisor_qemu_version(const struct hypervisor *hypervisor)
{
    return ((const struct libvirt_hypervisor *)hypervisor)->qemu_version;
}
