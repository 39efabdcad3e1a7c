/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The REST API: HTTP on one listening address, in front of the service. docs/rest-reference.md
 * describes every route.
 *
 * Everything runs on the loop's thread: the HTTP library is driven from the sd-event loop and has
 * no thread of its own. All options are borrowed and outlive the API.
 */
#ifndef CULPRIT_API_API_H
#define CULPRIT_API_API_H

#include <stdint.h>

#include <systemd/sd-event.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/strv.h"
#include "sched/service.h"
#include "store/store.h"

struct api;

struct api_options {
    sd_event *event;
    struct service *service;
    /* Where tokens are checked. NULL: whoever reaches the address may do everything, which is
     * allowed on a loopback address only. */
    struct store *tokens;
    const char *address;      /* "127.0.0.1", "::1", "192.0.2.7": numeric */
    uint16_t port;            /* 0: any free one; see api_port() */
    const struct strv *hosts; /* further names under which clients may reach it; may be NULL */
    unsigned connections;     /* at once; 0: 128 */
    unsigned streams;         /* event streams among them; 0: 32 */
    uint64_t request_ns;      /* time for a request to arrive whole; 0: 30 s */
    uint64_t heartbeat_ns;    /* between two signs of life on an event stream; 0: 15 s */
};

/* Listens and answers from then on. DENIED for an address beyond loopback without tokens; INVALID
 * for one that is not numeric; CONFLICT when somebody else listens there. */
int api_new(const struct api_options *options, struct api **ret, struct culprit_error *error);

/* Ends streams, closes connections and the listening socket. Before service_free(). */
void api_free(struct api *api);
DEFINE_CLEANUP(struct api *, api_free);

uint16_t api_port(const struct api *api);

#endif
