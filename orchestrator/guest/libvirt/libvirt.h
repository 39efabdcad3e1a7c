/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guests by libvirt. One connection, transient domains, lifecycle events; the ports are regular
 * files that are watched while they grow. Thread-safe as hypervisor.h says. The first open of a
 * process sets libvirt up for all of it (event loop thread, log file): do it before other threads
 * change the environment.
 */
#ifndef CULPRIT_GUEST_LIBVIRT_LIBVIRT_H
#define CULPRIT_GUEST_LIBVIRT_LIBVIRT_H

#include "guest/hypervisor.h"

struct libvirt_options {
    /* NULL or "": libvirt's embedded driver, in this process, rooted in `directory`.
     * Else a URI of its QEMU driver: "qemu:///embed?root=/DIR", "qemu:///system",
     * "qemu:///session", "qemu+ssh://HOST/system" (the trial's directory must then be at the same
     * path on that host). */
    const char *uri;
    /*
     * For the embedded driver: created with mode 0700. One process uses it at a time; CONFLICT
     * says so when it is taken. A path too long for the sockets below it is replaced by a
     * directory under path_runtime_home() that is named by its digest. Once used, it is the
     * process's until its end: libvirt has one embedded driver a process.
     */
    const char *directory;
    /* [a-z0-9-]{1,32}: whose guests these are. Two processes that use one libvirtd at the same
     * time need two owners, else each takes the other's guests for leftovers. */
    const char *owner;
};

/*
 * UNAVAILABLE with what to start when no libvirtd answers, UNSUPPORTED when the QEMU driver or a
 * system user that it insists on is missing or QEMU is older than 10, CONFLICT when another process
 * has the directory.
 */
int libvirt_hypervisor_open(const struct libvirt_options *options, struct hypervisor **ret,
                            struct culprit_error *error);

/* "10.0.2"; the hypervisor must come from libvirt_hypervisor_open(). Lends. */
const char *libvirt_hypervisor_qemu_version(const struct hypervisor *hypervisor);

#endif
