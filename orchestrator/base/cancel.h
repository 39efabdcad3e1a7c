/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A request to stop that blocking work can wait on: set once, from any thread. */
#ifndef CULPRIT_BASE_CANCEL_H
#define CULPRIT_BASE_CANCEL_H

#include <stdbool.h>

#include "base/cleanup.h"
#include "base/error.h"

struct cancel;

int cancel_new(struct cancel **ret, struct culprit_error *error);
void cancel_free(struct cancel *cancel);

void cancel_request(struct cancel *cancel);         /* async-signal-safe; NULL does nothing */
bool cancel_requested(const struct cancel *cancel); /* NULL: false */
int cancel_fd(const struct cancel *cancel);         /* readable once requested; NULL: -1 */

DEFINE_CLEANUP(struct cancel *, cancel_free);

#endif
