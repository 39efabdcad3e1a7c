/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One connection to libvirt, shared by all guests of a hypervisor, and the way from libvirt's
 * events to the thread that runs the guest they are about. A connection that broke is opened anew
 * by the next user. Internal to the libvirt adapter. Thread-safe.
 */
#ifndef CULPRIT_GUEST_LIBVIRT_CONNECTION_H
#define CULPRIT_GUEST_LIBVIRT_CONNECTION_H

#include <libvirt/libvirt.h>
#include <stdbool.h>

#include "base/cleanup.h"
#include "base/error.h"

/* How libvirt says that a guest ended. */
enum guest_stop {
    STOP_NONE = 0,
    STOP_POWER_OFF, /* its own doing */
    STOP_CRASHED,   /* pvpanic */
    STOP_DESTROYED, /* by virDomainDestroy, from whomever */
    STOP_FAILED,    /* QEMU is gone */
    STOP_LOST,      /* the connection is */
};

/* One running guest. `fd` is readable once something happened; then read `stop` and `reset` under
 * connection_watch_state(). */
struct guest_watch {
    char name[64]; /* of the domain */
    int fd;
    enum guest_stop stop;
    bool reset;           /* the stop began as a reset: a reboot or a triple fault */
    virConnectPtr handle; /* through which it was created; NULL until then */
    struct guest_watch *next;
};

struct connection;

/* Takes no ownership of `uri`. Opens at once. */
int connection_new(const char *uri, struct connection **ret, struct culprit_error *error);
void connection_free(struct connection *connection);
DEFINE_CLEANUP(struct connection *, connection_free);

/* The open connection, opened anew if need be; release it with virConnectClose(). */
int connection_get(struct connection *connection, virConnectPtr *ret, struct culprit_error *error);

/* From now on events of the domain of that name reach the watch; before its creation. */
int connection_watch(struct connection *connection, const char *name, struct guest_watch *watch,
                     struct culprit_error *error);
/* The guest was created through `handle`: its loss is the guest's from now on. */
void connection_watch_created(struct connection *connection, struct guest_watch *watch,
                              virConnectPtr handle);
void connection_unwatch(struct connection *connection, struct guest_watch *watch);
/* Empties the watch's fd and gives the state. */
enum guest_stop connection_watch_state(struct connection *connection, struct guest_watch *watch,
                                       bool *ret_reset);
bool connection_watches(struct connection *connection, const char *name);

static inline void close_connection_cleanup(virConnectPtr *handle)
{
    if (*handle)
        virConnectClose(*handle);
}

static inline void free_domain_cleanup(virDomainPtr *domain)
{
    if (*domain)
        virDomainFree(*domain);
}

#endif
