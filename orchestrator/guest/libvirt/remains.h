/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the embedded driver of a killed process leaves and the next one would not clear away.
 * Internal to the libvirt adapter.
 *
 * - QEMU processes that were started to ask what QEMU can do: each runs without a guest until
 *   libvirt ends it, and so for ever.
 * - Guests that were just being started. The next driver takes the start for one that goes on: it
 *   lists the guest as active and refuses to destroy it.
 *
 * Guests that ran are not among them: libvirt finds those again (libvirt_clean_leftovers()).
 */
#ifndef CULPRIT_GUEST_LIBVIRT_REMAINS_H
#define CULPRIT_GUEST_LIBVIRT_REMAINS_H

/* Ends their processes and removes their files, before the driver is opened. The caller holds the
 * directory's lock. What cannot be ended stays. */
void remains_end(const char *root);

#endif
