/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Breaks off a blocking call to a network that nobody answers. libgit2 before 1.7 knows no limits
 * of time, and its callbacks come only with data: a fetch from a silent server would keep its
 * thread, the job and the end of the daemon waiting for ever.
 *
 * While the guard stands, the thread that set it up may get a signal without meaning, which makes a
 * blocked connect(), recv() or send() return with EINTR: once `cancel` is requested, or when
 * guard_heard() was not called for `silence_ns`. The signal is repeated until the guard ends, for
 * it may come just before a call blocks.
 */
#ifndef CULPRIT_SOURCE_GUARD_H
#define CULPRIT_SOURCE_GUARD_H

#include <stdint.h>

#include "base/cancel.h"

struct guard;

/* Guards the calling thread, which is also the one to end it. `cancel` may be NULL. */
int guard_begin(struct cancel *cancel, uint64_t silence_ns, struct guard **ret,
                struct culprit_error *error);

void guard_heard(struct guard *guard); /* something came */

/* Frees. Returns whether the silence lasted too long at the end; NULL: false. */
bool guard_end(struct guard *guard);

#endif
