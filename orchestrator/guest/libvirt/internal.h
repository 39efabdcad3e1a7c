/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the hypervisor share. Immutable after the open, except `serial`. */
#ifndef CULPRIT_GUEST_LIBVIRT_INTERNAL_H
#define CULPRIT_GUEST_LIBVIRT_INTERNAL_H

#include <stdatomic.h>

#include "guest/libvirt/connection.h"
#include "guest/libvirt/libvirt.h"

enum { GUEST_OWNER_MAXIMUM = 32 };

struct libvirt_hypervisor {
    struct hypervisor base;
    struct connection *connection;
    char *owner;
    char *root;                /* of the embedded driver; NULL: another driver */
    bool shared;               /* the guests run on another host */
    bool kill_with_us;         /* the driver destroys guests whose connection closes */
    char user_label[32];       /* "+1000:+1000"; "": none */
    char unconfined_model[16]; /* "": none */
    char qemu_version[64];
    atomic_uint serial; /* numbers the domains of this process */
};

int libvirt_run(struct hypervisor *base, const struct guest_definition *definition,
                struct cancel *cancel, struct guest_run *ret, struct culprit_error *error);
int libvirt_clean_leftovers(struct hypervisor *base, unsigned *ret_count,
                            struct culprit_error *error);

#endif
