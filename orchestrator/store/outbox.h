/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mail that is to be delivered. A message enters in the transaction that ends its job, and leaves
 * the list only when the server has taken it or refused it for good.
 */
#ifndef CULPRIT_STORE_OUTBOX_H
#define CULPRIT_STORE_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strv.h"
#include "store/store.h"

enum mail_state { MAIL_WAITING = 0, MAIL_DELIVERED, MAIL_REFUSED };

const char *mail_state_name(enum mail_state state);

struct stored_mail {
    int64_t id;
    int64_t job;
    struct strv recipients;
    char *message; /* RFC 5322 */
    enum mail_state state;
    unsigned attempts;
    uint64_t next_ns; /* not to be tried before */
    char *last_error; /* "" when none */
};

void stored_mail_clear(struct stored_mail *mail);
DEFINE_CLEAR(struct stored_mail, stored_mail_clear);

struct stored_mails {
    struct stored_mail *items;
    size_t count;
};

void stored_mails_clear(struct stored_mails *mails);
DEFINE_CLEAR(struct stored_mails, stored_mails_clear);

int store_mail_add(struct store *store, int64_t job, const struct strv *recipients,
                   const char *message, struct culprit_error *error);

/* The waiting message that comes first; its next_ns may lie ahead. NOT_FOUND without. */
int store_mail_next(struct store *store, struct stored_mail *ret, struct culprit_error *error);

/* How the last attempt went; the attempt is counted. next_ns: for WAITING. */
int store_mail_update(struct store *store, int64_t id, enum mail_state state, uint64_t next_ns,
                      const char *last_error, struct culprit_error *error);

int store_mail_of_job(struct store *store, int64_t job, struct stored_mails *ret,
                      struct culprit_error *error);

/* How many messages wait. */
int store_mail_waiting(struct store *store, uint64_t *ret_count, struct culprit_error *error);

#endif
