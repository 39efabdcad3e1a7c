/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The API with a real service, store and catalogue behind it, on a loop in a thread of its own, so
 * that tests can be plain blocking clients. */
#ifndef CULPRIT_TESTS_API_SERVER_H
#define CULPRIT_TESTS_API_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "store/tokens.h"

struct server;

struct server_options {
    bool hold;   /* trials end only when they are cancelled */
    bool tokens; /* one of each scope is made */
    unsigned streams;
    uint64_t request_ns, heartbeat_ns;
};

/* Fails the test when it cannot. */
struct server *server_start(const struct server_options *options);
void server_stop(struct server *server);

uint16_t server_port(const struct server *server);
/* scope: "read", "submit", "admin". */
const char *server_token(const struct server *server, const char *scope);

#endif
