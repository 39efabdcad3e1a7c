/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the store only: the connection, and statements whose parameters are bound and whose
 * columns are read one after another, left to right. A failed bind or copy is remembered and comes
 * out of the next statement_step() or statement_status(), so that callers check once.
 */
#ifndef CULPRIT_STORE_DATABASE_H
#define CULPRIT_STORE_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "store/store.h"

struct store {
    sqlite3 *connection;
    const struct clock *clock;
    int lock; /* descriptor of the lock file */
};

struct statement {
    struct store *store;
    sqlite3_stmt *handle;
    const char *what; /* "add the job": for messages */
    int bound;        /* parameters bound so far */
    int column;       /* next column to read */
    int status;       /* SQLITE_OK, or the first failure */
};

/* `what` completes "cannot …: why". */
int statement_prepare(struct store *store, const char *sql, const char *what, struct statement *ret,
                      struct culprit_error *error);
void statement_finish(struct statement *statement);

static inline void statement_finish_cleanup(struct statement *statement)
{
    statement_finish(statement);
}
#define _cleanup_statement_ CULPRIT_CLEANUP(statement_finish)

void bind_integer(struct statement *statement, int64_t value);
void bind_null(struct statement *statement);
void bind_real(struct statement *statement, double value);
/* NULL binds NULL. The text must live until the statement was stepped. */
void bind_text(struct statement *statement, const char *text);

/* Makes it ready for another set of parameters. */
void statement_again(struct statement *statement);

/* 1: a row is there; 0: no more; negative: the error. */
int statement_step(struct statement *statement, struct culprit_error *error);
/* Steps a statement that gives no rows. */
int statement_run(struct statement *statement, struct culprit_error *error);
/* The remembered failure of a column copy. */
int statement_status(const struct statement *statement, struct culprit_error *error);

int64_t read_integer(struct statement *statement);
double read_real(struct statement *statement);
/* A copy that the caller frees; NULL for NULL, or without memory (remembered). */
char *read_text(struct statement *statement);
/* Copies into an array; a longer text is cut. "" for NULL. */
void read_string(struct statement *statement, char *ret, size_t size);

/* Fills the error from SQLite's last failure on the connection. */
int database_fail(struct store *store, int status, const char *what, struct culprit_error *error);
int database_execute(struct store *store, const char *sql, const char *what,
                     struct culprit_error *error);
/* Rows changed by the last statement. */
int database_changes(struct store *store);

/* Several statements as one, within or without an open transaction. */
struct scope {
    struct store *store;
};
int scope_begin(struct store *store, struct scope *ret, struct culprit_error *error);
int scope_end(struct scope *scope, struct culprit_error *error);
void scope_rollback(struct scope *scope);
DEFINE_CLEAR(struct scope, scope_rollback);

/* Grows an array of records by one zeroed item; NULL without memory. */
void *array_grow(void **items, size_t *count, size_t size);

/* Brings the schema to this version; UNSUPPORTED when the database is newer. */
int schema_migrate(struct store *store, struct culprit_error *error);

#endif
