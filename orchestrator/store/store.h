/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The store: what happened, durable. One SQLite database in WAL mode in a directory of its own,
 * which one process at a time holds by a lock file. Facts only; no decision is kept in it.
 *
 * Functions on a `struct store` stand in store/jobs.h, store/facts.h, store/calibrations.h,
 * store/events.h, store/outbox.h and store/tokens.h. Each is one transaction, or a part of the one
 * that store_begin() opened: a result, the event that tells of it and the mail that follows from it
 * commit together or not at all.
 *
 * One thread at a time (the daemon's loop). Everything in records handed out is the caller's, to be
 * released with the record's clear function. A full disk or a full quota is NO_SPACE, after which
 * the store goes on working.
 */
#ifndef CULPRIT_STORE_STORE_H
#define CULPRIT_STORE_STORE_H

#include <stdint.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"

struct store;

struct store_options {
    const char *directory;     /* made if missing; holds culprit.db and culprit.lock,
                                  which are the owner's alone */
    const struct clock *clock; /* stamps rows; outlives the store */
    uint64_t maximum;          /* bytes of the database; 0: what the disk holds */
};

/* CONFLICT when another process holds it (the message says which); UNSUPPORTED when the database
 * was written by a newer version; an older one is migrated. */
int store_open(const struct store_options *options, struct store **ret,
               struct culprit_error *error);
void store_close(struct store *store);
DEFINE_CLEANUP(struct store *, store_close);

/* For records that live in the caller's frame: CULPRIT_CLEANUP(stored_job_clear) struct … = {0};
 * A type cannot stand in parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
#define DEFINE_CLEAR(type, function)                    \
    static inline void function##_cleanup(type *record) \
    {                                                   \
        function(record);                               \
    }                                                   \
    struct culprit_require_semicolon_
/* NOLINTEND(bugprone-macro-parentheses) */

struct store_transaction {
    struct store *store; /* NULL: nothing is open */
};

/* Not nested. What is not committed, store_rollback() takes back; it does nothing after that. */
int store_begin(struct store *store, struct store_transaction *ret, struct culprit_error *error);
int store_commit(struct store_transaction *transaction, struct culprit_error *error);
void store_rollback(struct store_transaction *transaction);
DEFINE_CLEAR(struct store_transaction, store_rollback);

#endif
