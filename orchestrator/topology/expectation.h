/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the part of a topology's file that says what the guest must see. Internal. */
#ifndef CULPRIT_TOPOLOGY_EXPECTATION_H
#define CULPRIT_TOPOLOGY_EXPECTATION_H

#include "topology/topology.h"
#include "yaml/reader.h"

/* For a guest of `cpus` CPUs: each level must name every one of them exactly once. What was read
 * before a failure is the caller's to free. */
int expectation_read(struct reader *reader, const struct document_node *node, unsigned cpus,
                     struct topology_expectation *ret);

#endif
