/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scheduler's guest host on libvirt, as the configuration says. */
#ifndef CULPRIT_MAIN_LIBVIRT_HOST_H
#define CULPRIT_MAIN_LIBVIRT_HOST_H

#include "main/config.h"
#include "sched/guest_host.h"

/* Tries to connect, and removes what an earlier run left behind; see sched/guest_host.h for what
 * happens when that fails. Before other threads of the program exist, for libvirt sets an
 * environment variable. `answered` and `owner` as there. The configuration need not outlive it. */
int libvirt_host_new(const struct config *config, sd_event *event,
                     void (*answered)(void *owner, const struct culprit_error *why), void *owner,
                     struct guest_host **ret, struct culprit_error *error);

#endif
