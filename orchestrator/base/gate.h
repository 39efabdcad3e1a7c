/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A lock for work that takes long: whoever waits for it gives up when it is cancelled, which a
 * mutex cannot do. Not recursive; whoever entered leaves, on any thread. Thread-safe.
 */
#ifndef CULPRIT_BASE_GATE_H
#define CULPRIT_BASE_GATE_H

#include "base/cancel.h"

struct gate;

int gate_new(struct gate **ret, struct culprit_error *error);
/* Nobody may be inside or waiting. */
void gate_free(struct gate *gate);
DEFINE_CLEANUP(struct gate *, gate_free);

/* Waits for the one inside. CANCELLED when `cancel` (may be NULL) is requested before its turn. */
int gate_enter(struct gate *gate, struct cancel *cancel, struct culprit_error *error);
void gate_leave(struct gate *gate);

#endif
