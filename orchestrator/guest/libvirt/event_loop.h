/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libvirt's own event loop, which its events, keepalives and embedded driver need, on one thread
 * for the whole process. Internal to the libvirt adapter. Thread-safe.
 */
#ifndef CULPRIT_GUEST_LIBVIRT_EVENT_LOOP_H
#define CULPRIT_GUEST_LIBVIRT_EVENT_LOOP_H

#include "base/error.h"

/* Sets libvirt up on the first call and starts the thread; it runs until the process ends.
 * Messages that libvirt would print go to `log_path` (NULL: nowhere), unless the user has set
 * LIBVIRT_LOG_OUTPUTS. */
int event_loop_start(const char *log_path, struct culprit_error *error);

#endif
