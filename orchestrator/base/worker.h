/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pool of threads for work that blocks (git, builds, libvirt, the database), beside the one
 * sd-event loop that owns the state.
 *
 * Thread rule: every function here is called on the loop's thread. `run` is called on a pool
 * thread; `done` is called on the loop's thread, once for every accepted submission, in the order
 * in which the work ended. An argument belongs to `run` between the two calls and to the owner
 * before and after, so neither needs a lock.
 *
 * Two pools keep long work (builds) from holding up short work (queries).
 */
#ifndef CULPRIT_BASE_WORKER_H
#define CULPRIT_BASE_WORKER_H

#include <stdbool.h>
#include <stddef.h>

#include <systemd/sd-event.h>

#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/error.h"

struct worker_pool;

/* `cancel` is the pool's: requested when the pool is freed. Work that takes long watches it (or a
 * narrower one of its own that the owner requests). */
typedef void (*worker_run)(void *argument, struct cancel *cancel);

/* `ran` is false when the pool was freed before the work began. */
typedef void (*worker_done)(void *argument, bool ran);

/* 1 <= threads <= 256; at most `queue_maximum` submissions wait beside those that run. The event
 * loop is referenced. Pool threads block all signals. */
int worker_pool_new(sd_event *event, const char *name, unsigned threads, size_t queue_maximum,
                    struct worker_pool **ret, struct culprit_error *error);

/* Cancels, waits for what runs, and delivers `done` of everything accepted before it returns. Not
 * from within a `done`. */
void worker_pool_free(struct worker_pool *pool);

/* LIMIT when the queue is full, CANCELLED while the pool is being freed; nothing is called then.
 * `done` may be NULL, and may submit. */
int worker_submit(struct worker_pool *pool, worker_run run, worker_done done, void *argument,
                  struct culprit_error *error);

/* Submissions accepted whose `done` has not been called yet. */
size_t worker_pending(const struct worker_pool *pool);

DEFINE_CLEANUP(struct worker_pool *, worker_pool_free);

#endif
