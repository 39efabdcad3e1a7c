/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libvirt's errors in culprit's form. Internal to the libvirt adapter. */
#ifndef CULPRIT_GUEST_LIBVIRT_FAILURE_H
#define CULPRIT_GUEST_LIBVIRT_FAILURE_H

#include "base/error.h"

/* libvirt's last error of this thread: "WHAT: words". */
int fail_libvirt(struct culprit_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for a connection to `uri` that cannot be had, with what its user can do about it. */
int fail_connect(struct culprit_error *error, const char *uri);

#endif
