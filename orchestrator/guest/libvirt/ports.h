/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two files that a guest's serial ports write: created empty, watched while they grow, cut to
 * their limits at the end. The console is read on the way. Internal to the libvirt adapter; one
 * thread at a time.
 */
#ifndef CULPRIT_GUEST_LIBVIRT_PORTS_H
#define CULPRIT_GUEST_LIBVIRT_PORTS_H

#include <stdbool.h>

#include "guest/console.h"
#include "guest/hypervisor.h"

struct ports;

/* `shared`: QEMU writes from another host, whose writes inotify does not see; the files are then
 * looked at once a second instead. */
int ports_open(const struct guest_definition *definition, bool shared, struct ports **ret,
               struct culprit_error *error);
void ports_free(struct ports *ports);
DEFINE_CLEANUP(struct ports *, ports_free);

/* Readable when a file may have grown. */
int ports_fd(const struct ports *ports);

enum ports_state { PORTS_WITHIN, PORTS_CONSOLE_LIMIT, PORTS_RECORDS_LIMIT };

/* Reads what is new on the console and looks at both sizes. */
int ports_look(struct ports *ports, enum ports_state *ret, struct culprit_error *error);

/* After the guest's end: the rest of the console, and no file longer than its limit. */
int ports_finish(struct ports *ports, struct culprit_error *error);

const struct console_scanner *ports_scanner(const struct ports *ports);

#endif
