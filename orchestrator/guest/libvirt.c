/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/libvirt.h"

#include <libvirt/virterror.h>
#include <string.h>

#include "base/file.h"
#include "guest/domain.h"
#include "guest/embed.h"
#include "guest/event_loop.h"
#include "guest/libvirt_internal.h"

enum { QEMU_VERSION_MINIMUM = 10 * 1000000, OWNER_MAXIMUM = 32 };

static int no_memory(struct culprit_error *error)
{
    return culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for a hypervisor");
}

static int check_owner(const char *owner, struct culprit_error *error)
{
    size_t length = owner ? strlen(owner) : 0;

    if (length == 0 || length > OWNER_MAXIMUM ||
        strspn(owner, "abcdefghijklmnopqrstuvwxyz0123456789-") != length)
        return culprit_fail(error, CULPRIT_INVALID,
                            "an owner of guests is 1 to %d of a-z, 0-9 and '-'", OWNER_MAXIMUM);
    return 0;
}

/* Which guests of the driver are whose: an owner that is part of another's name is not it. */
static bool is_owners(virDomainPtr domain, const char *owner)
{
    char *metadata = virDomainGetMetadata(domain, VIR_DOMAIN_METADATA_ELEMENT, DOMAIN_METADATA_URI,
                                          VIR_DOMAIN_AFFECT_LIVE);
    char single[OWNER_MAXIMUM + 16], twofold[OWNER_MAXIMUM + 16];

    if (!metadata)
        return false;
    snprintf(single, sizeof single, "owner='%s'", owner);
    snprintf(twofold, sizeof twofold, "owner=\"%s\"", owner);
    bool found = strstr(metadata, single) || strstr(metadata, twofold);
    free(metadata);
    return found;
}

static int destroy_leftover(struct libvirt_hypervisor *hypervisor, virDomainPtr domain,
                            unsigned *count, struct culprit_error *error)
{
    const char *name = virDomainGetName(domain);

    if (strncmp(name, DOMAIN_NAME_PREFIX, strlen(DOMAIN_NAME_PREFIX)) != 0 ||
        connection_watches(hypervisor->connection, name) || !is_owners(domain, hypervisor->owner))
        return 0;
    if (virDomainDestroy(domain) < 0 && virDomainIsActive(domain) == 1)
        return fail_libvirt(error, "cannot destroy the leftover guest %s", name);
    ++*count;
    return 0;
}

static int clean_leftovers(struct hypervisor *base, unsigned *ret_count,
                           struct culprit_error *error)
{
    struct libvirt_hypervisor *hypervisor = (struct libvirt_hypervisor *)base;
    CULPRIT_CLEANUP(close_connection) virConnectPtr handle = NULL;
    virDomainPtr *domains = NULL;
    unsigned count = 0;

    int status = connection_get(hypervisor->connection, &handle, error);
    if (status < 0)
        return status;
    int found = virConnectListAllDomains(handle, &domains, VIR_CONNECT_LIST_DOMAINS_ACTIVE);
    if (found < 0)
        return fail_libvirt(error, "cannot list the guests that are running");
    for (int i = 0; i < found; i++) {
        if (status == 0)
            status = destroy_leftover(hypervisor, domains[i], &count, error);
        virDomainFree(domains[i]);
    }
    free(domains);
    if (status == 0)
        *ret_count = count;
    return status;
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
    .clean_leftovers = clean_leftovers,
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
    _cleanup_free_ char *log = hypervisor->root ? path_join(hypervisor->root, "libvirt.log") : NULL;

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
