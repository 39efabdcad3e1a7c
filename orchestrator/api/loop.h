/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drives the HTTP library from an sd-event loop: its epoll descriptor as an I/O source, its
 * time-outs as a timer that is set anew before each wait. */
#ifndef CULPRIT_API_LOOP_H
#define CULPRIT_API_LOOP_H

#include <microhttpd.h>
#include <systemd/sd-event.h>

#include "base/error.h"

struct http_loop;

/* The daemon must use epoll and no thread of its own, and outlive the loop. */
int http_loop_new(sd_event *event, struct MHD_Daemon *daemon, struct http_loop **ret,
                  struct culprit_error *error);
void http_loop_free(struct http_loop *loop);

#endif
