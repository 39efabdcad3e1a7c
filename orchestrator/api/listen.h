/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A listening TCP socket on a numeric address. */
#ifndef CULPRIT_API_LISTEN_H
#define CULPRIT_API_LISTEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* INVALID unless numeric. */
int address_is_loopback(const char *address, bool *ret, struct culprit_error *error);

/* Non-blocking, close-on-exec; *ret_port is the port, also when 0 was asked for. */
int listen_on(const char *address, uint16_t port, int *ret_fd, uint16_t *ret_port,
              struct culprit_error *error);

#endif
