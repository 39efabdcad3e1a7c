/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The decoder behind topology_load(): from text to a checked topology. Internal. */
#ifndef CULPRIT_TOPOLOGY_DECODE_H
#define CULPRIT_TOPOLOGY_DECODE_H

#include "topology/topology.h"

enum { TOPOLOGY_FILE_MAXIMUM = 256 * 1024 };

int topology_decode(const char *text, size_t length, struct topology **ret,
                    struct culprit_error *error);

#endif
