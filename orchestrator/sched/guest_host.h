/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where guests run, which may not be there when the daemon starts: a libvirtd is down, another host
 * is away. It is opened in a thread of its own, and again after growing pauses until that works;
 * meanwhile whoever asks for it is told why it cannot be had.
 *
 * Thread rule: guest_host_get() on any thread, all else on the loop's.
 */
#ifndef CULPRIT_SCHED_GUEST_HOST_H
#define CULPRIT_SCHED_GUEST_HOST_H

#include <systemd/sd-event.h>

#include "guest/hypervisor.h"
#include "guest/probe.h"

struct guest_host;

struct guest_host_options {
    sd_event *event; /* referenced */

    /* Blocking, for as long as it likes; one call at a time. */
    int (*open)(void *context, struct hypervisor **ret, struct host_capabilities *ret_capabilities,
                struct culprit_error *error);
    /* Once no call of open() is under way or will come; may be NULL. */
    void (*free_context)(void *context);
    void *context;

    /* On the loop, after each attempt: why it failed, or NULL. May be NULL. */
    void (*answered)(void *owner, const struct culprit_error *why);
    void *owner;

    uint64_t patience_ns; /* guest_host_new() waits so long for the first attempt; 0: 5 s */
    uint64_t pause_ns;    /* after the first failure, then doubled up to 5 min; 0: 5 s */
};

/* Owns the context from here on, also when it fails. INVALID when the first attempt says so within
 * the patience: what is wrong with the options themselves does not pass. */
int guest_host_new(const struct guest_host_options *options, struct guest_host **ret,
                   struct culprit_error *error);

/* Does not wait for an attempt that is under way: its thread cleans up, or dies with the process.
 * What guest_host_get() lent ends here. */
void guest_host_free(struct guest_host *host);
DEFINE_CLEANUP(struct guest_host *, guest_host_free);

/* Lends both. UNSUPPORTED when this host can have no guests (no QEMU driver, too old a QEMU);
 * UNAVAILABLE, with the reason, when they cannot be had for now. */
int guest_host_get(struct guest_host *host, struct hypervisor **ret,
                   struct host_capabilities **ret_capabilities, struct culprit_error *error);

#endif
