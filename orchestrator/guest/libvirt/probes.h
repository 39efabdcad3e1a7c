/* SPDX-License-Identifier: GPL-2.0-or-later */
/* QEMU processes that libvirt starts to ask what QEMU can do. Each runs without a guest until
 * libvirt ends it; when the caller is killed meanwhile, it runs for ever. Internal to the libvirt
 * adapter. */
#ifndef CULPRIT_GUEST_LIBVIRT_PROBES_H
#define CULPRIT_GUEST_LIBVIRT_PROBES_H

/* Ends those that an earlier process left below the driver's directory, and removes their files.
 * The caller holds the directory's lock. What cannot be ended stays. */
void probes_end(const char *root);

#endif
