/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"
#include "store/database.h"

/* A foreign sqlite3 shell that looks at the database may hold it for a moment. */
enum { BUSY_TIMEOUT_MS = 5000 };

static int refuse_second(const char *directory, int lock, struct culprit_error *error)
{
    char holder[32] = "";
    ssize_t length = pread(lock, holder, sizeof holder - 1, 0);

    holder[length > 0 ? strcspn(holder, "\n") : 0] = '\0';
    return culprit_fail(error, CULPRIT_CONFLICT,
                        "the store in %s is in use by another culpritd (process %s): a store has "
                        "one daemon; stop that one, or choose another state_directory",
                        directory, holder[0] ? holder : "unknown");
}

static int take_lock(const char *directory, int *ret, struct culprit_error *error)
{
    _cleanup_free_ char *path = path_join(directory, "culprit.lock");
    if (!path)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot lock the store: out of memory");

    _cleanup_close_ int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (lock < 0)
        return culprit_fail_errno(error, errno, "cannot open the lock file %s", path);
    if (flock(lock, LOCK_EX | LOCK_NB) < 0) {
        if (errno == EWOULDBLOCK)
            return refuse_second(directory, lock, error);
        return culprit_fail_errno(error, errno, "cannot lock %s", path);
    }
    /* The number is for people; the lock itself is the kernel's and ends with the process. */
    if (ftruncate(lock, 0) < 0 || dprintf(lock, "%ld\n", (long)getpid()) < 0)
        return culprit_fail_errno(error, errno, "cannot write the lock file %s", path);
    *ret = take_fd(&lock);
    return 0;
}

static int limit_size(struct store *store, uint64_t maximum, struct culprit_error *error)
{
    enum { PAGE_SIZE = 4096 };
    char pragma[64];

    if (!maximum)
        return 0;
    snprintf(pragma, sizeof pragma, "PRAGMA max_page_count = %llu",
             (unsigned long long)maximum / PAGE_SIZE + 1);
    return database_execute(store, pragma, "limit the size of the store", error);
}

/* synchronous = FULL: a trial is a minute of work and a submitted job a promise, while commits are
 * a few a second at most; one fsync each is cheap. */
static int open_database(struct store *store, const char *path, uint64_t maximum,
                         struct culprit_error *error)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    _cleanup_close_ int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        return culprit_fail_errno(error, errno, "cannot open the database %s", path);
    int status = sqlite3_open_v2(path, &store->connection, flags, NULL);
    if (status != SQLITE_OK && !store->connection)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot open %s: out of memory", path);
    if (status != SQLITE_OK) {
        database_fail(store, status, "open the store's database", error);
        return culprit_error_prefix(error, "%s", path);
    }
    sqlite3_extended_result_codes(store->connection, 1);
    sqlite3_busy_timeout(store->connection, BUSY_TIMEOUT_MS);

    status = database_execute(store,
                              "PRAGMA journal_mode = WAL;"
                              "PRAGMA synchronous = FULL;"
                              "PRAGMA foreign_keys = ON;"
                              "PRAGMA trusted_schema = OFF;",
                              "set up the store's database", error);
    if (status == 0)
        status = limit_size(store, maximum, error);
    if (status == 0)
        status = schema_migrate(store, error);
    return status < 0 ? culprit_error_prefix(error, "%s", path) : 0;
}

int store_open(const struct store_options *options, struct store **ret, struct culprit_error *error)
{
    CULPRIT_CLEANUP(store_close) struct store *store = calloc(1, sizeof *store);
    if (!store)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot open the store: out of memory");
    store->lock = -1;
    store->clock = options->clock;

    _cleanup_free_ char *path = path_join(options->directory, "culprit.db");
    if (!path)
        return culprit_fail(error, CULPRIT_NO_MEMORY, "cannot open the store: out of memory");

    /* Guests may run as another user, and reach their files through this directory. */
    int status = file_make_directories(options->directory, 0711, error);
    if (status == 0)
        status = take_lock(options->directory, &store->lock, error);
    if (status == 0)
        status = open_database(store, path, options->maximum, error);
    if (status < 0)
        return status;
    *ret = take(store);
    return 0;
}

void store_close(struct store *store)
{
    if (!store)
        return;
    sqlite3_close(store->connection);
    if (store->lock >= 0)
        close(store->lock);
    free(store);
}

int store_begin(struct store *store, struct store_transaction *ret, struct culprit_error *error)
{
    int status = database_execute(store, "BEGIN IMMEDIATE", "begin a transaction", error);
    ret->store = status < 0 ? NULL : store;
    return status;
}

int store_commit(struct store_transaction *transaction, struct culprit_error *error)
{
    int status = database_execute(transaction->store, "COMMIT", "commit to the store", error);
    if (status == 0)
        transaction->store = NULL;
    return status;
}

void store_rollback(struct store_transaction *transaction)
{
    /* After some failures (a full disk) SQLite has rolled back by itself. */
    if (transaction->store && !sqlite3_get_autocommit(transaction->store->connection))
        (void)sqlite3_exec(transaction->store->connection, "ROLLBACK", NULL, NULL, NULL);
    transaction->store = NULL;
}
