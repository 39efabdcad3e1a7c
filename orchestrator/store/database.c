/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/database.h"

#include <errno.h>
#include <string.h>

static enum culprit_code code_of(struct store *store, int status)
{
    switch (status & 0xff) {
    case SQLITE_FULL:
        return CULPRIT_NO_SPACE;
    case SQLITE_IOERR:
        switch (sqlite3_system_errno(store->connection)) {
        case ENOSPC:
        case EDQUOT:
            return CULPRIT_NO_SPACE;
        default:
            return CULPRIT_IO;
        }
    case SQLITE_NOMEM:
        return CULPRIT_NO_MEMORY;
    case SQLITE_CONSTRAINT:
        return CULPRIT_CONFLICT;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return CULPRIT_UNAVAILABLE;
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
        return CULPRIT_DENIED;
    case SQLITE_TOOBIG:
        return CULPRIT_LIMIT;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return CULPRIT_IO;
    default:
        return CULPRIT_INTERNAL;
    }
}

int database_fail(struct store *store, int status, const char *what, struct culprit_error *error)
{
    enum culprit_code code = code_of(store, status);

    if (code == CULPRIT_NO_SPACE)
        return culprit_fail(
            error, code, "cannot %s: the disk that holds the store, or its quota, is full", what);
    return culprit_fail(error, code, "cannot %s: %s", what,
                        code == CULPRIT_NO_MEMORY ? "out of memory"
                                                  : sqlite3_errmsg(store->connection));
}

int statement_prepare(struct store *store, const char *sql, const char *what, struct statement *ret,
                      struct culprit_error *error)
{
    *ret = (struct statement){.store = store, .what = what};
    int status = sqlite3_prepare_v2(store->connection, sql, -1, &ret->handle, NULL);
    if (status != SQLITE_OK)
        return database_fail(store, status, what, error);
    return 0;
}

void statement_finish(struct statement *statement)
{
    sqlite3_finalize(statement->handle);
    statement->handle = NULL;
}

static void remember(struct statement *statement, int status)
{
    if (status != SQLITE_OK && statement->status == SQLITE_OK)
        statement->status = status;
}

void bind_integer(struct statement *statement, int64_t value)
{
    remember(statement, sqlite3_bind_int64(statement->handle, ++statement->bound, value));
}

void bind_real(struct statement *statement, double value)
{
    remember(statement, sqlite3_bind_double(statement->handle, ++statement->bound, value));
}

void bind_null(struct statement *statement)
{
    statement->bound++;
    remember(statement, sqlite3_bind_null(statement->handle, statement->bound));
}

void bind_text(struct statement *statement, const char *text)
{
    if (!text) {
        bind_null(statement);
        return;
    }
    statement->bound++;
    remember(statement, sqlite3_bind_text64(statement->handle, statement->bound, text, strlen(text),
                                            SQLITE_STATIC, SQLITE_UTF8));
}

void statement_again(struct statement *statement)
{
    sqlite3_reset(statement->handle);
    statement->bound = 0;
}

int statement_status(const struct statement *statement, struct culprit_error *error)
{
    if (statement->status == SQLITE_OK)
        return 0;
    return database_fail(statement->store, statement->status, statement->what, error);
}

int statement_step(struct statement *statement, struct culprit_error *error)
{
    if (statement->status == SQLITE_OK) {
        int status = sqlite3_step(statement->handle);
        statement->column = 0;
        if (status == SQLITE_ROW)
            return 1;
        if (status == SQLITE_DONE)
            return 0;
        statement->status = status;
    }
    return statement_status(statement, error);
}

int statement_run(struct statement *statement, struct culprit_error *error)
{
    int result = statement_step(statement, error);
    return result < 0 ? result : 0;
}

int64_t read_integer(struct statement *statement)
{
    return sqlite3_column_int64(statement->handle, statement->column++);
}

double read_real(struct statement *statement)
{
    return sqlite3_column_double(statement->handle, statement->column++);
}

char *read_text(struct statement *statement)
{
    int column = statement->column++;
    if (sqlite3_column_type(statement->handle, column) == SQLITE_NULL)
        return NULL;

    const unsigned char *text = sqlite3_column_text(statement->handle, column);
    char *copy = text ? strdup((const char *)text) : NULL;
    if (!copy)
        remember(statement, SQLITE_NOMEM);
    return copy;
}

void read_string(struct statement *statement, char *ret, size_t size)
{
    const unsigned char *text = sqlite3_column_text(statement->handle, statement->column++);
    size_t length = text ? strnlen((const char *)text, size - 1) : 0;
    if (text)
        memcpy(ret, text, length);
    ret[length] = '\0';
}

int database_execute(struct store *store, const char *sql, const char *what,
                     struct culprit_error *error)
{
    int status = sqlite3_exec(store->connection, sql, NULL, NULL, NULL);
    if (status != SQLITE_OK)
        return database_fail(store, status, what, error);
    return 0;
}

int database_changes(struct store *store)
{
    return sqlite3_changes(store->connection);
}

int scope_begin(struct store *store, struct scope *ret, struct culprit_error *error)
{
    int status = database_execute(store, "SAVEPOINT scope", "open a savepoint", error);
    ret->store = status < 0 ? NULL : store;
    return status;
}

int scope_end(struct scope *scope, struct culprit_error *error)
{
    int status = database_execute(scope->store, "RELEASE scope", "commit to the store", error);
    if (status == 0)
        scope->store = NULL;
    return status;
}

void scope_rollback(struct scope *scope)
{
    /* A full disk can have rolled back the whole transaction already: then there is no savepoint,
     * and nothing to be done. */
    if (scope->store && !sqlite3_get_autocommit(scope->store->connection))
        (void)sqlite3_exec(scope->store->connection, "ROLLBACK TO scope; RELEASE scope", NULL, NULL,
                           NULL);
    scope->store = NULL;
}

void *array_grow(void **items, size_t *count, size_t size)
{
    /* Doubles at powers of two; the capacity follows from the count. */
    if ((*count & (*count - 1)) == 0) {
        size_t capacity = *count ? *count * 2 : 1;
        void *grown = reallocarray(*items, capacity, size);
        if (!grown)
            return NULL;
        *items = grown;
    }
    void *item = (char *)*items + *count * size;
    memset(item, 0, size);
    (*count)++;
    return item;
}
