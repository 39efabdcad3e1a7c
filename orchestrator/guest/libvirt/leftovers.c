/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Guests that an earlier process of the same owner left behind. */
#include <libvirt/virterror.h>
#include <string.h>

#include "guest/domain.h"
#include "guest/libvirt/failure.h"
#include "guest/libvirt/internal.h"

/* Which guests of the driver are whose: an owner that is part of another's name is not it. */
static bool is_owners(virDomainPtr domain, const char *owner)
{
    char *metadata = virDomainGetMetadata(domain, VIR_DOMAIN_METADATA_ELEMENT, DOMAIN_METADATA_URI,
                                          VIR_DOMAIN_AFFECT_LIVE);
    char single[GUEST_OWNER_MAXIMUM + 16], twofold[GUEST_OWNER_MAXIMUM + 16];

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
    if (virDomainDestroy(domain) < 0) {
        /* First the reason: the question whether it runs at all forgets it. */
        int status = fail_libvirt(error, "cannot destroy the leftover guest %s", name);
        if (virDomainIsActive(domain) == 1)
            return status;
    }
    ++*count;
    return 0;
}

int libvirt_clean_leftovers(struct hypervisor *base, unsigned *ret_count,
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
