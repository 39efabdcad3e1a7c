/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/outbox.h"

#include <string.h>

#include "base/buffer.h"
#include "store/database.h"

enum { RECIPIENTS_MAXIMUM = 64 * 1024 };

static const char *const state_names[] = {
    [MAIL_WAITING] = "waiting", [MAIL_DELIVERED] = "delivered", [MAIL_REFUSED] = "refused"};

const char *mail_state_name(enum mail_state state)
{
    return state <= MAIL_REFUSED ? state_names[state] : "unknown";
}

void stored_mail_clear(struct stored_mail *mail)
{
    strv_free(&mail->recipients);
    free(mail->message);
    free(mail->last_error);
    *mail = (struct stored_mail){0};
}

void stored_mails_clear(struct stored_mails *mails)
{
    for (size_t i = 0; i < mails->count; i++)
        stored_mail_clear(&mails->items[i]);
    free(mails->items);
    *mails = (struct stored_mails){0};
}

static int join_recipients(const struct strv *recipients, struct buffer *ret,
                           struct culprit_error *error)
{
    for (size_t i = 0; i < recipients->count; i++) {
        if (strchr(recipients->items[i], '\n'))
            return culprit_fail(error, CULPRIT_INVALID, "a mail address contains a line break");
        buffer_printf(ret, "%s\n", recipients->items[i]);
    }
    return buffer_status(ret, "the list of recipients", error);
}

static bool split_recipients(char *text, struct strv *ret)
{
    char *position = NULL;

    for (char *line = strtok_r(text, "\n", &position); line;
         line = strtok_r(NULL, "\n", &position)) {
        if (!strv_append(ret, line))
            return false;
    }
    return true;
}

int store_mail_add(struct store *store, int64_t job, const struct strv *recipients,
                   const char *message, struct culprit_error *error)
{
    _cleanup_buffer_ struct buffer joined = BUFFER_INIT(RECIPIENTS_MAXIMUM);
    _cleanup_statement_ struct statement statement = {0};
    int64_t now = (int64_t)clock_realtime(store->clock);

    int status = join_recipients(recipients, &joined, error);
    if (status == 0)
        status = statement_prepare(store,
                                   "INSERT INTO outbox (job, recipients, message, state, next_ns,"
                                   " created_ns) VALUES (?, ?, ?, 'waiting', ?, ?)",
                                   "put the mail into the outbox", &statement, error);
    if (status < 0)
        return status;
    bind_integer(&statement, job);
    bind_text(&statement, joined.data ? joined.data : "");
    bind_text(&statement, message);
    bind_integer(&statement, now);
    bind_integer(&statement, now);
    return statement_run(&statement, error);
}

#define MAIL_COLUMNS "id, job, recipients, message, state, attempts, next_ns, last_error"

static int read_mail(struct statement *statement, struct stored_mail *ret,
                     struct culprit_error *error)
{
    char state[32];

    ret->id = read_integer(statement);
    ret->job = read_integer(statement);
    _cleanup_free_ char *recipients = read_text(statement);
    ret->message = read_text(statement);
    read_string(statement, state, sizeof state);
    ret->attempts = (unsigned)read_integer(statement);
    ret->next_ns = (uint64_t)read_integer(statement);
    ret->last_error = read_text(statement);
    for (int i = MAIL_WAITING; i <= MAIL_REFUSED; i++) {
        if (strcmp(state, state_names[i]) == 0)
            ret->state = (enum mail_state)i;
    }
    int status = statement_status(statement, error);
    if (status == 0 && !split_recipients(recipients, &ret->recipients))
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot read the outbox: out of memory");
    return status;
}

int store_mail_next(struct store *store, struct stored_mail *ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(stored_mail_clear) struct stored_mail mail = {0};
    _cleanup_statement_ struct statement statement = {0};

    int status = statement_prepare(store,
                                   "SELECT " MAIL_COLUMNS " FROM outbox WHERE state = 'waiting'"
                                   " ORDER BY next_ns, id LIMIT 1",
                                   "read the outbox", &statement, error);
    if (status < 0)
        return status;
    status = statement_step(&statement, error);
    if (status == 0)
        return culprit_fail(error, CULPRIT_NOT_FOUND, "the outbox is empty");
    if (status > 0)
        status = read_mail(&statement, &mail, error);
    if (status < 0)
        return status;
    *ret = mail;
    memset(&mail, 0, sizeof mail);
    return 0;
}

int store_mail_update(struct store *store, int64_t id, enum mail_state state, uint64_t next_ns,
                      const char *last_error, struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store,
                                   "UPDATE outbox SET state = ?, next_ns = ?, last_error = ?,"
                                   " attempts = attempts + 1 WHERE id = ?",
                                   "keep the state of a mail", &statement, error);
    if (status < 0)
        return status;
    bind_text(&statement, mail_state_name(state));
    bind_integer(&statement, (int64_t)next_ns);
    bind_text(&statement, last_error ? last_error : "");
    bind_integer(&statement, id);
    status = statement_run(&statement, error);
    if (status == 0 && database_changes(store) == 0)
        return culprit_fail(error, CULPRIT_NOT_FOUND, "the outbox has no mail %lld", (long long)id);
    return status;
}

int store_mail_of_job(struct store *store, int64_t job, struct stored_mails *ret,
                      struct culprit_error *error)
{
    CULPRIT_CLEANUP(stored_mails_clear) struct stored_mails mails = {0};
    _cleanup_statement_ struct statement statement = {0};

    int status = statement_prepare(store,
                                   "SELECT " MAIL_COLUMNS " FROM outbox WHERE job = ? ORDER BY id",
                                   "read the job's mail", &statement, error);
    if (status < 0)
        return status;
    bind_integer(&statement, job);
    while ((status = statement_step(&statement, error)) > 0) {
        struct stored_mail *mail = array_grow((void **)&mails.items, &mails.count, sizeof *mail);
        if (!mail)
            return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot read the outbox: out of memory");
        status = read_mail(&statement, mail, error);
        if (status < 0)
            return status;
    }
    if (status < 0)
        return status;
    *ret = mails;
    memset(&mails, 0, sizeof mails);
    return 0;
}

int store_mail_waiting(struct store *store, uint64_t *ret_count, struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store, "SELECT count(*) FROM outbox WHERE state = 'waiting'",
                                   "count the waiting mail", &statement, error);
    if (status == 0)
        status = statement_step(&statement, error);
    if (status < 0)
        return status;
    *ret_count = (uint64_t)read_integer(&statement);
    return 0;
}
